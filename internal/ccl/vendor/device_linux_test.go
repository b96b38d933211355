package vendor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/ccl/mock"
	"github.com/goshmem/goshmem/internal/device"
)

// driver lends its devices, and sees what the library was called with meanwhile.
type driver struct {
	device.Driver
	m     *mock.Mock
	calls []string
	depth int
}

func (d *driver) Enter(dev int) (uintptr, error) {
	d.note("-")
	d.depth++
	return uintptr(dev + 100), nil
}

func (d *driver) Leave(dev int, before uintptr) {
	d.depth--
	d.note(fmt.Sprint(dev, before))
}

// note keeps what was called since the last note, with where it was.
func (d *driver) note(where string) {
	for _, call := range d.m.Take() {
		name, _, _ := strings.Cut(call, " ")
		d.calls = append(d.calls, where+" "+name)
	}
}

// TestCurrentDevice: whatever reads the current device, or makes streams wait, finds the
// communicator's; questions do not need it.
func TestCurrentDevice(t *testing.T) {
	m := mock.New(t, "-DncclGather=none")
	lib, err := Open("nccl", m.Path)
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{m: m}
	place := ccl.Device{Driver: d, Index: 7}
	c, err := lib.Init(ccl.Init{Device: place, Size: 1, IDs: []ccl.ID{{}}})
	if err != nil {
		t.Fatal(err)
	}
	x := c.(*comm)
	child := func(c ccl.Comm, err error) error { return err }
	window := func() error {
		w, err := x.NewWindow(1, 2, 0)
		if err != nil {
			return err
		}
		return w.Close()
	}
	memory := func() error {
		p, err := lib.(ccl.Allocator).Alloc(place, 64)
		if err != nil {
			return err
		}
		return lib.(ccl.Allocator).Free(place, p)
	}
	registration := func() error {
		h, err := x.Register(1, 2)
		if err != nil {
			return err
		}
		return x.Deregister(h)
	}
	for _, err := range []error{
		c.Do(&ccl.Call{Kind: ccl.AllReduce}), c.Do(&ccl.Call{Kind: ccl.Gather}), child(c.Split(1, 2, nil)), child(x.Shrink([]int{1}, true, nil)),
		child(x.Grow(3, nil, nil)), window(), memory(), registration(), x.Suspend(), x.Resume(), x.Signal(0, 0), x.WaitSignals(nil, nil, 0),
		x.Revoke(), c.Finalize(), c.Destroy(),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	d.note("-")
	free := map[string]bool{"ncclGetVersion": true, "ncclCommGetAsyncError": true}
	for _, call := range d.calls {
		where, name, _ := strings.Cut(call, " n")
		if where != "7 107" && !free["n"+name] {
			t.Errorf("%s without the device (%s)", "n"+name, where)
		}
	}
	if len(d.calls) < 20 || d.depth != 0 {
		t.Errorf("%d calls, depth %d: %q", len(d.calls), d.depth, d.calls)
	}
}
