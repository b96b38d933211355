package faulty

import (
	"context"
	"strings"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/fault"
)

// opOf is what the text of a fault calls a call.
func opOf(k engine.Kind) fault.Op { return fault.Op(strings.ReplaceAll(k.String(), " ", "")) }

// Gate wraps the team's meeting point.
func (h *Heap) Gate(slot int, members []int, generation uint64) engine.Gate {
	return &gate{Gate: h.Heap.Gate(slot, members, generation), h: h, members: members}
}

// gate counts the calls of a team, each once however often its members meet for it.
type gate struct {
	engine.Gate
	h       *Heap
	members []int
	kind    engine.Kind // of the call that was counted last
	seq     uint64
}

// enter counts a call when it comes to its first meeting. If it fails the others learn
// of that at once.
func (g *gate) enter(call engine.Call) error {
	if call.Kind == g.kind && call.Seq == g.seq {
		g.h.live()
		return nil
	}
	g.kind, g.seq = call.Kind, call.Seq
	if err := g.h.reach(opOf(call.Kind)); err != nil {
		g.Gate.Refuse(call, err)
		return err
	}
	g.h.slow(g.members...)
	return nil
}

// Meet counts a call.
func (g *gate) Meet(ctx context.Context, call engine.Call) error {
	if err := g.enter(call); err != nil {
		return err
	}
	defer g.h.live()
	return g.Gate.Meet(ctx, call)
}

// Gather counts a call.
func (g *gate) Gather(ctx context.Context, call engine.Call, mine engine.Words, all []engine.Words) error {
	if err := g.enter(call); err != nil {
		return err
	}
	defer g.h.live()
	return g.Gate.Gather(ctx, call, mine, all)
}

// Open counts a call.
func (g *gate) Open(ctx context.Context, call engine.Call) error {
	if err := g.enter(call); err != nil {
		return err
	}
	defer g.h.live()
	return g.Gate.Open(ctx, call)
}

// Until ends a PE that dies in the middle of a call.
func (g *gate) Until(ctx context.Context, call engine.Call, ready func() bool) error {
	defer g.h.live()
	return g.Gate.Until(ctx, call, ready)
}

// Await ends a PE that dies in the middle of a call.
func (g *gate) Await(ctx context.Context, call engine.Call, i int) error {
	defer g.h.live()
	return g.Gate.Await(ctx, call, i)
}
