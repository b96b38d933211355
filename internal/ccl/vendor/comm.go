package vendor

import (
	"errors"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/nccl/raw"
)

// comm is the communicator of one rank.
type comm struct {
	lib    *library
	dev    ccl.Device
	slot   *raw.Slot // where the library stores the handle, perhaps later
	parent *comm     // whose state tells whether it has
	known  atomic.Uintptr
}

// handle is 0 while the library has not made the communicator.
func (c *comm) handle() raw.Comm {
	if h := c.known.Load(); h != 0 {
		return raw.Comm(h)
	}
	return raw.Comm(c.slot.Value())
}

// made remembers the handle. The library writes to the slot no more.
func (c *comm) made() {
	if c.known.CompareAndSwap(0, c.slot.Value()) && c.known.Load() != 0 {
		c.slot.Free()
	}
}

// Handle is the number that the library knows the communicator by.
func (c *comm) Handle() uintptr { return uintptr(c.handle()) }

// begun is what a call returns that makes a communicator. The slot is left to the library
// if the call failed: it may still write there.
func (c *comm) begun(err error) (ccl.Comm, error) {
	if err != nil && !errors.Is(err, raw.ErrInProgress) {
		return nil, err
	}
	return c, nil
}

// within makes a call with the device current on the thread.
func (c *comm) within(call func(h raw.Comm) error) error {
	before, err := c.dev.Enter()
	if err != nil {
		return err
	}
	err = call(c.handle())
	c.dev.Leave(before)
	return err
}

// AsyncError asks the library. A communicator that it has not made yet is what its parent is.
func (c *comm) AsyncError() error {
	if c.handle() == 0 && c.parent != nil {
		if err := c.parent.AsyncError(); err != nil || c.handle() == 0 {
			return err
		}
	}
	if c.handle() == 0 {
		return ccl.ErrInProgress // a group is open
	}
	code, err := c.lib.raw.CommGetAsyncError(c.handle())
	if err != nil {
		return err
	}
	if code == raw.Success {
		c.made()
	}
	return c.lib.raw.Failure("ncclCommGetAsyncError", code)
}

// Rank asks the library.
func (c *comm) Rank() (int, error) { return c.lib.raw.CommUserRank(c.handle()) }

// Size asks the library.
func (c *comm) Size() (int, error) { return c.lib.raw.CommCount(c.handle()) }

// Index asks the library for its device.
func (c *comm) Index() (int, error) { return c.lib.raw.CommCuDevice(c.handle()) }

// child is a communicator that call makes of this one.
func (c *comm) child(call func(h raw.Comm, slot *raw.Slot) error) (ccl.Comm, error) {
	n := &comm{lib: c.lib, dev: c.dev, slot: raw.NewSlot(), parent: c}
	return n.begun(c.within(func(h raw.Comm) error { return call(h, n.slot) }))
}

// Split makes one of the ranks of a color.
func (c *comm) Split(color, key int, config *ccl.Config) (ccl.Comm, error) {
	n, err := c.child(func(h raw.Comm, slot *raw.Slot) error {
		return c.lib.raw.CommSplit(h, color, key, slot, configOf(config))
	})
	if color == ccl.NoColor {
		return nil, err
	}
	return n, err
}

// Shrink makes one without some ranks.
func (c *comm) Shrink(exclude []int, abort bool, config *ccl.Config) (ccl.Comm, error) {
	flags := raw.ShrinkDefault
	if abort {
		flags = raw.ShrinkAbort
	}
	return c.child(func(h raw.Comm, slot *raw.Slot) error {
		return c.lib.raw.CommShrink(h, exclude, slot, configOf(config), flags)
	})
}

// GrowID makes the id for those that come in.
func (c *comm) GrowID() (ccl.ID, error) { return c.lib.raw.CommGetUniqueID(c.handle()) }

// Grow makes one with more ranks.
func (c *comm) Grow(size int, id *ccl.ID, config *ccl.Config) (ccl.Comm, error) {
	return c.child(func(h raw.Comm, slot *raw.Slot) error {
		return c.lib.raw.CommGrow(h, size, id, -1, slot, configOf(config))
	})
}

// Finalize completes what was called.
func (c *comm) Finalize() error { return c.within(c.lib.raw.CommFinalize) }

// Revoke ends what is under way.
func (c *comm) Revoke() error {
	return c.within(func(h raw.Comm) error { return c.lib.raw.CommRevoke(h, 0) })
}

// Destroy gives all back.
func (c *comm) Destroy() error { return c.end(c.lib.raw.CommDestroy) }

// Abort gives all back at once. It may come while another thread is in a call.
func (c *comm) Abort() error { return c.end(c.lib.raw.CommAbort) }

// end calls what ends a communicator. What the library has not made it writes to the slot
// later, which therefore is not used again.
func (c *comm) end(call func(raw.Comm) error) error {
	if c.handle() == 0 {
		return nil
	}
	return c.within(call)
}

// Suspend gives device memory back.
func (c *comm) Suspend() error {
	return c.within(func(h raw.Comm) error { return c.lib.raw.CommSuspend(h, raw.SuspendMem) })
}

// Resume takes it again.
func (c *comm) Resume() error { return c.within(c.lib.raw.CommResume) }

// Memory tells of it.
func (c *comm) Memory(stat ccl.MemoryStat) (uint64, error) {
	return c.lib.raw.CommMemStats(c.handle(), int(stat))
}

// Properties asks the library.
func (c *comm) Properties() (ccl.Properties, error) {
	p, err := c.lib.raw.CommQueryProperties(c.handle())
	return ccl.Properties{
		Rank: int(p.Rank), Size: int(p.NRanks), CUDADevice: int(p.CUDADev), NVMLDevice: int(p.NVMLDev),
		DeviceAPI: p.DeviceAPISupport, Multimem: p.MultimemSupport, GIN: int(p.GINType), RailedGIN: int(p.RailedGINType),
		LSATeams: int(p.NLSATeams), HostRMA: p.HostRMASupport,
	}, err
}
