// Package weak makes an engine as weak as the memory model of package shmem
// allows: puts and atomics whose old value nobody wants lie in a queue and arrive
// late, each on its own and in an order of its own, and non-blocking gets read
// late. Fences hold for each target, quiets for everything of their lane; meetings
// deliver nothing. Programs that rely on more than the model fail over it.
//
// What becomes of an operation is drawn when it is issued, from the seed, the PE,
// the lane and the number of the operation there: so a PE that does the same again
// is treated the same again. Time decides only for PEs that issue nothing more:
// they may wait for somebody who needs what they have put.
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
	engine.Lane // own, which as an embedded pointer would confuse the race detector, see package network
	own         *lane
	seed        uint64
	skew        skew
	// Apart says that the PEs are processes, who see only what lasts.
	Apart bool
	// Break weakens one promise more than the model allows, to prove that the
	// suite notices.
	Break Fault

	mu    sync.Mutex // guards lanes
	lanes uint64     // so far
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
	NoLaneQuiet         // Quiet completes only what went through the default lane
	NoBarrierWait       // every meeting but the first ends at once
	SignalFirst         // the signal of a put overtakes its data
	LateSource          // a blocking put still reads its source after it has returned
	TornAdd             // an atomic add is a load and a store
	NoAwait             // members of a collective do not wait for each other
	OldSlip             // what a member came with is what it came with before
)

// Wrap puts a weak heap in front of h. All PEs of a world have the same seed; equal
// seeds treat equal operations alike.
func Wrap(h engine.Heap, seed uint64) *Heap {
	w := &Heap{below: below{h}, seed: seed}
	w.own = w.newLane()
	w.Lane = w.own
	w.skew.draw(seed, h.Rank())
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

// Wait stumbles first, since who is late finds what others have done too early, and
// delivers a part of what the awaited PE may wait for. The rest is left to the clock.
func (h *Heap) Wait(ctx context.Context, call engine.Call, ready func() bool) error {
	h.skew.stumble()
	h.own.queue.some()
	return h.Heap.Wait(ctx, call, ready)
}

// Spin is 0, so that every wait comes to Wait.
func (h *Heap) Spin() (looks int, pause bool) { return 0, false }
