package vendor

import (
	"errors"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/nccl/raw"
)

// PreMulSum makes an operation of the user's.
func (c *comm) PreMulSum(t ccl.Type, scalar []byte, addr uintptr) (ccl.Op, error) {
	return c.lib.raw.RedOpCreatePreMulSum(scalar, addr, t, c.handle())
}

// FreeOp ends it.
func (c *comm) FreeOp(op ccl.Op) error { return c.lib.raw.RedOpDestroy(op, c.handle()) }

// Register has the library know memory beforehand.
func (c *comm) Register(addr, bytes uintptr) (handle uintptr, err error) {
	err = c.within(func(h raw.Comm) error {
		handle, err = c.lib.raw.CommRegister(h, addr, bytes)
		return err
	})
	return handle, err
}

// Deregister has it forget that.
func (c *comm) Deregister(handle uintptr) error {
	return c.within(func(h raw.Comm) error { return c.lib.raw.CommDeregister(h, handle) })
}

// window is registered memory.
type window struct {
	c    *comm
	slot *raw.Slot
}

// NewWindow registers memory with all ranks.
func (c *comm) NewWindow(addr, bytes uintptr, flags ccl.WindowFlags) (ccl.Window, error) {
	w := &window{c, raw.NewSlot()}
	err := c.within(func(h raw.Comm) error {
		return c.lib.raw.CommWindowRegister(h, addr, bytes, w.slot, int(flags))
	})
	if err != nil && !errors.Is(err, raw.ErrInProgress) {
		return nil, err
	}
	return w, err
}

// Handle is what the library has stored.
func (w *window) Handle() uintptr { return w.slot.Value() }

// Close ends the registration of this rank.
func (w *window) Close() error {
	if w.Handle() == 0 {
		return nil
	}
	err := w.c.within(func(h raw.Comm) error {
		return w.c.lib.raw.CommWindowDeregister(h, raw.Window(w.Handle()))
	})
	w.slot.Free()
	return err
}

// Peer is where a peer's part of the window is for this rank's device.
func (w *window) Peer(peer int, offset uintptr) (uintptr, error) {
	return w.c.lib.raw.GetPeerDevicePointer(raw.Window(w.Handle()), offset, peer)
}

// PutSignal puts into a peer's part of a window.
func (c *comm) PutSignal(src uintptr, count int, t ccl.Type, peer int, w ccl.Window, offset, stream uintptr) error {
	return c.within(func(h raw.Comm) error {
		return c.lib.raw.PutSignal(src, count, t, peer, raw.Window(w.Handle()), offset, 0, 0, 0, h, stream)
	})
}

// Signal signals a peer.
func (c *comm) Signal(peer int, stream uintptr) error {
	return c.within(func(h raw.Comm) error { return c.lib.raw.Signal(peer, 0, 0, 0, h, stream) })
}

// WaitSignals waits for signals of peers.
func (c *comm) WaitSignals(peers, counts []int, stream uintptr) error {
	list := make([]raw.WaitSignalDesc, len(peers))
	for i := range list {
		list[i] = raw.WaitSignalDesc{OpCount: int32(counts[i]), Peer: int32(peers[i])}
	}
	return c.within(func(h raw.Comm) error {
		d := raw.NewDescs(list)
		defer c.lib.until(d)
		return c.lib.raw.WaitSignal(d, h, stream)
	})
}
