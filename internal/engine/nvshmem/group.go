package nvshmem

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/internal/abi/nvshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
)

// group is a team of the library. Where PEs share a GPU only the world is one; all others
// refuse what they are asked for.
type group struct {
	m    *memory
	team int32
	slot int
	self int // own number in it
	size int
}

// NewGroup makes a team of members of another one.
func (m *memory) NewGroup(ctx context.Context, parent engine.Group, slot, start, stride, size int) (engine.Group, error) {
	from, ok := parent.(*group)
	if !ok || from == nil || from.m != m || size < 1 || uint(slot) >= maxTeams {
		return nil, fmt.Errorf("nvshmem: %w: a team of %d members in slot %d of a parent of another world", device.ErrArgument, size, slot)
	}
	if last := start + (size-1)*stride; size > 1 && stride < 1 || start < 0 || last >= from.size {
		return nil, fmt.Errorf("nvshmem: %w: %d members from %d, %d apart, of a team of %d", device.ErrArgument, size, start, stride, from.size)
	}
	g := &group{m: m, slot: slot, size: size}
	in := g.place(from.self-start, stride)
	if !m.limited {
		if err := g.split(ctx, from, start, stride, in); err != nil {
			return nil, err
		}
	}
	if !in {
		return nil, nil
	}
	return g, nil
}

// place finds the own number, if this PE is a member; away is how far it is from the
// first one in the parent.
func (g *group) place(away, stride int) bool {
	if g.size == 1 {
		return away == 0
	}
	g.self = away / stride
	return away >= 0 && away%stride == 0 && g.self < g.size
}

// split has the library make the team.
func (g *group) split(ctx context.Context, from *group, start, stride int, in bool) error {
	lib, mem := g.m.lib, dl.Borrow()
	out := dl.Out[int32](mem)
	*out = invalid
	word, err := lib.watched(ctx, g.m.Control, engine.Call{Kind: engine.KindSplit}, &lib.split,
		uintptr(from.team), uintptr(start), uintptr(max(stride, 1)), uintptr(g.size), 0, 0, dl.Addr(out))
	g.team = *out
	if lib.Poisoned() == nil {
		mem.Return()
	}
	if err := failed(&lib.split, word, err); err != nil {
		return err
	}
	if in != (g.team != invalid) {
		return fmt.Errorf("nvshmem: %s has made the team %d, of which this PE is a member: %v", lib.split.name, g.team, in)
	}
	return nil
}

// invalid is the team of whoever is not a member, and that of a call that has failed.
const invalid = -1

// Close ends the team.
func (g *group) Close(ctx context.Context) error {
	if g.m.limited || g.team == nvshmem.NVSHMEM_TEAM_WORLD {
		return nil
	}
	lib := g.m.lib
	_, err := lib.watched(ctx, g.m.Control, engine.Call{Kind: engine.KindDestroy}, &lib.destroy, uintptr(g.team))
	return err
}

// world says whether the library has functions for these members by themselves.
func (g *group) world() bool { return g == g.m.world }

// BarrierOn queues a barrier.
func (g *group) BarrierOn(s device.Handle) error {
	if g.world() {
		return g.m.meet(&g.m.lib.barrierAllOn, engine.KindBarrier, s)
	}
	return g.on(&g.m.lib.barrierOn, "a barrier of a team", s)
}

// SyncOn queues a barrier that completes no puts.
func (g *group) SyncOn(s device.Handle) error {
	if g.world() && g.m.lib.syncAllOn.at != 0 {
		return g.m.meet(&g.m.lib.syncAllOn, engine.KindSync, s)
	}
	return g.on(&g.m.lib.syncOn, "a sync of a team", s)
}

// on calls a function of the team with arguments and a stream.
func (g *group) on(f *function, what string, s device.Handle, args ...uintptr) error {
	if err := g.m.able(what); err != nil {
		return err
	}
	var words [maxArgs]uintptr
	words[0] = uintptr(g.team)
	n := 1 + copy(words[1:], args)
	words[n] = uintptr(s)
	word, err := g.m.lib.call(f, words[:n+1]...)
	return failed(f, word, err)
}
