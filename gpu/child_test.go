package gpu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/skip"
)

const (
	childDevice = "GPU_TEST_DEVICE" // the device that a child works on
	childHandle = "GPU_TEST_HANDLE" // what it imports
	childLimit  = 2 * time.Minute
)

// start runs this binary again as a child and returns what it prints.
func start(t *testing.T, what string, variables ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), childLimit)
	defer cancel()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(append(os.Environ(), child+"="+what), variables...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("child %s: %v: %s", what, err, out)
	}
	return string(out)
}

func export(t *testing.T, d *gpu.Device) {
	x := alloc[int32](t, d, some)
	must(t, x.CopyFrom(values[int32](some), nil))
	h := get(get(x.Slice(100, 200))(t).Export())(t)
	var packed bytes.Buffer
	must(t, binary.Write(&packed, binary.LittleEndian, h))
	start(t, "import", childDevice+"="+d.String(), childHandle+"="+hex.EncodeToString(packed.Bytes()))
	want := values[int32](some)
	for i := range want[100:200] {
		want[100+i] *= -1
	}
	holds(t, x, want, nil)
	_, err := pinned[int32](t, d, 8).Export()
	wants(t, err, gpu.ErrUnsupported, "use Alloc")
	wrong := h
	copy(wrong.Platform[:], "none\x00\x00")
	_, err = d.Import(wrong)
	wants(t, err, gpu.ErrArgument, `platform "none"`)
	wrong = h
	wrong.Bytes = 0
	_, err = d.Import(wrong)
	wants(t, err, gpu.ErrArgument, "damaged")
}

// importing negates the numbers of the memory that the parent has exported.
func importing() error {
	d, err := gpu.Open(os.Getenv(childDevice))
	if err != nil {
		return err
	}
	packed, err := hex.DecodeString(os.Getenv(childHandle))
	if err != nil {
		return err
	}
	var h gpu.IPCHandle
	if err := binary.Read(bytes.NewReader(packed), binary.LittleEndian, &h); err != nil {
		return err
	}
	raw, err := d.Import(h)
	if err != nil {
		return err
	}
	x, err := gpu.As[int32](raw)
	if err != nil {
		return err
	}
	got := make([]int32, x.Len())
	if err := x.CopyTo(got, nil); err != nil {
		return err
	}
	if !slices.Equal(got, values[int32](some)[100:200]) {
		return fmt.Errorf("imported %v", got)
	}
	for i := range got {
		got[i] *= -1
	}
	return errors.Join(x.CopyFrom(got, nil), raw.Close(), raw.Close())
}

// faultInChild has a process of its own do what makes a GPU useless to it.
func faultInChild(t *testing.T, d *gpu.Device) {
	out := start(t, "fault", childDevice+"="+d.String())
	if strings.HasPrefix(out, "no compiler: ") {
		skip.Now(t, skip.NoVendor, out)
	}
	if !strings.Contains(out, "gpu: synchronize") || !strings.Contains(out, d.String()) {
		t.Errorf("the fault reads: %s", out)
	}
}

func faulting() error {
	d, err := gpu.Open(os.Getenv(childDevice))
	if err != nil {
		return err
	}
	m, err := d.Compile(kernels())
	if noCompiler(err) {
		fmt.Println("no compiler:", err)
		return nil
	}
	if err != nil {
		return err
	}
	f, err := m.Function("fault")
	if err != nil {
		return err
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	x, err := gpu.Alloc[int32](d, 1)
	if err != nil {
		return err
	}
	if err := f.Launch(s, gpu.Grid(1, 1), x); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), childLimit)
	defer cancel()
	first := s.Synchronize(ctx)
	fmt.Println(first)
	if again := s.Synchronize(ctx); !errors.Is(first, gpu.ErrFault) || !errors.Is(again, gpu.ErrFault) {
		return fmt.Errorf("want faults, got %v, then %v", first, again)
	}
	return nil
}
