// Package weak makes an engine as weak as the memory model of package shmem
// allows: puts lie in a queue and arrive late, in random order, and non-blocking
// gets read late. Programs that rely on more than the model fail over it, which
// is how the suite finds out whether fence, quiet and barrier do their part. Tests
// put it in front of goroutine PEs.
package weak

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// Heap is an engine.Heap whose peers are not reachable by load and store, and
// whose deliveries are late.
type Heap struct {
	engine.Heap
	mu    sync.Mutex // guards the queue, and orders deliveries
	queue []delivery
	rng   *rand.Rand
	// Break weakens one promise more than the model allows, to prove that the
	// suite notices.
	Break Fault
}

// Fault is a promise that a Heap can be told to break.
type Fault int

// The faults. The suite must fail over each of them.
const (
	Sound         Fault = iota
	NoFence             // Fence orders nothing
	NoQuiet             // Quiet completes nothing
	NoBarrierWait       // every meeting but the first ends at once
	SignalFirst         // the signal of a put overtakes its data
	LateSource          // a blocking put still reads its source after it has returned
	TornAdd             // an atomic add is a load and a store
)

// Wrap puts a weak heap in front of h. Equal seeds deliver in equal order.
func Wrap(h engine.Heap, seed uint64) *Heap {
	return &Heap{Heap: h, rng: rand.New(rand.NewPCG(seed, uint64(h.Rank())))}
}

// delivery is a put or a non-blocking get that has not happened yet.
type delivery func() error

// Base is nil for all PEs but this one.
func (h *Heap) Base(pe int) unsafe.Pointer {
	if pe == h.Rank() {
		return h.Heap.Base(pe)
	}
	return nil
}

// Put queues a copy of the data. The copy is made before anything refers to src
// from the heap: src may point into a stack, which may move.
func (h *Heap) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if h.Break == LateSource {
		return h.PutNBI(pe, dst, src, n)
	}
	return h.PutNBI(pe, dst, duplicate(src, n), n)
}

// duplicate copies n bytes to words of their own, aligned as any source may be.
func duplicate(src unsafe.Pointer, n uintptr) unsafe.Pointer {
	words := make([]uint64, n/8+1)
	copied := unsafe.Pointer(unsafe.SliceData(words))
	copy(unsafe.Slice((*byte)(copied), n), unsafe.Slice((*byte)(src), n))
	return copied
}

// PutNBI queues a put that reads src when it is delivered.
func (h *Heap) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	return h.later(func() error { return h.Heap.Put(pe, dst, src, n) })
}

// GetNBI queues a get.
func (h *Heap) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	return h.later(func() error { return h.Heap.Get(pe, dst, src, n) })
}

// later queues d and delivers some of what is in the queue.
func (h *Heap) later(d delivery) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = append(h.queue, d)
	if len(h.queue) > 64 || h.rng.IntN(4) == 0 {
		return h.deliver(h.rng.IntN(len(h.queue) + 1))
	}
	return nil
}

// deliver makes n of the queued deliveries happen, in random order.
func (h *Heap) deliver(n int) error {
	for ; n > 0; n-- {
		last := len(h.queue) - 1
		i := h.rng.IntN(last + 1)
		d := h.queue[i]
		h.queue[i], h.queue = h.queue[last], h.queue[:last]
		if err := d(); err != nil {
			return err
		}
	}
	return nil
}

// Flush delivers everything.
func (h *Heap) Flush() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.deliver(len(h.queue))
}

// PutSignal delivers its own data, at least, before its signal.
func (h *Heap) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	if h.Break != SignalFirst {
		return h.Heap.PutSignal(pe, dst, src, n, sig, op)
	}
	if err := h.Put(pe, dst, src, n); err != nil {
		return err
	}
	_, err := h.Heap.Atomic(pe, sig, op)
	h.Heap.Ring(pe)
	return err
}

// Atomic is not ordered with puts: it happens at once.
func (h *Heap) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	if h.Break != TornAdd || op.Kind != engine.AMOAdd {
		return h.Heap.Atomic(pe, at, op)
	}
	old, err := h.Heap.Atomic(pe, at, engine.AMO{Kind: engine.AMOFetch, Width: op.Width})
	if err != nil {
		return 0, err
	}
	runtime.Gosched() // others come in between now and then
	op.Kind, op.Value = engine.AMOSet, old+op.Value
	_, err = h.Heap.Atomic(pe, at, op)
	return old, err
}

// Fence delivers everything: the strongest way to order it before what follows.
func (h *Heap) Fence() {
	if h.Break != NoFence {
		h.mu.Lock()
		defer h.mu.Unlock()
		if err := h.deliver(len(h.queue)); err != nil {
			panic(err) // the heaps below cannot fail to copy
		}
	}
}

// Quiet delivers everything.
func (h *Heap) Quiet(context.Context) error {
	if h.Break == NoQuiet {
		return nil
	}
	return h.Flush()
}

// Wait delivers everything first: a put arrives some day even without a fence,
// and the awaited PE may be waiting for it.
func (h *Heap) Wait(ctx context.Context, call engine.Call, ready func() bool) error {
	if err := h.Flush(); err != nil {
		return err
	}
	return h.Heap.Wait(ctx, call, ready)
}

// Spin is 0, so that every wait comes to Wait.
func (h *Heap) Spin() int { return 0 }

// Gate wraps the team's meeting point.
func (h *Heap) Gate(slot int, members []int, generation uint64) engine.Gate {
	return &gate{h.Heap.Gate(slot, members, generation), h, 0}
}

// gate delivers what is queued only after the members have met: a sync completes
// no puts.
type gate struct {
	engine.Gate
	h    *Heap
	seen int
}

func (g *gate) Meet(ctx context.Context, call engine.Call) error {
	g.seen++
	if g.h.Break == NoBarrierWait && g.seen > 1 && call.Kind == engine.KindBarrier {
		return nil
	}
	if err := g.Gate.Meet(ctx, call); err != nil {
		return err
	}
	return g.settle()
}

func (g *gate) Gather(ctx context.Context, call engine.Call, mine engine.Words, all []engine.Words) error {
	if err := g.Gate.Gather(ctx, call, mine, all); err != nil {
		return err
	}
	return g.settle()
}

func (g *gate) settle() error {
	if g.h.Break == NoQuiet {
		return nil
	}
	return g.h.Flush()
}
