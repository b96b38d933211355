package shmem

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// hostStreams are operations on streams that call Go functions: each is the blocking one,
// over a lane that blocking operations do not complete.
type hostStreams struct {
	w     *World
	lane  engine.Lane
	doer  device.Doer
	dev   int
	whole *block       // all of the heap
	open  atomic.Int64 // what is queued and not done, graphs aside
}

var _ engine.Streams = (*hostStreams)(nil)

// queue has f called in the order of the stream, and says whether it was not captured.
// Until that is over it counts as open.
func (h *hostStreams) queue(s device.Handle, open *atomic.Int64, f func(device.Turn) error) (bool, error) {
	open.Add(1)
	queued, err := h.doer.Do(h.dev, s, func(t device.Turn) error {
		if !t.Again {
			defer h.done(open)
		}
		return f(t)
	})
	if !queued {
		open.Add(-1)
	}
	return queued, err
}

// done wakes who waits for the last one.
func (h *hostStreams) done(open *atomic.Int64) {
	if open.Add(-1) == 0 {
		h.w.heap.Ring(h.w.rank)
	}
}

// finish waits until all that is queued and counted is over.
func (h *hostStreams) finish(ctx context.Context, open *atomic.Int64) error {
	return h.await(ctx, func() bool { return open.Load() == 0 })
}

// await waits as a PE does.
func (h *hostStreams) await(ctx context.Context, ready func() bool) error {
	if ready() {
		return nil
	}
	return h.w.waitFor(ctx, ready)
}

// do queues an operation, which is not done behind a fault.
func (h *hostStreams) do(s device.Handle, op string, pe int, f func() error) error {
	site := h.w.sites.Here()
	_, err := h.queue(s, &h.open, func(t device.Turn) error {
		if t.Fault != nil {
			return nil
		}
		return located(fail(h.w, op, pe, f()), site)
	})
	return err
}

// located is an error of an operation that was asked for at a line of the program.
func located(err error, site string) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		e.Site = cmp.Or(e.Site, site)
	}
	return err
}

// pointer is an address as a pointer. What it is of stays alive by itself.
func pointer(p device.Ptr) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(mem.At[byte](uintptr(p), 0)))
}

// PutOn queues a put. Local.
func (h *hostStreams) PutOn(s device.Handle, pe int, dst engine.Offset, src device.Ptr, n uintptr) error {
	return h.do(s, opPut, pe, func() error { return h.lane.Put(pe, dst, pointer(src), n) })
}

// GetOn queues a get. Local.
func (h *hostStreams) GetOn(s device.Handle, pe int, dst device.Ptr, src engine.Offset, n uintptr) error {
	return h.do(s, opGet, pe, func() error { return h.lane.Get(pe, pointer(dst), src, n) })
}

// PutSignalOn queues a put with a signal. Local.
func (h *hostStreams) PutSignalOn(s device.Handle, pe int, dst engine.Offset, src device.Ptr, n uintptr, sig engine.Offset, op engine.AMO) error {
	return h.do(s, opPutSignal, pe, func() error {
		err := h.lane.PutSignal(pe, dst, pointer(src), n, sig, op)
		h.w.heap.Ring(pe)
		return err
	})
}

// SignalOn queues a signal. Local.
func (h *hostStreams) SignalOn(s device.Handle, pe int, sig engine.Offset, op engine.AMO) error {
	return h.do(s, opSignal, pe, func() error {
		_, err := h.lane.Atomic(pe, sig, op)
		h.w.heap.Ring(pe)
		return err
	})
}

// WaitOn queues a wait. Local.
func (h *hostStreams) WaitOn(s device.Handle, at engine.Offset, c engine.Compare, v uint64) error {
	word := Array[int64]{h.whole, at, 1}
	return h.do(s, opWait, noPeer, func() error {
		_, err := await(context.Background(), word, 0, Cmp(c), int64(v))
		return err
	})
}

// QuietOn queues a quiet. It completes what came from any stream, which is more than was
// asked. Local.
func (h *hostStreams) QuietOn(s device.Handle) error {
	return h.do(s, opQuiet, noPeer, func() error { return h.lane.Quiet(context.Background()) })
}
