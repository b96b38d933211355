package provider_test

import (
	"slices"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

func contents[T any](c world, x gpu.Slice[T]) []T {
	c.t.Helper()
	got := make([]T, x.Len())
	c.ok(x.CopyTo(got, nil))
	return got
}

// TestCreate: allocations with contents, and what is symmetric.
func TestCreate(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		ctx := c.t.Context()
		zeros, _, err := provider.Zeros[int16](ctx, c.p, 3)
		c.ok(err)
		full, _, err := provider.Full(ctx, c.p, 3, float32(1.5))
		c.ok(err)
		count, m, err := provider.Arange[uint32](ctx, c.p, 4, 10, 3)
		c.ok(err)
		if got := contents(c, zeros); !slices.Equal(got, []int16{0, 0, 0}) {
			c.t.Errorf("zeros: %v", got)
		}
		if got := contents(c, full); !slices.Equal(got, []float32{1.5, 1.5, 1.5}) {
			c.t.Errorf("full: %v", got)
		}
		if got := contents(c, count); !slices.Equal(got, []uint32{10, 13, 16, 19}) {
			c.t.Errorf("arange: %v", got)
		}
		plain, err := gpu.Alloc[uint32](c.p.Device(), 2)
		c.ok(err)
		defer plain.Close()
		c.ok(plain.CopyFrom([]uint32{5, 6 + uint32(c.w.MyPE())}, nil))
		if provider.IsSymmetric(c.p, plain) || !provider.IsSymmetric(c.p, count) {
			c.t.Error("what is symmetric is not known")
		}
		shared, sm, err := provider.AsSymmetric(ctx, c.p, plain)
		c.ok(err)
		again, _, err := provider.AsSymmetric(ctx, c.p, shared)
		c.ok(err)
		if again.Address() != shared.Address() {
			c.t.Error("what is symmetric was copied")
		}
		c.ok(c.p.Barrier(ctx))
		other := 1 - c.w.MyPE()
		theirs, err := provider.AsRemote(sm, shared, other)
		c.ok(err)
		if got := contents(c, theirs); !slices.Equal(got, []uint32{5, 6 + uint32(other)}) {
			c.t.Errorf("as remote: %v", got)
		}
		_, err = provider.AsRemote(m, shared, other)
		c.wants(err, provider.ErrForeign, "are not in")
		c.ok(c.p.Barrier(ctx))
	})
}

// TestContextTable: what Iris's device functions are initialised with.
func TestContextTable(t *testing.T) {
	on(t, 3, shmem.Options{}, func(c world) {
		_, m := allocate[byte](c, 8)
		table, err := provider.ContextTable(m, c.p.Device())
		c.ok(err)
		defer table.Close()
		want := []int64{int64(c.w.MyPE()), 3}
		for _, b := range m.Bases() {
			want = append(want, int64(b))
		}
		if got := contents(c, table); !slices.Equal(got, append(want, make([]int64, 17)...)) {
			c.t.Errorf("%x", got)
		}
	})
	on(t, 2, shmem.Options{NodeSize: 1}, func(c world) {
		_, m := allocate[byte](c, 8)
		_, err := provider.ContextTable(m, c.p.Device())
		c.wants(err, provider.ErrIndirect, "ranks [")
		_, err = provider.NewBarrier(c.t.Context(), c.p, c.p.Device())
		c.wants(err, provider.ErrIndirect, "ranks [")
	})
}

// TestBarrier: after the barrier every rank's stream sees what the others stored before it,
// also when a graph is replayed.
func TestBarrier(t *testing.T) {
	on(t, 4, shmem.Options{}, func(c world) {
		ctx, me, n := c.t.Context(), c.w.MyPE(), c.w.NPEs()
		x, m := allocate[uint64](c, n)
		seen, err := gpu.Alloc[uint64](c.p.Device(), n)
		c.ok(err)
		b, err := provider.NewBarrier(ctx, c.p, c.p.Device())
		c.ok(err)
		s, err := c.p.Device().NewStream()
		c.ok(err)
		tell, end := teller(c)
		round := func(s *gpu.Stream) error {
			if err := tell.Launch(s, gpu.Grid(1, 1), x, m, int32(me), int32(n)); err != nil {
				return err
			}
			if err := b.OnStream(s); err != nil {
				return err
			}
			if err := seen.CopyAsync(x, s); err != nil {
				return err
			}
			return b.OnStream(s)
		}
		check := func(want uint64) {
			c.t.Helper()
			c.ok(s.Synchronize(ctx))
			for r, got := range contents(c, seen) {
				if got != want {
					c.t.Fatalf("rank %d saw %d of rank %d, want %d", me, got, r, want)
				}
			}
		}
		for i := range uint64(20) {
			c.ok(round(s))
			check(i + 1)
		}
		c.ok(s.BeginCapture())
		c.ok(round(s))
		g, err := s.EndCapture()
		c.ok(err)
		for i := range uint64(5) {
			c.ok(g.Launch(s))
			check(21 + i)
		}
		c.ok(g.Close())
		c.ok(end())
		c.ok(s.Close())
		c.ok(b.Close(ctx))
		c.ok(seen.Close())
	})
}

// teller is a kernel that adds 1 to its rank's element on every rank.
func teller(c world) (*gpu.Function, func() error) {
	c.t.Helper()
	m, err := c.p.Device().Compile(gpu.Program{
		Device: `#include "goshmem.h"
GOSHMEM_KERNEL void tell(goshmem::u64 *x, const goshmem::i64 *peers, int me, int n) {
	for (int r = 0; r < n; r++) goshmem::store(x + me, goshmem::load(x + me, me, r, peers) + 1, me, r, peers);
}`,
		Headers: provider.Headers(),
		Host: map[string]gpu.HostKernel{"tell": func(b gpu.Block) {
			x, me, n := gpu.Arg[uintptr](b, 0), int(gpu.Arg[int32](b, 2)), int(gpu.Arg[int32](b, 3))
			peers := provider.Peers(b, 1, n)
			for r := range n {
				at := provider.Translate(x, me, r, peers) + 8*uintptr(me)
				p := mem.At[uint64](at, 1)
				p[0]++
			}
		}},
	})
	c.ok(err)
	f, err := m.Function("tell")
	c.ok(err)
	return f, m.Close
}

// TestNil: nothing is an argument like another.
func TestNil(t *testing.T) {
	on(t, 1, shmem.Options{}, func(c world) {
		x, _ := allocate[int32](c, 4)
		_, _, err := provider.AllocateSymmetric[int32](c.t.Context(), nil, 4)
		c.wants(err, provider.ErrArgument, "the provider is nil")
		_, err = provider.MapOf(nil, x)
		c.wants(err, provider.ErrArgument, "the provider is nil")
		c.wants(provider.Free(c.t.Context(), nil, x), provider.ErrArgument, "the provider is nil")
		_, err = provider.AsRemote(nil, x, 0)
		c.wants(err, provider.ErrArgument, "the address map is nil")
	})
}
