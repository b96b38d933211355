package host

import (
	"context"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
)

// TestLooks asks a gate what would not wait, before it is so and afterwards.
func TestLooks(t *testing.T) {
	onBoth(t, []int{2, flatMax + 1}, func(t *testing.T, heaps []*Heap) {
		ctx, call := context.Background(), engine.Call{Kind: engine.KindBroadcast, Seq: 1}
		list := gates(heaps, 0)
		open := func(g *gate) {
			if err := g.Open(ctx, call); err != nil {
				t.Fatal(err)
			}
			g.Arrive(call)
		}
		first := list[0]
		open(first)
		if first.Here(1) || first.Here(engine.All) {
			t.Error("somebody is here who has not come")
		}
		if heaps[0].Soon(func() bool { return first.Here(engine.All) }) {
			t.Error("what does not come is soon here")
		}
		ahead := 1 // meetings that the first may be ahead
		for ; first.Free(true); ahead++ {
			first.Leave(call)
			open(first)
		}
		if want := int(min(first.ahead(), stages-1)); ahead != want {
			t.Errorf("free for %d meetings, want %d", ahead, want)
		}
		if first.flat() != first.Free(false) {
			t.Errorf("with stages used up, what needs none is free: %v", first.Free(false))
		}
		for _, g := range list[1:] {
			for range ahead {
				open(g)
				if !g.flat() {
					break
				}
				g.Leave(call)
			}
		}
		if !first.Free(true) || !first.Here(engine.All) || !first.Here(1) {
			t.Error("all have come, and are not here")
		}
	})
}
