package bench

import (
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/ccl/mock"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/launch/launcher"
)

// mocks builds what the program in C opens: a driver's library without a device, and NCCL
// without one.
func mocks(t *testing.T, flags ...string) (driver, library string) {
	t.Helper()
	library = mock.Built(t, "libnccl.so", flags...)
	driver = filepath.Join(t.TempDir(), "libcuda.so")
	if text, err := exec.Command("cc", "-shared", "-fPIC", "-o", driver, "../internal/device/vendor/testdata/mock.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return driver, library
}

// inC runs the program as two ranks and returns what it writes.
func inC(t *testing.T, argv []string) (string, error) {
	t.Helper()
	var out strings.Builder
	var said strings.Builder
	result, err := launcher.Run(t.Context(), launcher.Spec{
		N: 2, Argv: append(argv, filepath.Join(t.TempDir(), "id"), "3", "2", "blocking", "nonblocking"), Timeout: time.Minute,
		Output: func(rank int) (io.Writer, io.Writer) {
			if rank == 0 {
				return &out, &said
			}
			return nil, nil
		},
	})
	if err == nil && result.Err != nil {
		t.Log(said.String())
		err = result.Err
	}
	return out.String() + said.String(), err
}

// TestNCCL: the program in C measures each collective with both kinds of communicators, and
// waits for one that is in progress.
func TestNCCL(t *testing.T) {
	driver, library := mocks(t, "-DLATE=3")
	argv, err := ncclWith(t.Context(), t.TempDir(), driver, library)
	if err != nil {
		t.Fatal(err)
	}
	out, err := inC(t, argv)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 1+2*4*6*3 || lines[0] != `{"program": "C", "version": 23007, "ranks": 2}` {
		t.Errorf("%d lines, first %s", len(lines), lines[0])
	}
	seen := map[string]int{}
	for _, text := range lines[1:] {
		var l struct {
			Op, Mode, Measure string
			Bytes             int
			Us                float64
		}
		if err := json.Unmarshal([]byte(text), &l); err != nil || l.Us <= 0 || l.Bytes < 8 || l.Bytes > 64<<10 {
			t.Errorf("%s: %v", text, err)
		}
		seen[l.Op]++
		seen[l.Mode]++
		seen[l.Measure]++
	}
	for name, want := range map[string]int{"all_reduce": 36, "all_gather": 36, "reduce_scatter": 36, "broadcast": 36, "blocking": 72, "nonblocking": 72, "call": 48, "enqueue": 48, "queue": 48} {
		if seen[name] != want {
			t.Errorf("%d lines of %s, want %d", seen[name], name, want)
		}
	}
}

// TestNCCLThatRefuses: what a library lacks ends the program, and is named.
func TestNCCLThatRefuses(t *testing.T) {
	driver, library := mocks(t, "-DncclReduceScatter=another_name")
	argv, err := ncclWith(t.Context(), t.TempDir(), driver, library)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := inC(t, argv); err == nil || !strings.Contains(out, "ncclReduceScatter") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPrograms: all programs in C compile without a warning.
func TestPrograms(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no C compiler in PATH")
	}
	for _, name := range []string{"nccl.c", "nvshmem.c", "streams.c"} {
		if text, err := exec.Command(cc, "-Wall", "-Wextra", "-Werror", "-O2", "-o", filepath.Join(t.TempDir(), "x"), "peers/"+name, "-ldl").CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
}
