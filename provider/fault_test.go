package provider_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
)

// TestFault: a fault is one of the kernel's line, not of what the kernel has called.
func TestFault(t *testing.T) {
	d, err := gpu.Open("host")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]uintptr{"the address 0x1000,": 4096}
	if runtime.GOARCH == "amd64" { // others name what no program can have
		list["which is 0x0 or so far off"] = 1 << 62
	}
	for says, at := range list {
		m, err := d.Compile(gpu.Program{Host: map[string]gpu.HostKernel{"bad": func(gpu.Block) { provider.Store(at, 0, uint64(1), 0, 0, []int64{1}) }}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Function("bad")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Launch(s, gpu.Grid(1, 1)); err != nil {
			t.Fatal(err)
		}
		if err := s.Synchronize(t.Context()); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "at fault_test.go:") {
			t.Errorf("%v, want %q", err, says)
		}
		_ = s.Close() // tells of the fault once more
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
