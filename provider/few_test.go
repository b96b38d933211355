package provider_test

import (
	"errors"
	"maps"
	"slices"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/provider"
)

// few checks what does not depend on the type of elements: orders and scopes, bulk forms at
// any place, and signals.
func few(c world) {
	for _, order := range []string{"add_relaxed", "add_acquire", "add_release", "add_acq_rel"} {
		added(c, integer[uint32]("u32"), order)
		added(c, integer[uint64]("u64"), order)
	}
	c.unaligned()
	c.signals()
}

func added[T provider.Integer](c world, k numbers[T], order string) {
	b := newBench(c, k)
	defer b.free()
	b.atomic(order, func(old, v int) int { return old + v })
	if order == "add_relaxed" && k.name == "u32" {
		b.grids()
	}
}

// grids are the bulk forms of a grid.
func (b *bench[T]) grids() {
	before := (b.me + b.p.NumRanks() - 1) % b.p.NumRanks()
	part := func(first, rest func(rank, i int) int, of int) func(int) int {
		return func(i int) int {
			if i < masked {
				return first(of, i)
			}
			return rest(b.me, i)
		}
	}
	same := func(of func(rank, i int) int) func(int) int { return func(i int) int { return of(b.me, i) } }
	b.run("get_grid", masked, part(v, a, b.next), same(v))
	b.run("put_grid", masked, same(a), part(a, v, before))
}

// unaligned moves bytes between all places of a line, so few that they do not fill one, and
// so many that every thread has several.
func (c world) unaligned() {
	c.t.Helper()
	me, n := c.p.Rank(), c.p.NumRanks()
	next, before := (me+1)%n, (me+n-1)%n
	there, peers := allocate[uint8](c, 1024)
	mine, err := gpu.Alloc[uint8](c.p.Device(), 1024)
	c.ok(err)
	for i, place := range []int{0, 4, 17} {
		for _, count := range []int{3, 16, 900 + i} {
			want := slices.Repeat([]uint8{uint8(me)}, 1024)
			c.ok(errors.Join(mine.Fill(uint8(100+me)), there.Fill(uint8(me)), c.p.Barrier(c.t.Context())))
			c.ok(c.launch("put_bytes_u8", mine, there, peers, next, me, 64+place, count))
			c.ok(c.p.Barrier(c.t.Context()))
			for j := range count {
				want[place+j] = uint8(100 + before)
			}
			if got := contents(c, there); !slices.Equal(got, want) {
				c.t.Fatalf("PE %d: %d bytes put at %d: %v", me, count, place, got)
			}
			c.ok(errors.Join(c.p.Barrier(c.t.Context()), there.Fill(uint8(me)), c.p.Barrier(c.t.Context())))
			want = slices.Repeat([]uint8{uint8(100 + me)}, 1024)
			c.ok(c.launch("get_bytes_u8", mine, there, peers, next, me, 64+place, count))
			for j := range count {
				want[place%16+j] = uint8(next)
			}
			if got := contents(c, mine); !slices.Equal(got, want) {
				c.t.Fatalf("PE %d: %d bytes got from %d: %v", me, count, place, got)
			}
			c.ok(c.p.Barrier(c.t.Context()))
		}
	}
	c.ok(errors.Join(mine.Close(), provider.Free(c.t.Context(), c.p, there)))
}

// signals: what was put before a signal is there after the wait for it, and waits compare in
// all ways.
func (c world) signals() {
	c.t.Helper()
	me, n := c.p.Rank(), c.p.NumRanks()
	box, peers, err := provider.Zeros[uint64](c.t.Context(), c.p, 2*elements)
	c.ok(err)
	mine, err := gpu.Alloc[uint64](c.p.Device(), 2*elements)
	c.ok(err)
	c.ok(errors.Join(mine.Fill(uint64(50+me)), c.p.Barrier(c.t.Context())))
	c.ok(c.launch("signal_u64", mine, box, peers, (me+1)%n, 0, elements, masked))
	for range 1000 { // each wait has an end, and the PE before may have no core
		if c.ok(c.launch("wait_u64", mine, box, peers, me, me, elements, 1)); contents(c, mine)[0] == 1 {
			break
		}
	}
	if got := contents(c, box); got[elements] != 1 || got[0] != uint64(50+(me+n-1)%n) || got[masked-1] != got[0] || got[masked] != 0 {
		c.t.Errorf("PE %d got the signal %d with %d", me, got[elements], got[:masked+1])
	}
	values := make([]uint64, 2*elements)
	for i := range values {
		values[i] = uint64(i / 6 % 7)
	}
	c.ok(box.CopyFrom(values, nil))
	c.ok(c.launch("holds_u64", mine, box, peers, me, me, 42, 42))
	for i, got := range contents(c, mine)[:42] {
		x := values[i]
		if want := []bool{x == 4, x != 4, x > 4, x >= 4, x < 4, x <= 4}[i%6]; (got == 1) != want {
			c.t.Errorf("%d compared in way %d: %d", x, i%6, got)
		}
	}
	c.ok(errors.Join(c.p.Barrier(c.t.Context()), mine.Close(), provider.Free(c.t.Context(), c.p, box)))
}

// fewKernels are those of few in Go.
func fewKernels(list map[string]gpu.HostKernel) {
	for _, order := range []string{"add_relaxed", "add_acquire", "add_release", "add_acq_rel"} {
		atomics(list, order+"_u32", provider.AtomicAdd[uint32])
		atomics(list, order+"_u64", provider.AtomicAdd[uint64])
	}
	maps.Copy(list, map[string]gpu.HostKernel{
		"get_grid_u32": list["get_block_u32"],
		"put_grid_u32": list["put_block_u32"],
		"put_bytes_u8": once(func(c call) {
			provider.Put[uint8](c.b+uintptr(c.n-64), c.a+uintptr(c.n%16), c.m, c.me, c.peer, c.peers)
		}),
		"get_bytes_u8": once(func(c call) {
			provider.Get[uint8](c.a+uintptr(c.n%16), c.b+uintptr(c.n-64), c.m, c.me, c.peer, c.peers)
		}),
		"signal_u64": once(func(c call) {
			provider.Put[uint64](c.b, c.a, c.m, c.me, c.peer, c.peers)
			provider.AtomicAdd[uint64](c.b, c.n, 1, c.me, c.peer, c.peers)
		}),
		"wait_u64": once(func(c call) {
			own[uint64](c)[0] = 0
			if provider.WaitUntil(c.b+8*uintptr(c.n), uint64(c.m), 1<<20) {
				own[uint64](c)[0] = 1
			}
		}),
		"holds_u64": each(func(c call, i int) {
			x := mem.At[uint64](c.b, c.n)[i]
			own[uint64](c)[i] = 0
			if []bool{x == 4, x != 4, x > 4, x >= 4, x < 4, x <= 4}[i%6] {
				own[uint64](c)[i] = 1
			}
		}),
	})
}
