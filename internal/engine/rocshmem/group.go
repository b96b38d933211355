package rocshmem

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// group is a team of the library. The world is one with slot 0.
type group struct {
	m          *memory
	team       rocshmem.Team
	slot       int
	self, size int // in the group's numbering
	start      int // of its members in the world
	stride     int

	mu    sync.Mutex
	event device.Handle // after what was queued last; 0: nothing was
	last  device.Handle // the stream that it was queued on
}

// ordered queues what all members do. The library has one set of words for a team, so that
// what goes on another stream than the one before waits for that. What is captured orders
// nothing: that is up to whoever launches it.
func (g *group) ordered(s device.Handle, queue func() error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.m
	if captured, err := m.GPU.Capturing(m.Dev, s); err != nil || captured {
		return errors.Join(err, queue())
	}
	if g.event != 0 && g.last != s {
		if err := m.GPU.StreamWait(m.Dev, s, g.event); err != nil {
			return err
		}
	}
	if err := queue(); err != nil {
		return err
	}
	if g.event == 0 {
		var err error
		if g.event, err = m.GPU.NewEvent(m.Dev, false); err != nil {
			return err
		}
	}
	g.last = s
	return m.GPU.Record(m.Dev, g.event, s)
}

// drop gives the event back.
func (g *group) drop() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.event == 0 {
		return nil
	}
	e := g.event
	g.event = 0
	return g.m.GPU.DestroyEvent(g.m.Dev, e)
}

// NewGroup has the library make a team of a part of parent.
func (m *memory) NewGroup(ctx context.Context, parent engine.Group, slot, start, stride, size int) (engine.Group, error) {
	p, ok := parent.(*group)
	if !ok || slot < 1 || slot >= maxTeams || size < 1 || start < 0 || stride < 1 || start+(size-1)*stride >= p.size {
		return nil, fmt.Errorf("rocshmem: %w: a team of %d from %d by %d of another, in slot %d", device.ErrArgument, size, start, stride, slot)
	}
	var team rocshmem.Team
	call := engine.Call{Kind: engine.KindSplit, Slot: uint8(p.slot)}
	err := m.lib.watched(ctx, m.Control, call, "making a team", func(l *rocshmem.Library) {
		team = rocshmem.Team(l.TeamSplit(p.team, int32(start), int32(stride), int32(size)))
	})
	if err != nil {
		return nil, err
	}
	mine := p.self - start
	if mine < 0 || mine%stride != 0 || mine/stride >= size {
		return nil, nil // not in it
	}
	if team == 0 {
		return nil, refused("rocSHMEM makes no more teams: set ROCSHMEM_MAX_NUM_TEAMS above 66, or do not set it")
	}
	g := &group{m: m, team: team, slot: slot, self: mine / stride, size: size, stride: stride * max(p.stride, 1)}
	g.start = p.start + start*max(p.stride, 1)
	return g, g.check()
}

// check holds the library's team to what was asked for.
func (g *group) check() error {
	var self, size int32
	err := g.m.lib.do(func(l *rocshmem.Library) { self, size = l.TeamMyPe(g.team), l.TeamNPes(g.team) })
	if err == nil && (int(self) != g.self || int(size) != g.size) {
		err = fmt.Errorf("rocshmem: the library takes this PE for %d of %d in a team, and it is %d of %d", self, size, g.self, g.size)
	}
	return err
}

// member is the number in the world of a member.
func (g *group) member(i int) int { return g.start + i*max(g.stride, 1) }

// BarrierOn has the library meet on the stream.
func (g *group) BarrierOn(s device.Handle) error {
	return g.ordered(s, func() error { return g.barrier(s) })
}

func (g *group) barrier(s device.Handle) error {
	return g.m.lib.do(func(l *rocshmem.Library) {
		if g.slot == 0 {
			l.BarrierAllOnStream(rocshmem.Stream(s))
		} else {
			l.BarrierOnStream(g.team, rocshmem.Stream(s))
		}
	})
}

// SyncOn is BarrierOn for stores.
func (g *group) SyncOn(s device.Handle) error {
	return g.ordered(s, func() error { return g.sync(s) })
}

func (g *group) sync(s device.Handle) error {
	return g.m.lib.do(func(l *rocshmem.Library) {
		if g.slot == 0 {
			l.SyncAllOnStream(rocshmem.Stream(s))
		} else {
			l.TeamSyncOnStream(g.team, rocshmem.Stream(s))
		}
	})
}

// Close gives the team back.
func (g *group) Close(ctx context.Context) error {
	if g.slot == 0 || g.m.lib.Poisoned() != nil || g.m.Control.Broken() != nil {
		return nil
	}
	call := engine.Call{Kind: engine.KindDestroy, Slot: uint8(g.slot)}
	err := g.m.lib.watched(ctx, g.m.Control, call, "giving a team back", func(l *rocshmem.Library) { l.TeamDestroy(g.team) })
	return errors.Join(err, g.drop())
}
