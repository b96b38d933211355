package ipc

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// scene is a collective with the contents of all members' sources.
type scene struct {
	engine.Collective
	size int
	src  [][]byte
}

// parts is how many parts of Bytes a source and a result have.
func (c *scene) parts() (src, dst int) {
	switch c.Kind {
	case engine.KindFCollect:
		return 1, c.size
	case engine.KindAllToAll:
		return c.size, c.size
	case engine.KindReduceScatter:
		return c.size, 1
	}
	return 1, 1
}

// fill makes sources of small numbers: of most types these are exact.
func (c *scene) fill(seed int) {
	r := rand.New(rand.NewPCG(uint64(seed), 2))
	src, _ := c.parts()
	for range c.size {
		b := make([]byte, uintptr(src)*c.Bytes)
		for i := range b {
			b[i] = byte(r.Uint32()) & 0x3f
		}
		c.src = append(c.src, b)
	}
}

// part is one of a source.
func (c *scene) part(of, i int) []byte {
	return c.src[of][uintptr(i)*c.Bytes : uintptr(i+1)*c.Bytes]
}

// want is what member me gets; nil: nothing.
func (c *scene) want(me int) (dst []byte) {
	switch c.Kind {
	case engine.KindBroadcast:
		return c.src[c.Root]
	case engine.KindFCollect:
		return bytes.Join(c.src, nil)
	case engine.KindAllToAll:
		for i := range c.size {
			dst = append(dst, c.part(i, me)...)
		}
		return dst
	case engine.KindReduce:
		if me != c.Root {
			return nil
		}
		me = 0
	case engine.KindAllReduce:
		me = 0
	}
	var sources []unsafe.Pointer
	for i := range c.size {
		sources = append(sources, unsafe.Pointer(&c.part(i, me)[0]))
	}
	dst = make([]byte, c.Bytes)
	reduce.Fold(c.Elem, c.Op, unsafe.Pointer(&dst[0]), sources, int(c.Bytes/c.Elem.Size()), new(reduce.Scratch))
	return dst
}

// play has all members do it twice in a row, as different places need not wait for each
// other, and looks at both results.
func (c *scene) play(t *testing.T, groups []*group, pes []*pe) {
	t.Helper()
	_, parts := c.parts()
	room := (uintptr(parts)*c.Bytes + 64) &^ 15
	each(pes, func(p *pe) {
		g, mine := groups[p.rank], *c
		if g == nil {
			return
		}
		p.must(p.Put(p.rank, c.Src, unsafe.Pointer(&c.src[g.me][0]), uintptr(len(c.src[g.me]))))
		for range 2 {
			p.must(g.CollectiveOn(p.stream, &mine.Collective))
			mine.Dst += room
		}
		p.must(p.finish())
		want := c.want(g.me)
		got := make([]byte, len(want))
		for i := range 2 {
			if want == nil {
				continue
			}
			p.must(p.Get(p.rank, unsafe.Pointer(&got[0]), c.Dst+uintptr(i)*room, uintptr(len(got))))
			if !bytes.Equal(got, want) {
				t.Errorf("%v of %d bytes, %v %v, round %d: member %d of %d has %.32x, want %.32x", c.Kind, c.Bytes, c.Op, c.Elem, i, g.me, g.size, got, want)
			}
		}
	})
}

func worlds(pes []*pe) (list []*group) {
	for _, p := range pes {
		list = append(list, p.world)
	}
	return list
}

// kinds of collectives that move.
func moves() []engine.Kind {
	return []engine.Kind{engine.KindBroadcast, engine.KindFCollect, engine.KindAllToAll}
}

func reductions() []engine.Kind {
	return []engine.Kind{engine.KindAllReduce, engine.KindReduce, engine.KindReduceScatter}
}

// TestMoves: sizes through stages and beside them, in one block and several, at addresses
// that no wide word fits to.
func TestMoves(t *testing.T) {
	on(t, []int{1, 2, 5}, func(t *testing.T, pes []*pe) {
		for i, n := range []uintptr{1, 7, 8, 1000, 8192, 40000, 150001} {
			for _, kind := range moves() {
				c := &scene{Collective: engine.Collective{Kind: kind, Root: len(pes) - 1, Src: 16, Dst: 1<<20 + uintptr(i), Bytes: n}, size: len(pes)}
				c.fill(i)
				c.play(t, worlds(pes), pes)
			}
		}
		c := &scene{Collective: engine.Collective{Kind: engine.KindBroadcast, Src: 0, Dst: 1<<20 + 1, Bytes: 1 << 20}, size: len(pes)}
		c.fill(9)
		c.play(t, worlds(pes), pes)
	})
}

// TestReductions: all types and operations that there are, sizes as in TestMoves.
func TestReductions(t *testing.T) {
	on(t, []int{2, 3}, func(t *testing.T, pes []*pe) {
		seed := 0
		for elem := reduce.Int8; elem <= reduce.Float8E5M2; elem++ {
			for op := reduce.Sum; op <= reduce.Xor; op++ {
				if !reduce.Has(elem, op) {
					continue
				}
				seed++
				kind := reductions()[seed%3]
				n := []uintptr{1, 3, 64, 1000, 2500}[seed%5] * elem.Size()
				c := &scene{Collective: engine.Collective{Kind: kind, Root: 1, Src: elem.Size(), Dst: 1 << 20, Bytes: n, Elem: elem, Op: op}, size: len(pes)}
				c.fill(seed)
				c.play(t, worlds(pes), pes)
			}
		}
		for _, kind := range reductions() {
			c := &scene{Collective: engine.Collective{Kind: kind, Src: 8, Dst: 1 << 20, Bytes: 1 << 18, Elem: reduce.Float64, Op: reduce.Sum}, size: len(pes)}
			c.fill(1)
			c.play(t, worlds(pes), pes)
		}
	})
}

// TestInPlace: a reduction to all may put its result where its source was.
func TestInPlace(t *testing.T) {
	on(t, []int{3}, func(t *testing.T, pes []*pe) {
		for _, n := range []uintptr{8, 4000, 1 << 18} {
			c := &scene{Collective: engine.Collective{Kind: engine.KindAllReduce, Src: 64, Dst: 64, Bytes: n, Elem: reduce.Uint32, Op: reduce.Sum}, size: len(pes)}
			c.fill(int(n))
			want := c.want(0)
			each(pes, func(p *pe) {
				p.must(p.Put(p.rank, c.Src, unsafe.Pointer(&c.src[p.rank][0]), n))
				p.must(p.world.CollectiveOn(p.stream, &c.Collective))
				p.must(p.finish())
				got := make([]byte, n)
				p.must(p.Get(p.rank, unsafe.Pointer(&got[0]), c.Dst, n))
				if !bytes.Equal(got, want) {
					t.Errorf("PE %d, %d bytes: %.16x, want %.16x", p.rank, n, got, want)
				}
			})
		}
	})
}

// TestTeams: teams of a part of the PEs, one after the other in one slot, with barriers
// and collectives of all in between.
func TestTeams(t *testing.T) {
	on(t, []int{4}, func(t *testing.T, pes []*pe) {
		parents := worlds(pes)
		for round, s := range [][3]int{{0, 1, 2}, {1, 1, 3}, {3, -3, 2}, {0, 2, 2}, {2, 1, 1}, {0, 1, 4}} {
			groups := make([]*group, len(pes))
			each(pes, func(p *pe) {
				g, err := p.NewGroup(t.Context(), parents[p.rank], 5, s[0], s[1], s[2])
				p.must(err)
				if g != nil {
					groups[p.rank] = g.(*group)
				}
			})
			for _, n := range []uintptr{24, 30000} {
				c := &scene{Collective: engine.Collective{Kind: moves()[round%3], Root: s[2] - 1, Src: 128, Dst: 1 << 20, Bytes: n}, size: s[2]}
				c.fill(round)
				c.play(t, groups, pes)
			}
			each(pes, func(p *pe) {
				if g := groups[p.rank]; g != nil {
					for range round + 1 {
						p.must(g.BarrierOn(p.stream))
					}
					p.must(p.finish())
					p.must(g.Close(t.Context()))
				}
				p.must(p.world.BarrierOn(p.stream))
				p.must(p.finish())
			})
		}
	})
}

// TestNewGroup: what cannot be is refused.
func TestNewGroup(t *testing.T) {
	pes := world(t, 2, smallConfig(), hostDriver(t, 1))
	p := pes[0]
	for _, c := range [][4]int{{0, 0, 1, 2}, {64, 0, 1, 2}, {1, 0, 1, 3}, {1, -1, 1, 2}, {1, 0, -1, 2}, {1, 0, 1, 0}} {
		if g, err := p.NewGroup(t.Context(), p.world, c[0], c[1], c[2], c[3]); err == nil {
			t.Errorf("%v: %v", c, g)
		}
	}
	if g, err := p.NewGroup(t.Context(), pes[1].world, 1, 0, 1, 1); err == nil {
		t.Errorf("of another PE's parent: %v", g)
	}
	if g, err := p.NewGroup(t.Context(), p.world, 1, 1, 1, 1); g != nil || err != nil {
		t.Errorf("of others: %v, %v", g, err)
	}
	if err := p.world.CollectiveOn(p.stream, &engine.Collective{Kind: engine.KindCollect, Bytes: 8}); err == nil {
		t.Error("a collect on a stream")
	}
}

// TestStreamsInOrder: collectives on several streams do not get mixed up, however long
// one of them is held up on one of the PEs.
func TestStreamsInOrder(t *testing.T) {
	on(t, []int{2}, func(t *testing.T, pes []*pe) {
		const rounds = 6
		each(pes, func(p *pe) {
			second, err := p.driver.NewStream(p.dev, 0)
			p.must(err)
			mine := uint64(p.rank + 1)
			p.must(p.Put(p.rank, 64, unsafe.Pointer(&mine), 8))
			for i := range uintptr(rounds) {
				s := []device.Handle{p.stream, second}[i%2]
				if p.rank == 0 && i == 0 { // what is behind must not overtake
					p.must(p.WaitOn(s, 128, engine.CompareEQ, 1))
				}
				c := engine.Collective{Kind: engine.KindFCollect, Src: 64, Dst: 4096 + i*4096, Bytes: 8 + 8*i}
				p.must(p.world.CollectiveOn(s, &c))
			}
			if p.rank == 1 {
				third, err := p.driver.NewStream(p.dev, 0)
				p.must(err)
				p.must(p.SignalOn(third, 0, 128, engine.AMO{Kind: engine.AMOSet, Width: 8, Value: 1}))
				p.must(p.driver.DestroyStream(p.dev, third))
			}
			p.must(p.Finish(t.Context(), engine.Call{Kind: engine.KindQuiet}, second))
			p.must(p.finish())
			for i := range uintptr(rounds) {
				for other := range uintptr(2) {
					if v, err := p.Load(4096+i*4096+other*(8+8*i), 8); err != nil || v != uint64(other+1) {
						t.Errorf("PE %d, round %d: %d, %v of PE %d", p.rank, i, v, err, other)
					}
				}
			}
			p.must(p.driver.DestroyStream(p.dev, second))
		})
	})
}

// TestSizesInTurn: what is staged for one collective is not overwritten by the next ones,
// of other sizes and of other numbers of blocks, while a PE that is slow still reads it.
func TestSizesInTurn(t *testing.T) {
	sizes := slices.Repeat([]uintptr{4096, 2100, 24, 4000, 2056, 8, 3000, 4096, 2500, 40000, 2056, 4096}, 10)
	mark := func(i, rank int) byte { return byte((2*i + rank) % 251) } // what a PE gives to a collective
	on(t, []int{2}, func(t *testing.T, pes []*pe) {
		each(pes, func(p *pe) {
			var src []byte
			for i, n := range sizes {
				src = append(src, bytes.Repeat([]byte{mark(i, p.rank)}, int(n))...)
			}
			p.must(p.Put(p.rank, 0, unsafe.Pointer(&src[0]), uintptr(len(src))))
			c := engine.Collective{Kind: engine.KindFCollect, Dst: 1 << 20}
			for _, n := range sizes {
				c.Bytes = n
				p.must(p.world.CollectiveOn(p.stream, &c))
				c.Src += n
				c.Dst += 2 * n
			}
			p.must(p.finish())
			got := make([]byte, 2*len(src))
			p.must(p.Get(p.rank, unsafe.Pointer(&got[0]), 1<<20, uintptr(len(got))))
			for i, n := range sizes {
				for other := range 2 {
					if !bytes.Equal(got[:n], bytes.Repeat([]byte{mark(i, other)}, int(n))) {
						t.Errorf("PE %d: collective %d of %d bytes brings %.8x of PE %d, want %d", p.rank, i, n, got[:n], other, mark(i, other))
					}
					got = got[n:]
				}
			}
		})
	})
}
