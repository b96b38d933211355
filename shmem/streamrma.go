package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// What operations on streams are called in errors.
const (
	opPut       = "put on stream"
	opGet       = "get on stream"
	opPutSignal = "put signal on stream"
	opSignal    = "signal on stream"
	opWait      = "signal wait until on stream"
	opQuiet     = "quiet on stream"
)

// PutOnStream is [Array.Put] as work of a stream: it returns at once, reads src when
// earlier work of the stream is done, and later work may change src. A nil stream is
// [World.DefaultStream]. The data is at pe after QuietOnStream or BarrierOnStream on the
// same stream; neither Quiet nor Barrier completes it. Not collective. rocSHMEM:
// rocshmem_putmem_on_stream; NVSHMEM: nvshmemx_putmem_on_stream.
func (a Array[T]) PutOnStream(s *gpu.Stream, src Array[T], pe int) error {
	if err := a.both(src, pe, true); err != nil {
		return fail(a.World(), opPut, pe, err)
	}
	return a.putOn(s, address(src.here()), pe)
}

// GetOnStream is [Array.Get] as work of a stream: it returns at once, and the data is
// there for later work of the stream. Not collective. rocSHMEM: rocshmem_getmem_on_stream;
// NVSHMEM: nvshmemx_getmem_on_stream.
func (a Array[T]) GetOnStream(s *gpu.Stream, src Array[T], pe int) error {
	if err := src.both(a, pe, false); err != nil {
		return fail(src.World(), opGet, pe, err)
	}
	return src.getOn(s, address(a.here()), pe)
}

// PutSignalOnStream is [Array.PutSignal] as work of a stream: it returns at once. Whoever
// sees the signal there sees the data, on a stream or off. Not collective. rocSHMEM:
// rocshmem_putmem_signal_on_stream; NVSHMEM: nvshmemx_putmem_signal_on_stream.
func (a Array[T]) PutSignalOnStream(s *gpu.Stream, src Array[T], pe int, sig Signal, op SignalOp, value uint64) error {
	err := a.both(src, pe, true)
	amo, wrong := sig.with(a.World(), op, value)
	if err == nil {
		err = wrong
	}
	if err != nil {
		return fail(a.World(), opPutSignal, pe, err)
	}
	return a.putSignalOn(s, address(src.here()), pe, sig, amo)
}

// PutDevice is [Array.Put] from ordinary memory of the device of this world, or pinned
// memory: all that is queued on streams for src must be done. It returns when src may be
// reused. Not collective.
func (a Array[T]) PutDevice(src gpu.Slice[T], pe int) error {
	const op = "put device"
	from, err := deviceSide(a, src, pe, true)
	if err != nil || a.n == 0 {
		return fail(a.World(), op, pe, err)
	}
	return fail(a.b.w, op, pe, a.b.lane.moves.Put(a.b.lane.world(pe), a.off, pointer(from), a.bytes()))
}

// GetDevice copies pe's copy of a to ordinary memory of the device of this world, or
// pinned memory. The data is there when it returns. Not collective.
func (a Array[T]) GetDevice(dst gpu.Slice[T], pe int) error {
	const op = "get device"
	to, err := deviceSide(a, dst, pe, false)
	if err != nil || a.n == 0 {
		return fail(a.World(), op, pe, err)
	}
	return fail(a.b.w, op, pe, a.b.lane.moves.Get(a.b.lane.world(pe), pointer(to), a.off, a.bytes()))
}

// PutDeviceOnStream is PutOnStream from ordinary memory of the device of this world, or
// pinned memory. Not collective.
func (a Array[T]) PutDeviceOnStream(s *gpu.Stream, src gpu.Slice[T], pe int) error {
	from, err := deviceSide(a, src, pe, true)
	if err != nil {
		return fail(a.World(), opPut, pe, err)
	}
	return a.putOn(s, from, pe)
}

// GetDeviceOnStream is GetDevice as work of a stream: it returns at once, and the data is
// there for later work of the stream. Not collective.
func (a Array[T]) GetDeviceOnStream(s *gpu.Stream, dst gpu.Slice[T], pe int) error {
	to, err := deviceSide(a, dst, pe, false)
	if err != nil {
		return fail(a.World(), opGet, pe, err)
	}
	return a.getOn(s, to, pe)
}

// address is a pointer as drivers take it.
func address(p unsafe.Pointer) device.Ptr { return device.Ptr(uintptr(p)) }

// deviceSide returns where the local side of a transfer is, which is memory of a device.
func deviceSide[T any](a Array[T], local gpu.Slice[T], pe int, put bool) (device.Ptr, error) {
	if err := a.pair(pe, local.Len(), put); err != nil {
		return 0, err
	}
	q, err := a.b.w.streams()
	if err != nil {
		return 0, err
	}
	m := local.KernelArgument()
	return m.Ptr, q.reaches(m)
}

// reaches says why memory that package gpu knows cannot be the local side of a transfer.
func (q *streams) reaches(m device.Argument) error {
	pinned, near := m.Device < 0, m.Driver == q.device.Platform()
	switch {
	case m.Err != nil:
		return m.Err
	case pinned && (near || q.host != nil), near && (m.Device == q.device.Index() || q.host != nil):
		return nil
	case pinned:
		return problem(ErrArgument, "pinned memory of platform %s: transfers of this world need memory of %v, or pinned memory of its platform", m.Driver, q.device)
	}
	return problem(ErrArgument, "memory of %s:%d: transfers of this world need memory of %v, or pinned memory", m.Driver, m.Device, q.device)
}

// putOn queues a put of checked arguments.
func (a Array[T]) putOn(s *gpu.Stream, src device.Ptr, pe int) error {
	w, to := a.b.w, a.b.lane.world(pe)
	q, h, err := w.on(s)
	if err == nil && a.n > 0 {
		err = q.PutOn(h, to, a.off, src, a.bytes())
	}
	if err != nil {
		return fail(w, opPut, pe, err)
	}
	w.noteOn(q.stream(s), h, engine.Record{Deed: engine.DeedPut, Peer: to, At: a.off, Bytes: a.bytes()})
	return nil
}

// getOn queues a get of checked arguments from pe's copy of a.
func (a Array[T]) getOn(s *gpu.Stream, dst device.Ptr, pe int) error {
	w, from := a.b.w, a.b.lane.world(pe)
	q, h, err := w.on(s)
	if err == nil && a.n > 0 {
		err = q.GetOn(h, from, dst, a.off, a.bytes())
	}
	if err != nil {
		return fail(w, opGet, pe, err)
	}
	w.noteOn(q.stream(s), h, engine.Record{Deed: engine.DeedGet, Peer: from, At: a.off, Bytes: a.bytes()})
	return nil
}

// putSignalOn queues a put with a signal of checked arguments. It tells by itself when it
// is complete, so no quiet is owed.
func (a Array[T]) putSignalOn(s *gpu.Stream, src device.Ptr, pe int, sig Signal, amo engine.AMO) error {
	w, to := a.b.w, a.b.lane.world(pe)
	q, h, err := w.on(s)
	switch {
	case err != nil:
	case a.n == 0:
		err = q.SignalOn(h, to, sig.a.off, amo)
	default:
		err = q.PutSignalOn(h, to, a.off, src, a.bytes(), sig.a.off, amo)
	}
	if err != nil {
		return fail(w, opPutSignal, pe, err)
	}
	w.recordOn(engine.Record{Deed: engine.DeedPut, Peer: to, At: a.off, Bytes: a.bytes()})
	w.recordOn(engine.Record{Deed: engine.DeedSignal, Peer: to, At: sig.a.off, Bytes: 8})
	return nil
}
