package shmem

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// hostGroup has the members of a team meet on streams that call Go functions: at a gate
// apart from that of blocking calls, in the order in which a PE has called, whatever
// streams it has used. A graph takes its turns when it comes.
type hostGroup struct {
	on   *hostStreams
	team *Team // the members, as they meet on streams

	calling sync.Mutex
	called  uint64        // calls that were queued
	done    atomic.Uint64 // those that are over
	taken   atomic.Bool   // a call has its turn
	open    atomic.Int64  // what is queued and not done, graphs aside
}

var _ engine.Group = (*hostGroup)(nil)

// newHostGroup returns where the members of t meet on streams. Nothing may have been
// started on a team before it, so that each call knows the line that asked for it.
func newHostGroup(on *hostStreams, t *Team) *hostGroup {
	g := &hostGroup{on: on}
	g.team = t.w.newTeam(t.slot+engine.OnStreams, t.members, t.meetings.first, t.config)
	nothing := &Handle{done: make(chan struct{})}
	close(nothing.done)
	g.team.last.Store(nothing)
	return g
}

// do queues f, which has the team for itself.
func (g *hostGroup) do(s device.Handle, kind engine.Kind, f func(ctx context.Context, site string) error) error {
	g.calling.Lock()
	defer g.calling.Unlock()
	mine, site := g.called, g.on.w.sites.Here()
	ctx := context.WithValue(context.Background(), startedKey{}, started{g.team, site})
	queued, err := g.on.queue(s, &g.open, func(t device.Turn) error {
		if err := g.take(mine, t); err != nil {
			return located(fail(g.on.w, onStream(kind), noPeer, err), site)
		}
		defer g.pass(t)
		if t.Fault != nil {
			return g.team.stayAway(ctx, kind, t.Fault)
		}
		return located(rename(f(ctx, site), onStream(kind)), site)
	})
	if queued {
		g.called++
	}
	return err
}

// take waits for the turn of a call.
func (g *hostGroup) take(mine uint64, t device.Turn) error {
	taken := false // who waits may ask again
	return g.on.await(context.Background(), func() bool {
		taken = taken || (t.Again || g.done.Load() == mine) && g.taken.CompareAndSwap(false, true)
		return taken
	})
}

// pass ends a turn.
func (g *hostGroup) pass(t device.Turn) {
	if !t.Again {
		g.done.Add(1)
	}
	g.taken.Store(false)
	g.on.w.heap.Ring(g.on.w.rank)
}

// refuse tells the others on their streams that this PE does not come: behind what it has
// queued, or at once if its stream is no good.
func (g *hostGroup) refuse(s *gpu.Stream, kind engine.Kind, why error) {
	_, h, err := g.on.w.on(s)
	if err == nil {
		err = g.do(h, kind, func(ctx context.Context, _ string) error {
			_ = g.team.stayAway(ctx, kind, why)
			return nil
		})
	}
	if err != nil {
		_ = g.team.stayAway(context.Background(), kind, why)
	}
}

// finish waits until what was queued is over.
func (g *hostGroup) finish(ctx context.Context) error { return g.on.finish(ctx, &g.open) }

// BarrierOn queues a barrier. Collective; it does not wait.
func (g *hostGroup) BarrierOn(s device.Handle) error {
	return g.do(s, engine.KindBarrier, func(ctx context.Context, site string) error {
		if err := g.on.lane.Quiet(ctx); err != nil {
			return fail(g.on.w, "", noPeer, g.team.stayAway(ctx, engine.KindBarrier, err))
		}
		return g.team.meet(ctx, engine.KindBarrier, "", site)
	})
}

// SyncOn queues a sync. Collective; it does not wait.
func (g *hostGroup) SyncOn(s device.Handle) error {
	return g.do(s, engine.KindSync, func(ctx context.Context, site string) error {
		return g.team.meet(ctx, engine.KindSync, "", site)
	})
}

// CollectiveOn queues a collective. It does not wait.
func (g *hostGroup) CollectiveOn(s device.Handle, c *engine.Collective) error {
	asked := *c
	return g.do(s, asked.Kind, func(ctx context.Context, _ string) error { return g.run(ctx, asked) })
}

// run does a collective as the blocking one. A byte is an element, unless it reduces.
func (g *hostGroup) run(ctx context.Context, c engine.Collective) error {
	n := int(c.Bytes)
	array := func(at engine.Offset, n int) Array[byte] { return Array[byte]{g.on.whole, at, n} }
	switch all := n * len(g.team.members); c.Kind {
	case engine.KindBroadcast:
		return Broadcast(ctx, g.team, array(c.Dst, n), array(c.Src, n), c.Root)
	case engine.KindFCollect:
		return FCollect(ctx, g.team, array(c.Dst, all), array(c.Src, n))
	case engine.KindAllToAll:
		return AllToAll(ctx, g.team, array(c.Dst, all), array(c.Src, all))
	}
	return g.reduce(ctx, c)
}

// reduce does a reduction.
func (g *hostGroup) reduce(ctx context.Context, asked engine.Collective) error {
	f := form{size: asked.Elem.Size(), root: noRoot, n: int(asked.Bytes / asked.Elem.Size()), reduces: true, elem: asked.Elem, op: asked.Op}
	part := f.n
	switch asked.Kind {
	case engine.KindReduce:
		f.root = asked.Root
	case engine.KindReduceScatter:
		f.n *= len(g.team.members)
	}
	c, err := g.team.begin(ctx, asked.Kind, f, nil)
	if err != nil {
		return err
	}
	switch asked.Kind {
	case engine.KindReduce:
		err = c.reduceTo(f.root, asked.Dst, asked.Src, f.n)
	case engine.KindReduceScatter:
		err = c.reduceScatter(asked.Dst, asked.Src, part, f.n)
	default:
		err = c.allReduce(asked.Dst, asked.Src, f.n)
	}
	return c.end(err)
}

// Close has nothing to do: the gate ends with the team. Local.
func (g *hostGroup) Close(context.Context) error { return nil }
