package host

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// The parts of a meeting, for collectives in which not everybody waits for everybody.
// A member that does not wait is a few meetings ahead of the others at most: records and
// stages take turns, and the oldest must have been read.

// Open enters the next meeting.
func (g *gate) Open(ctx context.Context, call engine.Call) error {
	if err := g.usable(call); err != nil {
		return err
	}
	g.gen++
	g.inside = true
	g.h.enter(call)
	g.calls[g.gen%depth] = call
	err := g.enterable(ctx, call)
	if err != nil {
		g.giveUp(err)
	}
	return err
}

// enterable waits for who is too far behind, and fails if somebody has given up: its
// program may have changed already what this PE has just read of it.
func (g *gate) enterable(ctx context.Context, call engine.Call) error {
	if g.gen-g.seen > g.ahead() {
		if err := g.catchUp(ctx, call, depth/2); err != nil {
			return err
		}
	}
	if g.lost() {
		g.due = g.gen
		return g.mismatch(ctx, call, g.blame(g.gen<<8|uint64(call.Kind)))
	}
	return nil
}

// ahead is how many meetings there may be since the last one that all are known to have
// come to, this one included. Members that are counted are counted in one meeting at a
// time.
func (g *gate) ahead() uint64 {
	if g.flat() {
		return depth - 1
	}
	return 1
}

// catchUp waits until all others have come to a meeting that leaves enough behind, after
// several in which this PE did not wait for them. It looks how far they are only then:
// their records come out of their caches. One that never comes again does not go unnoticed.
func (g *gate) catchUp(ctx context.Context, call engine.Call, behind uint64) error {
	if !g.flat() {
		last := g.calls[(g.gen-1)%depth]
		return g.awaitOpen(ctx, last, (g.gen-1)<<8|uint64(last.Kind))
	}
	g.due = g.gen - behind
	want := g.slots[g.self].at(g.due).arrived.Load()
	for _, s := range g.slots {
		if err := g.waitFor(ctx, call, &s.at(g.due).arrived); err != nil {
			return err
		}
	}
	if g.lost() {
		return g.mismatch(ctx, call, g.blame(want))
	}
	return g.review(ctx, g.due)
}

// Free says whether the next Open will not wait for members that are far behind, nor, if
// staged is set, OwnStage after it.
func (g *gate) Free(staged bool) bool {
	next, most := g.gen+1, g.ahead()
	if staged {
		most = min(most, stages-1)
	}
	switch {
	case next-g.seen <= most:
		return true
	case !g.flat():
		return g.slots[0].opened.Load()>>8 >= g.gen
	}
	due := next - (most+1)/2
	for _, s := range g.slots {
		if s.at(due).arrived.Load()>>8 < due {
			return g.lost()
		}
	}
	return true
}

// Slip returns that of a member in this meeting.
func (g *gate) Slip(i int) *engine.Slip { return &g.slots[i].at(g.gen).slip }

// Stage returns the stage of a member in this meeting. What is on that of a member of
// another node has come with its arrival. Meetings on streams have none.
func (g *gate) Stage(i int) unsafe.Pointer {
	pe := g.members[i]
	if g.slot >= MaxTeams || g.h.Base(pe) == nil && !g.h.far.is(pe) {
		return nil
	}
	return unsafe.Pointer(&g.h.ctl[pe].stage[g.slot][g.gen%stages])
}

// OwnStage returns that of this PE when nobody can still read what was in it.
func (g *gate) OwnStage(ctx context.Context, call engine.Call, n uintptr) (unsafe.Pointer, error) {
	if g.flat() && g.gen-g.seen >= stages {
		if err := g.catchUp(ctx, call, stages/2); err != nil {
			g.giveUp(err)
			return nil, err
		}
	}
	if g.away != nil {
		g.slots[g.self].staged[g.gen%stages].Store(g.gen<<16 | uint64(n))
	}
	return unsafe.Pointer(&g.h.own.stage[g.slot][g.gen%stages]), nil
}

// Room returns this team's part of what lies behind the heaps.
func (g *gate) Room() (at engine.Offset, n uintptr) {
	return g.h.size + uintptr(g.slot)*g.h.room, g.h.room
}

// Arrive tells the others that this PE is here. Among processes the store is an ordinary
// one where the machine allows: one with an order of its own would wait for the cache line,
// which who waits for this PE takes away again and again. But who is just falling asleep
// may miss it, and then looks again after meetTick. Processes sleep only after a long wait,
// goroutines often.
func (g *gate) Arrive(call engine.Call) {
	want := g.gen<<8 | uint64(call.Kind)
	own := g.slots[g.self]
	if word := &own.at(g.gen).arrived; g.h.peers != nil {
		mem.Store(unsafe.Pointer(word), want)
	} else {
		word.Store(want)
	}
	mem.PrefetchWrite(unsafe.Pointer(own.at(g.gen + 2))) // others hold it since they have read what it was
	if !g.flat() {
		if !g.count(&g.slots[0].tally, len(g.members)) {
			return
		}
		g.open(want)
	}
	g.ring()
	g.announce(call)
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
		return g.awaitOpen(ctx, call, want)
	case i == engine.All:
		return g.awaitAll(ctx, call, want)
	}
	err := g.awaitOne(ctx, call, i, want)
	mem.Prefetch(unsafe.Pointer(g.slots[i].at(g.gen + 1))) // it may be ahead
	return err
}

// Until waits inside a meeting.
func (g *gate) Until(ctx context.Context, call engine.Call, ready func() bool) error {
	for n, pause := g.h.policy.spin(); n > 0; n-- {
		if ready() {
			return nil
		}
		if pause {
			mem.Pause()
		}
	}
	err := g.until(ctx, call, ready)
	if err != nil {
		g.giveUp(err)
	}
	return err
}

func (g *gate) until(ctx context.Context, call engine.Call, ready func() bool) error {
	over := func() bool { return ready() || g.lost() }
	if !g.h.awake(over) {
		if s := g.h.await(ctx, call, dataTick, g.members, over); s != nil {
			return s
		}
	}
	if ready() {
		return nil
	}
	g.due = g.gen
	return g.mismatch(ctx, call, g.blame(g.gen<<8|uint64(call.Kind)))
}

// Leave ends the meeting for this PE.
func (g *gate) Leave(call engine.Call) {
	g.inside = false
	g.h.leave(call)
}

// Refuse ends the gate for everybody: in the meeting that this PE is in, or in the
// next one. Those who are still in an earlier one find that it was there.
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
