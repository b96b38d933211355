package ipc

import (
	"context"
	"fmt"
	"sync"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// group is the members of a team, whose numbers in the world are first, first+stride and
// so on. To make one needs no word with the others: what counts its meetings belongs to
// pairs of PEs, and goes on from team to team.
//
// Barriers of two by values are in the order in which they happen: who queues them on
// several streams has these wait for each other.
type group struct {
	p                       *plane
	slot                    int
	first, stride, size, me int

	mu    sync.Mutex
	call  *call[job]    // nil until there is one
	event device.Handle // after the last kernel; 0: there was none
	last  device.Handle // the stream that it was in
}

var _ engine.Group = (*group)(nil)

// World is all PEs.
func (p *plane) World() engine.Group { return p.world }

// NewGroup makes a group of a part of parent's members. Local.
func (p *plane) NewGroup(_ context.Context, parent engine.Group, slot, start, stride, size int) (engine.Group, error) {
	of, ok := parent.(*group)
	switch {
	case !ok || of.p != p:
		return nil, fmt.Errorf("engine ipc: the parent of a group is not one of this PE's")
	case slot <= 0 || slot >= maxTeams:
		return nil, fmt.Errorf("engine ipc: there is no team slot %d", slot)
	case size < 1 || start < 0 || start+(size-1)*stride < 0 || max(start, start+(size-1)*stride) >= of.size:
		return nil, fmt.Errorf("engine ipc: no %d members from %d at a stride of %d are in a team of %d", size, start, stride, of.size)
	}
	g := &group{p: p, slot: slot, first: of.first + start*of.stride, stride: of.stride * stride, size: size, me: -1}
	for i := range size {
		if g.pe(i) == p.rank {
			g.me = i
		}
	}
	if g.me < 0 {
		return nil, nil
	}
	return g, nil
}

// pe is the number of a member in the world.
func (g *group) pe(i int) int { return g.first + i*g.stride }

// Close gives back what keeps the kernels in order.
func (g *group) Close(context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.event == 0 {
		return nil
	}
	err := g.p.driver.DestroyEvent(g.p.dev, g.event)
	g.event = 0
	return err
}

// SyncOn is BarrierOn: what a stream has put is there before it goes on.
func (g *group) SyncOn(s device.Handle) error { return g.BarrierOn(s) }

// BarrierOn has later work wait until all members' streams have come here.
func (g *group) BarrierOn(s device.Handle) error {
	if err := g.p.usable(); err != nil || g.size == 1 {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.size > valuesUpTo && g.p.bare == nil || !g.p.values {
		return g.meetInKernel(s)
	}
	return g.meetOnWords(s)
}

// meetInKernel is a barrier of kernels.
func (g *group) meetInKernel(s device.Handle) error {
	if g.p.bare != nil {
		return g.p.kernelless("a barrier on a stream")
	}
	g.kernel().arg.chunk = 0
	return g.launch(g.p.code.meet, 1, threadsFor(0), s)
}

// meetOnWords is a barrier over the words of the slot. What a graph replays cannot write
// another number each time, so there a kernel does. From then on it always does in this
// slot: it finds the number in the words, and nobody else knows it any more.
func (g *group) meetOnWords(s device.Handle) error {
	p := g.p
	replayed := &p.replayed[g.slot]
	captured, err := p.capturing(s)
	switch {
	case err != nil:
		return err
	case !captured && !replayed.Load():
		return g.meetByValues(s)
	case p.bare != nil:
		return p.kernelless("a barrier in a captured stream")
	}
	replayed.Store(true)
	return g.launch(p.code.barrier, 1, threadsFor(0), s)
}

// meetByValues writes to all others the number of the meeting, and waits for theirs. The
// watch is told before: the stream may be full and have this wait.
func (g *group) meetByValues(s device.Handle) error {
	p := g.p
	for i := range g.size {
		if i == g.me {
			continue
		}
		pe := g.pe(i)
		n := p.come[g.slot*p.n+pe].Add(1)
		if err := p.driver.WriteValue(p.dev, s, p.at(pe, p.flag(g.slot, p.rank)), n); err != nil {
			return g.lost(err)
		}
	}
	p.watch.wake()
	for i := range g.size {
		if i == g.me {
			continue
		}
		pe := g.pe(i)
		n := p.come[g.slot*p.n+pe].Load()
		if err := p.driver.WaitValue(p.dev, s, p.at(p.rank, p.flag(g.slot, pe)), n, device.CompareGE); err != nil {
			return g.lost(err)
		}
	}
	return nil
}

// lost ends the world: this PE has come to a part of a meeting, and would count others
// than the rest from now on.
func (g *group) lost(err error) error {
	err = fmt.Errorf("PE %d cannot meet the other %d members of its team on a stream: %w", g.p.rank, g.size-1, err)
	g.p.give(err)
	return err
}
