package weak

import (
	"context"
	"runtime"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// lane is an engine.Lane that delivers late.
type lane struct {
	h     *Heap
	queue queue
}

func (h *Heap) newLane() *lane {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := &lane{h: h}
	l.queue.luck = newLuck(h.seed, h.Rank(), h.NPEs(), h.lanes)
	h.lanes++
	return l
}

// Put queues a copy of the data. The copy is made before anything refers to src
// from the heap: src may point into a stack, which may move.
func (l *lane) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if l.h.Break != LateSource {
		src = duplicate(src, n)
	}
	return l.PutNBI(pe, dst, src, n)
}

// duplicate copies n bytes to words of their own, aligned as any source may be.
func duplicate(src unsafe.Pointer, n uintptr) unsafe.Pointer {
	words := make([]uint64, n/8+1)
	copied := unsafe.Pointer(unsafe.SliceData(words))
	mem.Get(copied, src, n)
	return copied
}

// PutNBI queues a put that reads src when it is delivered.
func (l *lane) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	l.put(pe, dst, src, n)
	return nil
}

// put queues a put, sometimes in two parts, and returns them: who polls on one
// part of the data must not take the rest for there.
func (l *lane) put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) (parts [2]*item) {
	if at := l.queue.luck.split(n); at > 0 {
		parts[0] = l.part(pe, dst, src, at)
		dst, src, n = dst+at, unsafe.Add(src, at), n-at
	}
	parts[1] = l.part(pe, dst, src, n)
	return parts
}

func (l *lane) part(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) *item {
	it := &item{pe: pe, n: n, happen: func() error { return l.h.Heap.Put(pe, dst, src, n) }}
	l.queue.add(it)
	return it
}

// Get reads at once.
func (l *lane) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	return l.h.Heap.Get(pe, dst, src, n)
}

// GetNBI queues a get.
func (l *lane) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	l.queue.add(&item{pe: pe, free: true, happen: func() error { return l.h.Heap.Get(pe, dst, src, n) }})
	return nil
}

// PutSignal queues the data, and the signal behind it.
func (l *lane) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	src = duplicate(src, n)
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	if l.h.Break == SignalFirst {
		l.signal(pe, sig, op, [2]*item{})
		l.put(pe, dst, src, n)
		return nil
	}
	l.signal(pe, sig, op, l.put(pe, dst, src, n))
	return nil
}

// signal queues the signal of a put behind its data.
func (l *lane) signal(pe int, at engine.Offset, op engine.AMO, data [2]*item) {
	l.queue.add(&item{pe: pe, word: at, atomic: true, after: data, happen: func() error { return l.raise(pe, at, op) }})
}

// raise does an atomic, and wakes who may wait for it.
func (l *lane) raise(pe int, at engine.Offset, op engine.AMO) error {
	_, err := l.atomic(pe, at, op)
	l.h.Ring(pe)
	return err
}

// Atomic queues what has no old value to return. Others happen at once, after what
// fences have put before them. Those of one word stay in order.
func (l *lane) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	if op.Blind {
		before := [2]*item{l.queue.last(pe, at)}
		l.queue.add(&item{pe: pe, word: at, atomic: true, after: before, happen: func() error { return l.raise(pe, at, op) }})
		return 0, nil
	}
	l.queue.hasten(pe, at)
	return l.atomic(pe, at, op)
}

func (l *lane) atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	if l.h.Break != TornAdd || op.Kind != engine.AMOAdd {
		return l.h.Heap.Atomic(pe, at, op)
	}
	old, err := l.h.Heap.Atomic(pe, at, engine.AMO{Kind: engine.AMOFetch, Width: op.Width})
	if err != nil {
		return 0, err
	}
	runtime.Gosched() // others come in between now and then
	op.Kind, op.Value = engine.AMOSet, old+op.Value
	_, err = l.h.Heap.Atomic(pe, at, op)
	return old, err
}

// Fence delivers nothing: what comes later waits for what was before, at each PE.
func (l *lane) Fence() {
	if l.h.Break == NoFence {
		return
	}
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	l.queue.epoch++
}

// Quiet delivers everything of this lane.
func (l *lane) Quiet(context.Context) error {
	if l.h.Break == NoQuiet || l.h.Break == NoLaneQuiet && l != l.h.own {
		return nil
	}
	return l.queue.drain(l.h.pause)
}
