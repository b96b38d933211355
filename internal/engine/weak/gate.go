package weak

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// Gate wraps the team's meeting point.
func (h *Heap) Gate(slot int, members []int, generation uint64) engine.Gate {
	return &gate{Gate: h.Heap.Gate(slot, members, generation), h: h, members: members, slips: make([]engine.Slip, len(members))}
}

// gate lets members stumble out of meetings. It delivers nothing: a meeting completes
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
	g.h.skew.stumble()
	err := g.Gate.Meet(ctx, call)
	g.h.skew.stumble()
	return err
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
	err := g.Gate.Await(ctx, call, i)
	g.h.skew.stumble()
	return err
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
