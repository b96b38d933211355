package host

import (
	"context"
	"slices"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// The parts of a meeting, for collectives in which not everybody waits for everybody.
// A member that does not wait is at most one meeting ahead of the others: slips and
// stages have two places, and the older one must have been read.

// Open enters the next meeting.
func (g *gate) Open(ctx context.Context, call engine.Call) error {
	if err := g.usable(); err != nil {
		return err
	}
	g.gen++
	g.inside = true
	g.h.enter(call)
	return g.catchUp(ctx, call)
}

// catchUp waits until all others are in the meeting before this one, after one in
// which this PE did not wait for them. One that never comes again does not go
// unnoticed.
func (g *gate) catchUp(ctx context.Context, call engine.Call) error {
	if g.ahead {
		g.ahead = false
		if err := g.waitBehind(ctx, call); err != nil {
			g.giveUp(err)
			return err
		}
	}
	g.due = g.gen
	return nil
}

func (g *gate) waitBehind(ctx context.Context, call engine.Call) error {
	g.gen--
	err := g.meetBehind(ctx, call)
	g.gen++
	if err == nil && g.lost() {
		return g.mismatch(ctx, call, max(g.quitterBy(g.gen), 0))
	}
	return err
}

// meetBehind is what is left of the last meeting: it may turn out only now that
// somebody was there for something else.
func (g *gate) meetBehind(ctx context.Context, call engine.Call) error {
	g.due = g.gen
	for _, s := range g.slots {
		word := &s.arrived
		if !g.flat() {
			word = &g.slots[0].opened
		}
		if g.settled(word.Load()) {
			continue
		}
		if err := g.waitFor(ctx, call, word); err != nil {
			return err
		}
	}
	want := g.gen<<8 | uint64(g.last.Kind)
	if !g.flat() {
		return g.agreed(ctx, g.last, want)
	}
	if i := g.firstStranger(want); i >= 0 {
		return g.mismatch(ctx, g.last, i)
	}
	return nil
}

// Stage returns the stage of a member in this meeting.
func (g *gate) Stage(i int) unsafe.Pointer {
	if g.h.Base(g.members[i]) == nil {
		return nil
	}
	return unsafe.Pointer(&g.h.ctl[g.members[i]].stage[g.slot][g.gen&1])
}

// Arrive tells the others that this PE is here.
func (g *gate) Arrive(call engine.Call, mine engine.Slip) {
	own, want := g.slots[g.self], g.gen<<8|uint64(call.Kind)
	own.write(g.gen, mine)
	mem.Store(unsafe.Pointer(&own.came[g.gen&1]), want)
	own.arrived.Store(want) // also orders what is staged before it
	g.ahead, g.last = true, call
	if g.flat() {
		g.ring()
	} else if g.count(&g.slots[0].tally) {
		g.open(want)
	}
}

// Await waits for member i, or for all.
func (g *gate) Await(ctx context.Context, call engine.Call, i int) error {
	err := g.awaitArrived(ctx, call, i)
	if err != nil {
		g.giveUp(err)
	}
	return err
}

func (g *gate) awaitArrived(ctx context.Context, call engine.Call, i int) error {
	want := g.gen<<8 | uint64(call.Kind)
	switch {
	case !g.flat():
		g.ahead = false
		if err := g.waitFor(ctx, call, &g.slots[0].opened); err != nil {
			return err
		}
		return g.agreed(ctx, call, want)
	case i == engine.All:
		g.ahead = false
		return g.meetFlat(ctx, call, want)
	}
	s := g.slots[i]
	if s.arrived.Load() == want {
		return nil
	}
	if err := g.waitFor(ctx, call, &s.arrived); err != nil {
		return err
	}
	if g.strange(s, want) {
		return g.mismatch(ctx, call, i)
	}
	if g.lost() { // by somebody else, and the awaited one may never come
		return g.mismatch(ctx, call, max(g.quitterBy(g.gen), 0))
	}
	return nil
}

// quitterBy is the first member that has given up a meeting up to this one, -1 if none
// has.
func (g *gate) quitterBy(generation uint64) int {
	return slices.IndexFunc(g.slots, func(s *slot) bool {
		word := s.arrived.Load()
		return quit(word) && word>>8 <= generation
	})
}

// Slip returns what member i arrived with.
func (g *gate) Slip(i int) engine.Slip { return g.slots[i].read(g.gen) }

// Leave ends the meeting for this PE.
func (g *gate) Leave(call engine.Call) {
	g.inside = false
	g.h.leave(call)
}

// write and read are the slip of a meeting. The store to arrived that follows orders it;
// each store with an order of its own would wait for the line, which who looks at arrived
// takes away again.
func (s *slot) write(generation uint64, slip engine.Slip) {
	for i, w := range slip {
		mem.Store(unsafe.Pointer(&s.slip[generation&1][i]), w)
	}
}

func (s *slot) read(generation uint64) (slip engine.Slip) {
	for i := range slip {
		slip[i] = s.slip[generation&1][i].Load()
	}
	return slip
}

// Refuse ends the gate for everybody: in the meeting that this PE is in, or in the
// next one. Those who are still in the one before it find that it was there.
func (g *gate) Refuse(call engine.Call, reason error) {
	if g.err != nil {
		return
	}
	if !g.inside {
		g.gen++
		g.h.enter(call)
	}
	g.giveUp(reason)
}
