// Package weak makes an engine as weak as the memory model of package shmem
// allows: puts lie in a queue and arrive late, in random order, and non-blocking
// gets read late. Programs that rely on more than the model fail over it, which
// is how the suite finds out whether fence, quiet and barrier do their part. Tests
// put it in front of goroutine PEs.
package weak

import (
	"context"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// Heap is an engine.Heap whose peers are not reachable by load and store, and
// whose deliveries are late.
type Heap struct {
	below
	*lane // the default one
	seed  uint64
	// Break weakens one promise more than the model allows, to prove that the
	// suite notices.
	Break Fault

	mu    sync.Mutex // guards lanes
	lanes []*lane    // all of them
}

// below is the heap that does the work. It is wrapped so that the methods of the
// lane come before its own.
type below struct{ engine.Heap }

// Fault is a promise that a Heap can be told to break.
type Fault int

// The faults. The suite must fail over each of them.
const (
	Sound         Fault = iota
	NoFence             // Fence orders nothing
	NoQuiet             // Quiet completes nothing
	LateMeetings        // no fault: a meeting delivers nothing, so that only quiets complete
	NoLaneQuiet         // Quiet completes only what went through the default lane
	NoBarrierWait       // every meeting but the first ends at once
	SignalFirst         // the signal of a put overtakes its data
	LateSource          // a blocking put still reads its source after it has returned
	TornAdd             // an atomic add is a load and a store
	NoAwait             // members of a collective do not wait for each other
	OldSlip             // what a member came with is what it came with before
)

// Wrap puts a weak heap in front of h. Equal seeds deliver in equal order.
func Wrap(h engine.Heap, seed uint64) *Heap {
	w := &Heap{below: below{h}, seed: seed}
	w.lane = w.newLane()
	return w
}

// Base is nil for all PEs but this one.
func (h *Heap) Base(pe int) unsafe.Pointer {
	if pe == h.Rank() {
		return h.Heap.Base(pe)
	}
	return nil
}

// NewLane returns a lane with a queue of its own.
func (h *Heap) NewLane() engine.Lane { return h.newLane() }

// Flush delivers everything, of all lanes.
func (h *Heap) Flush() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.lanes {
		if err := l.flush(); err != nil {
			return err
		}
	}
	return nil
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
func (h *Heap) Spin() (looks int, pause bool) { return 0, false }

// Gate wraps the team's meeting point.
func (h *Heap) Gate(slot int, members []int, generation uint64) engine.Gate {
	return &gate{Gate: h.Heap.Gate(slot, members, generation), h: h, members: members, slips: make([]engine.Slip, len(members))}
}

// gate delivers what is queued only after the members have met: a sync completes
// no puts.
type gate struct {
	engine.Gate
	h       *Heap
	members []int
	seen    int
	slips   []engine.Slip // that the members came with last
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

// Stage is nil for all members but this one.
func (g *gate) Stage(i int) unsafe.Pointer {
	if g.members[i] == g.h.Rank() {
		return g.Gate.Stage(i)
	}
	return nil
}

func (g *gate) Await(ctx context.Context, call engine.Call, i int) error {
	if g.h.Break == NoAwait {
		return nil
	}
	if err := g.Gate.Await(ctx, call, i); err != nil {
		return err
	}
	return g.settle()
}

func (g *gate) Slip(i int) *engine.Slip {
	slip := g.Gate.Slip(i)
	if g.h.Break != OldSlip || g.members[i] == g.h.Rank() {
		return slip
	}
	before := g.slips[i]
	if g.slips[i] = *slip; before[0] != slip[0] {
		return slip
	}
	return &before
}

func (g *gate) settle() error {
	if g.h.Break == NoQuiet || g.h.Break == NoLaneQuiet || g.h.Break == LateMeetings {
		return nil
	}
	return g.h.Flush()
}
