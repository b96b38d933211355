package ipc

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// TestAtomics: every operation, width and kind of number gives the old value back and
// leaves the new one, in the memory of this PE and of another, and beside it nothing.
func TestAtomics(t *testing.T) {
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	on(t, []int{2}, func(t *testing.T, pes []*pe) {
		for i, c := range []struct {
			op         engine.AMO
			start, end uint64
		}{
			{engine.AMO{Kind: engine.AMOFetch, Width: 8}, 1<<63 + 5, 1<<63 + 5},
			{engine.AMO{Kind: engine.AMOSet, Width: 8, Value: 7}, 1 << 62, 7},
			{engine.AMO{Kind: engine.AMOSwap, Width: 8, Value: 1 << 61}, 9, 1 << 61},
			{engine.AMO{Kind: engine.AMOCompareSwap, Width: 8, Value: 4, Cond: 1 << 60}, 1 << 60, 4},
			{engine.AMO{Kind: engine.AMOCompareSwap, Width: 8, Value: 4, Cond: 3}, 1 << 60, 1 << 60},
			{engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: math.MaxUint64}, 0, math.MaxUint64},
			{engine.AMO{Kind: engine.AMOAdd, Width: 8, Float: true, Value: math.Float64bits(-0.5)}, math.Float64bits(2), math.Float64bits(1.5)},
			{engine.AMO{Kind: engine.AMOAnd, Width: 8, Value: 0xf0f0 << 40}, 0xffff << 40, 0xf0f0 << 40},
			{engine.AMO{Kind: engine.AMOOr, Width: 8, Value: 1 << 63}, 1, 1<<63 + 1},
			{engine.AMO{Kind: engine.AMOXor, Width: 8, Value: math.MaxUint64}, 1 << 63, 1<<63 - 1},
			{engine.AMO{Kind: engine.AMOFetch, Width: 4}, 1<<31 + 5, 1<<31 + 5},
			{engine.AMO{Kind: engine.AMOSet, Width: 4, Value: 7}, 1 << 30, 7},
			{engine.AMO{Kind: engine.AMOSwap, Width: 4, Value: 1 << 31}, 9, 1 << 31},
			{engine.AMO{Kind: engine.AMOCompareSwap, Width: 4, Value: 4, Cond: 1 << 30}, 1 << 30, 4},
			{engine.AMO{Kind: engine.AMOCompareSwap, Width: 4, Value: 4, Cond: 3}, 1 << 30, 1 << 30},
			{engine.AMO{Kind: engine.AMOAdd, Width: 4, Value: 3}, math.MaxUint32, 2},
			{engine.AMO{Kind: engine.AMOAdd, Width: 4, Float: true, Value: f32(1.5)}, f32(-1), f32(0.5)},
			{engine.AMO{Kind: engine.AMOAnd, Width: 4, Value: 0xf0f0}, 0xffff, 0xf0f0},
			{engine.AMO{Kind: engine.AMOOr, Width: 4, Value: 1 << 31}, 1, 1<<31 + 1},
			{engine.AMO{Kind: engine.AMOXor, Width: 4, Value: math.MaxUint32}, 1 << 31, 1<<31 - 1},
		} {
			p := pes[i%2]
			for target := range pes {
				what := fmt.Sprintf("%+v on PE %d by PE %d", c.op, target, p.rank)
				around := [3]uint64{11, c.start, 13}
				if c.op.Width == 4 {
					around[1] |= 17 << 32
				}
				p.must(p.Put(target, 512, unsafe.Pointer(&around), 24))
				op := c.op
				op.Blind = i%3 == 0 && op.Kind != engine.AMOFetch
				old, err := p.Atomic(target, 520, op)
				if err != nil || !op.Blind && old != c.start {
					t.Errorf("%s: old %#x, %v, want %#x", what, old, err, c.start)
				}
				p.must(p.Quiet(t.Context()))
				want := [3]uint64{11, c.end, 13}
				if c.op.Width == 4 {
					want[1] |= 17 << 32
				}
				p.must(p.Get(target, unsafe.Pointer(&around), 512, 24))
				if around != want {
					t.Errorf("%s: left %#x, want %#x", what, around, want)
				}
			}
		}
	})
}

// TestAtomicsTogether: PEs that add to one word through several lanes lose nothing.
func TestAtomicsTogether(t *testing.T) {
	on(t, []int{3}, func(t *testing.T, pes []*pe) {
		const rounds = 50
		one := engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: 1}
		each(pes, func(p *pe) {
			other := p.NewLane()
			for range rounds {
				for _, l := range []engine.Lane{p, other} {
					_, err := l.Atomic(1, 64, one)
					p.must(err)
				}
				p.must(p.SignalOn(p.stream, 1, 64, one))
			}
			p.must(other.Quiet(t.Context()))
			p.must(p.finish())
		})
		if v, err := pes[1].Load(64, 8); err != nil || v != 3*3*rounds {
			t.Errorf("%d, %v, want %d", v, err, 3*3*rounds)
		}
	})
}
