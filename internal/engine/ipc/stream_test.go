package ipc

import (
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// TestSignals: a stream that waits for a signal finds the data that was put before it.
func TestSignals(t *testing.T) {
	on(t, []int{1, 3}, func(t *testing.T, pes []*pe) {
		const data, sig, n = 4096, 64, 8192
		each(pes, func(p *pe) {
			next := (p.rank + 1) % p.n
			src := make([]byte, n)
			for i := range src {
				src[i] = byte(i*7 + p.rank)
			}
			p.must(p.Put(p.rank, 3*n, unsafe.Pointer(&src[0]), n))
			for i, op := range []engine.AMO{{Kind: engine.AMOSet, Width: 8, Value: 5}, {Kind: engine.AMOAdd, Width: 8, Value: 3}} {
				p.must(p.PutSignalOn(p.stream, next, data, p.at(p.rank, 3*n), n, sig, op))
				p.must(p.WaitOn(p.stream, sig, engine.CompareGE, uint64(5+3*i)))
				p.must(p.QuietOn(p.stream))
			}
			p.must(p.GetOn(p.stream, p.rank, p.at(p.rank, 6*n), data, n))
			p.must(p.finish())
			got := make([]byte, n)
			p.must(p.Get(p.rank, unsafe.Pointer(&got[0]), 6*n, n))
			for i := range got {
				if want := byte(i*7 + (p.rank+p.n-1)%p.n); got[i] != want {
					t.Errorf("PE %d, byte %d: %d, want %d", p.rank, i, got[i], want)
					return
				}
			}
		})
	})
}

// TestBlockingSignal: the signal of a lane is not before its data.
func TestBlockingSignal(t *testing.T) {
	on(t, []int{2}, func(t *testing.T, pes []*pe) {
		each(pes, func(p *pe) {
			v := uint64(100 + p.rank)
			p.must(p.PutSignal(1-p.rank, 256, unsafe.Pointer(&v), 8, 128, engine.AMO{Kind: engine.AMOSet, Width: 8, Value: 1}))
			p.must(p.WaitOn(p.stream, 128, engine.CompareEQ, 1))
			p.must(p.finish())
			if got, err := p.Load(256, 8); err != nil || got != uint64(101-p.rank) {
				t.Errorf("PE %d: %d, %v", p.rank, got, err)
			}
		})
	})
}

// TestCompares: a stream waits by each comparison until it holds, and not longer.
func TestCompares(t *testing.T) {
	minus := func(n int64) uint64 { return uint64(-n) }
	on(t, []int{2}, func(t *testing.T, pes []*pe) {
		for i, c := range []struct {
			compare     engine.Compare
			from, v, to uint64
		}{
			{engine.CompareEQ, 1, 7, 7},
			{engine.CompareNE, 7, 7, 8},
			{engine.CompareGT, 7, 7, 8},
			{engine.CompareGT, minus(9), minus(1), 0},
			{engine.CompareGE, 6, 7, 7},
			{engine.CompareGE, minus(9), minus(8), minus(8)},
			{engine.CompareLT, 7, 7, minus(1)},
			{engine.CompareLE, 8, 7, 7},
		} {
			p, other := pes[i%2], pes[1-i%2]
			p.must(p.Put(p.rank, 64, unsafe.Pointer(&c.from), 8))
			p.must(p.WaitOn(p.stream, 64, c.compare, c.v))
			p.must(p.driver.WriteValue(p.dev, p.stream, p.at(p.rank, 72), uint64(i+1)))
			if done, err := p.driver.StreamDone(p.dev, p.stream); done || err != nil {
				t.Errorf("%+v: the stream did not wait: %v", c, err)
			}
			p.must(other.SignalOn(other.stream, p.rank, 64, engine.AMO{Kind: engine.AMOSet, Width: 8, Value: c.to}))
			p.must(p.finish())
			if v, err := p.Load(72, 8); err != nil || v != uint64(i+1) {
				t.Errorf("%+v: %d, %v", c, v, err)
			}
		}
	})
}

// TestGraphs: puts and barriers that were captured meet again at each replay, also when
// the others do not replay but queue the same, and when all queue them afterwards.
func TestGraphs(t *testing.T) {
	on(t, []int{2, 3}, func(t *testing.T, pes []*pe) {
		const rounds, puts = 5, 10
		each(pes, func(p *pe) {
			next := (p.rank + 1) % p.n
			step := func() {
				p.must(p.amo(p.signal, p.stream, p.at(p.rank, 64), engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: 1}, 0))
				for i := range uintptr(puts) {
					p.must(p.PutOn(p.stream, next, 1024+8*i, p.at(p.rank, 64), 8))
				}
				p.must(p.world.BarrierOn(p.stream))
				p.must(p.GetOn(p.stream, p.rank, p.at(p.rank, 4096), 1024, 8*puts))
				p.must(p.world.BarrierOn(p.stream))
			}
			check := func(want uint64) {
				p.must(p.finish())
				for i := range uintptr(puts) {
					if v, err := p.Load(4096+8*i, 8); err != nil || v != want {
						t.Errorf("PE %d of %d: %d, %v, want %d", p.rank, p.n, v, err, want)
					}
				}
			}
			step()
			check(1)
			replay := step
			if p.rank > 0 { // PE 0 queues all by itself
				p.must(p.driver.BeginCapture(p.dev, p.stream))
				step()
				g, err := p.driver.EndCapture(p.dev, p.stream)
				p.must(err)
				defer func() { p.must(p.driver.DestroyGraph(p.dev, g)) }()
				replay = func() { p.must(p.driver.LaunchGraph(p.dev, g, p.stream)) }
			}
			for i := range uint64(rounds) {
				replay()
				check(i + 2)
			}
			step()
			check(rounds + 2)
		})
	})
}

// TestCollectiveInGraph: so do collectives.
func TestCollectiveInGraph(t *testing.T) {
	on(t, []int{2}, func(t *testing.T, pes []*pe) {
		for _, n := range []uintptr{64, 200000} {
			each(pes, func(p *pe) {
				c := engine.Collective{Kind: engine.KindFCollect, Src: 1 << 16, Dst: 1 << 20, Bytes: n}
				p.must(p.driver.BeginCapture(p.dev, p.stream))
				p.must(p.amo(p.signal, p.stream, p.at(p.rank, 1<<16), engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: uint64(p.rank + 1)}, 0))
				p.must(p.world.CollectiveOn(p.stream, &c))
				g, err := p.driver.EndCapture(p.dev, p.stream)
				p.must(err)
				begun, err := p.Load(1<<16, 8)
				p.must(err)
				for i := range uint64(4) {
					p.must(p.driver.LaunchGraph(p.dev, g, p.stream))
					p.must(p.finish())
					if v, err := p.Load(1<<20+uintptr(p.rank)*n, 8); err != nil || v != begun+(i+1)*uint64(p.rank+1) {
						t.Errorf("PE %d, replay %d: %d, %v", p.rank, i, v, err)
					}
					if v, err := p.Load(1<<20+uintptr(1-p.rank)*n, 8); err != nil || v == 0 {
						t.Errorf("PE %d, replay %d: %d, %v from the other", p.rank, i, v, err)
					}
				}
				p.must(p.driver.DestroyGraph(p.dev, g))
			})
		}
	})
}
