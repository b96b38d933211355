package weak

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// lane is an engine.Lane that delivers late.
type lane struct {
	h     *Heap
	mu    sync.Mutex // guards the queue, and orders deliveries
	queue []delivery
	rng   *rand.Rand
}

// delivery is a put or a non-blocking get that has not happened yet.
type delivery func() error

func (h *Heap) newLane() *lane {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := &lane{h: h, rng: rand.New(rand.NewPCG(h.seed+uint64(len(h.lanes))<<32, uint64(h.Rank())))}
	h.lanes = append(h.lanes, l)
	return l
}

// Put queues a copy of the data. The copy is made before anything refers to src
// from the heap: src may point into a stack, which may move.
func (l *lane) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if l.h.Break == LateSource {
		return l.PutNBI(pe, dst, src, n)
	}
	return l.PutNBI(pe, dst, duplicate(src, n), n)
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
	return l.later(func() error { return l.h.Heap.Put(pe, dst, src, n) })
}

// Get reads at once.
func (l *lane) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	return l.h.Heap.Get(pe, dst, src, n)
}

// GetNBI queues a get.
func (l *lane) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	return l.later(func() error { return l.h.Heap.Get(pe, dst, src, n) })
}

// later queues d and delivers some of what is in the queue.
func (l *lane) later(d delivery) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, d)
	if len(l.queue) > 64 || l.rng.IntN(4) == 0 {
		return l.deliver(l.rng.IntN(len(l.queue) + 1))
	}
	return nil
}

// deliver makes n of the queued deliveries happen, in random order.
func (l *lane) deliver(n int) error {
	for ; n > 0; n-- {
		last := len(l.queue) - 1
		i := l.rng.IntN(last + 1)
		d := l.queue[i]
		l.queue[i], l.queue = l.queue[last], l.queue[:last]
		if err := d(); err != nil {
			return err
		}
	}
	return nil
}

// flush delivers everything.
func (l *lane) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.deliver(len(l.queue))
}

// PutSignal delivers its own data, at least, before its signal.
func (l *lane) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	if l.h.Break != SignalFirst {
		return l.h.Heap.PutSignal(pe, dst, src, n, sig, op)
	}
	if err := l.Put(pe, dst, src, n); err != nil {
		return err
	}
	_, err := l.h.Heap.Atomic(pe, sig, op)
	l.h.Ring(pe)
	return err
}

// Atomic is not ordered with puts: it happens at once.
func (l *lane) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
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

// Fence delivers everything: the strongest way to order it before what follows.
func (l *lane) Fence() {
	if l.h.Break == NoFence {
		return
	}
	if err := l.flush(); err != nil {
		panic(err) // the heaps below cannot fail to copy
	}
}

// Quiet delivers everything of this lane.
func (l *lane) Quiet(context.Context) error {
	if l.h.Break == NoQuiet || l.h.Break == NoLaneQuiet && l != l.h.lane {
		return nil
	}
	return l.flush()
}
