package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
)

// soname is the file of NVIDIA's driver library.
const soname = "libcuda.so.1"

// TestStandIn has children use platform cuda over the library that the driver's own tests
// are made with: what package gpu does on GPUs only, and which calls come of it.
func TestStandIn(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	folder := t.TempDir()
	source := filepath.Join("..", "internal", "device", "vendor", "testdata", "mock.c")
	out, err := exec.Command(cc, "-shared", "-fPIC", "-o", filepath.Join(folder, soname), source).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, what := range []string{"stand-in", "stand-in for Triton"} {
		start(t, what, "LD_LIBRARY_PATH="+folder, callsFile+"=")
	}
}

// standIn is what the child does.
func standIn() error {
	d, err := gpu.Open("cuda:1")
	if err != nil {
		return err
	}
	m, err := d.LoadModule([]byte("code"))
	if err != nil {
		return err
	}
	f, err := m.Function("kernel")
	if err != nil {
		return err
	}
	x, err := gpu.Alloc[uint32](d, 1)
	if err != nil {
		return err
	}
	launch := func(shared int) func() error { // the mock's block has 1008 bytes, 1097 if asked for, 11 are declared
		return func() error { return f.Launch(nil, gpu.Grid(1, 1).WithShared(shared), uint32(1), x) }
	}
	const set = "cuFuncSetAttribute "
	return errors.Join(
		called("shared memory that needs no asking", launch(1008-11), set, 0),
		called("shared memory that does", launch(1008-10), set, 1),
		called("the same again", launch(1097-11), set, 0),
		refused(launch(1097-10)(), "1087 bytes of shared memory: a block of this kernel can have 0 to 1086"),
		called("synchronize", func() error { return d.Synchronize(context.Background()) }, "cuEventRecord ", 1),
	)
}

// called counts the calls of a function that come of do.
func called(what string, do func() error, function string, times int) error {
	if _, err := journal(); err != nil {
		return err
	}
	if err := do(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	lines, err := journal()
	if err != nil {
		return err
	}
	n := len(slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasPrefix(l, function) }))
	if n != times {
		return fmt.Errorf("%s: %d calls of %s, want %d: %q", what, n, function, times, lines)
	}
	return nil
}

func refused(err error, says string) error {
	if err == nil || !strings.Contains(err.Error(), says) {
		return fmt.Errorf("%w, want %q", err, says)
	}
	return nil
}

// tool is a function of the stand-in that is not the driver's.
func tool(name string) (uintptr, error) {
	path := filepath.Join(os.Getenv("LD_LIBRARY_PATH"), soname)
	lib, _, err := dl.Open(dl.Spec{Name: "stand-in", Path: path, Symbols: []dl.Symbol{{Name: name, Required: true}}})
	if err != nil {
		return 0, err
	}
	return lib.Lookup(name)
}

// journal takes what the stand-in has recorded.
func journal() ([]string, error) {
	take, err := tool("mock_take")
	if err != nil {
		return nil, err
	}
	s := dl.Borrow()
	defer s.Return()
	b := dl.OutSlice[byte](s, 12<<10)
	n := dl.Call(take, dl.Addr(&b[0]), uintptr(len(b)))
	return strings.Split(string(b[:n]), "\n"), nil
}
