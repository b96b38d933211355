package conformance

import (
	"math/rand/v2"
	"slices"

	"github.com/goshmem/goshmem/shmem"
)

func tensorTypes(p *pe) {
	tensorMoves(p, func(x uint64) uint8 { return uint8(x) })
	tensorMoves(p, func(x uint64) int16 { return int16(x) })
	tensorMoves(p, func(x uint64) float32 { return float32(x>>40) / 8 })
	tensorMoves(p, func(x uint64) uint64 { return x })
	tensorMoves(p, func(x uint64) complex128 { return complex(float64(x>>16), -float64(x&0xffff)/4) })
	tensorMoves(p, func(x uint64) odd3 { return odd3{byte(x), byte(x >> 8), byte(x >> 16)} })
	tensorMoves(p, func(x uint64) padded { return padded{uint8(x), x, uint16(x >> 7)} })
}

// tensorMoves puts random views to the next PE, and gets them back, between layouts that
// have nothing but the shape in common.
func tensorMoves[T comparable](p *pe, value func(x uint64) T) {
	p.Helper()
	dst, src := alloc[T](p, tensorRoom), alloc[T](p, tensorRoom)
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 2)) // the same on all PEs
		from := whole(p, src, shape(rng)).views(p, rng)
		to := from.another(p, dst, rng)
		if seed%2 == 1 {
			to = whole(p, dst, shape(rng)).views(p, rng)
			from = to.another(p, src, rng)
		}
		sent := func(pe, i int) T { return value(hash(pe, int(seed), i)) }
		set(p, src, func(i int) T { return sent(p.me, i) })
		set(p, dst, func(i int) T { return sent(-1, i) })
		p.barrier()
		tensorPut(p, to.t, from.t, seed)
		p.barrier()
		want := make([]T, tensorRoom)
		for i := range want {
			want[i] = sent(-1, i)
		}
		for k, at := range to.m.at {
			want[at] = sent(p.prev(), from.m.at[k])
		}
		sameAll(p, local(p, dst), func(i int) T { return want[i] }, "%T, seed %d: put of %v to %v", *new(T), seed, from.t, to.t)
		p.ok(from.t.Fill(value(1)))
		tensorGet(p, from.t, to.t, seed)
		sameAll(p, local(p, src), func(i int) T { return sent(p.me, i) }, "%T, seed %d: get of %v to %v", *new(T), seed, to.t, from.t)
		p.barrier()
	}
}

// tensorPut is Put, for some seeds by way of a Go slice.
func tensorPut[T any](p *pe, to, from shmem.Tensor[T], seed uint64) {
	if seed%3 > 0 {
		p.ok(to.Put(from, p.next()))
		return
	}
	buf := make([]T, from.Len())
	p.ok(from.CopyTo(buf))
	p.ok(to.PutSlice(buf, p.next()))
	clear(buf) // may be reused
}

// tensorGet is Get, for some seeds by way of a Go slice.
func tensorGet[T any](p *pe, to, from shmem.Tensor[T], seed uint64) {
	if seed%3 > 0 {
		p.ok(to.Get(from, p.next()))
		return
	}
	buf := make([]T, from.Len())
	p.ok(from.GetSlice(buf, p.next()))
	p.ok(to.CopyFrom(buf))
}

func tensorCorners(p *pe) {
	t, err := shmem.NewTensor[uint64](p.ctx, p.w, 3, 1, 4)
	p.ok(err)
	none, err := t.Slice(2, 4, 4)
	p.ok(err)
	p.ok(none.Put(none, p.next()))
	p.ok(none.Get(none, p.next()))
	p.ok(none.PutSlice(nil, p.next()))
	p.ok(none.GetSlice(nil, p.next()))
	p.ok(none.Fill(1))
	p.barrier()
	sameAll(p, tensorLocal(p, t), func(int) uint64 { return 0 }, "after moves of nothing")
	p.barrier()
	one, err := t.Index(0, 2)
	p.ok(err)
	one, err = one.Index(0, 0)
	p.ok(err)
	one, err = one.Index(0, 1)
	p.ok(err)
	same(p, [2]int{one.Dims(), one.Len()}, [2]int{0, 1}, "dimensions and elements of an element")
	p.ok(one.PutSlice([]uint64{hash(p.me)}, p.next()))
	p.barrier()
	got, err := one.At()
	p.ok(err)
	same(p, got, hash(p.prev()), "the element")
	p.ok(none.Free(p.ctx))
	p.is(t.Fill(1), shmem.ErrFreed, "use of a tensor that was freed through a view")
}

func tensorLocal[T any](p *pe, t shmem.Tensor[T]) []T {
	p.Helper()
	a, err := t.Array()
	p.ok(err)
	return local(p, a)
}

// tensorVia puts columns through the context of a team that leaves out PE 0: quiet
// completes them, and PEs are counted from PE 1 on.
func tensorVia(p *pe) {
	t, err := shmem.NewTensor[int32](p.ctx, p.w, 5, 4)
	p.ok(err)
	team, err := p.w.Team().SplitStrided(p.ctx, 1, 1, p.n-1, shmem.TeamConfig{})
	p.ok(err)
	if team != nil {
		viaTeam(p, t, team)
		p.ok(team.Destroy(p.ctx))
	}
	p.ok(t.Free(p.ctx))
}

func viaTeam(p *pe, t shmem.Tensor[int32], team *shmem.Team) {
	c, err := team.NewContext(shmem.ContextOptions{})
	p.ok(err)
	via, err := t.Via(c)
	p.ok(err)
	column, err := via.Index(1, 2)
	p.ok(err)
	next := p.me % (p.n - 1) // this PE is number p.me-1 there
	want := []int32{1, 2, 3, 4, int32(next)}
	p.ok(column.PutSlice(want, next))
	p.ok(c.Quiet(p.ctx))
	got := make([]int32, 5)
	p.ok(column.GetSlice(got, next))
	same(p, slices.Equal(got, want), true, "the next PE's column is %v, want %v", got, want)
	p.ok(team.Sync(p.ctx))
	p.ok(column.CopyTo(got))
	want[4] = int32(p.me - 1)
	same(p, slices.Equal(got, want), true, "the column is %v, want %v", got, want)
	p.ok(c.Destroy(p.ctx))
	p.is(column.PutSlice(got, 0), shmem.ErrClosed, "put through a destroyed context")
}
