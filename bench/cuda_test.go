package bench

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/perf"
	"github.com/goshmem/goshmem/internal/skip"
)

// TestMain: the mock has two devices, and so must platform host, which counts its own once.
func TestMain(m *testing.M) {
	if err := os.Setenv("GOSHMEM_HOST_DEVICES", "2"); err != nil {
		panic(err)
	}
	m.Run()
}

// mockCUDA builds a driver's library that does all work at once, without a device, and
// the program in C over it.
func mockCUDA(t *testing.T, flags ...string) perf.Peer {
	t.Helper()
	dir := t.TempDir()
	library := filepath.Join(dir, "libcuda.so")
	args := append([]string{"-shared", "-fPIC", "-o", library, "../internal/device/vendor/testdata/mock.c"}, flags...)
	text, err := exec.Command("cc", args...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		skip.Now(t, skip.NoCC, "no C compiler in PATH")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	peer, err := cuda(t.Context(), dir, library)
	if err != nil {
		t.Fatal(err)
	}
	return peer
}

// hostBeside measures platform host beside a peer. Only the smallest copies fit into the
// mock's memory.
func hostBeside(t *testing.T, peer perf.Peer) (perf.Record, error) {
	o := perf.GPUOptions{Platform: "host", Peer: &peer, Only: ""}
	o.Rounds, o.Batch, o.Worker = 2, time.Microsecond, []string{"nobody"}
	o.Largest = 4 << 10
	return perf.GPU(t.Context(), o)
}

// The program must carry out every order that we give, and both sides must have figures.
func TestCUDA(t *testing.T) {
	r, err := hostBeside(t, mockCUDA(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := "C: driver API 12.9, Mock"; r.Peer != want {
		t.Errorf("peer %q, want %q", r.Peer, want)
	}
	wanted := 0
	for _, row := range r.Rows {
		if row.Theirs.Median <= 0 || row.Ratio <= 0 || row.Peer != "C" || (row.Met != nil) != (row.Wanted > 0) {
			t.Errorf("row %+v", row)
		}
		if row.Wanted > 0 {
			wanted++
		}
	}
	if len(r.Rows) != 10 || wanted != 8 {
		t.Errorf("%d rows, a ratio is wanted of %d; want 10 and 8", len(r.Rows), wanted)
	}
}

// What a driver refuses ends the program, and its words come back.
func TestCUDAThatRefuses(t *testing.T) {
	peer, err := cuda(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "libnone.so"))
	if errors.Is(err, ErrMissing) {
		skip.Now(t, skip.NoCC, "no C compiler in PATH")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hostBeside(t, peer); err == nil || !strings.Contains(err.Error(), "libnone.so") {
		t.Errorf("error %v, want the linker's", err)
	}
	peer = mockCUDA(t, "-DcuMemHostAlloc=another_name")
	if _, err := hostBeside(t, peer); err == nil || !strings.Contains(err.Error(), "cuMemHostAlloc") {
		t.Errorf("error %v, want the name of what the library lacks", err)
	}
}

// Without a compiler, or without a driver, the error says what is missing.
func TestCUDAThatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, build := range []func() (perf.Peer, error){
		func() (perf.Peer, error) { return cuda(t.Context(), t.TempDir(), "x") },
		func() (perf.Peer, error) { return CUDA(t.Context(), t.TempDir()) },
	} {
		if _, err := build(); !errors.Is(err, ErrMissing) {
			t.Errorf("error %v, want one that says what is missing", err)
		}
	}
}
