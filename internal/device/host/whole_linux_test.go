package host

import (
	"errors"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/mem"
)

// TestWhole maps the memory of a driver once more, as another process would: what is
// written here is there.
func TestWhole(t *testing.T) {
	d, err := Open(1)
	if err != nil {
		t.Fatal(err)
	}
	h, base, size, err := d.Whole()
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Alloc(0, 64)
	if err != nil {
		t.Fatal(err)
	}
	if uintptr(p)-base >= size {
		t.Errorf("memory at %#x, all of it is %d bytes at %#x", p, size, base)
	}
	there, release, err := d.MapWhole(h)
	if err != nil {
		t.Fatal(err)
	}
	mem.At[byte](uintptr(p), 64)[63] = 7
	if got := mem.At[byte](there+uintptr(p)-base, 64)[63]; got != 7 {
		t.Errorf("the other mapping has %d", got)
	}
	if err := errors.Join(release(), d.Free(0, p), d.Close()); err != nil {
		t.Error(err)
	}
	if _, _, err := d.MapWhole(device.IPCHandle{}); !errors.Is(err, device.ErrArgument) {
		t.Errorf("no name: %v", err)
	}
	if _, _, err := d.MapWhole(h); err == nil {
		t.Error("the memory of a closed driver is mapped")
	}
}
