package provider_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

// TestSelfTestOfNodes: ranks of other nodes are left out.
func TestSelfTestOfNodes(t *testing.T) {
	on(t, 4, shmem.Options{NodeSize: 2}, func(c world) {
		p, err := provider.New(c.w, provider.Options{SelfTest: true})
		c.ok(err)
		x, _, err := provider.AllocateSymmetric[uint16](c.t.Context(), p, 5)
		c.ok(err)
		c.ok(errors.Join(provider.Free(c.t.Context(), p, x), p.Close()))
	})
}

// TestSelfTest: entries that are right are found right; one that leads to another allocation
// is an error that names the rank.
func TestSelfTest(t *testing.T) {
	on(t, 3, shmem.Options{}, func(c world) {
		ctx, me, last := c.t.Context(), c.p.Rank(), c.p.NumRanks()-1
		x, m := allocate[byte](c, 64)
		other, _ := allocate[byte](c, 64)
		c.ok(errors.Join(x.Fill(byte(me)), other.Fill(byte(me))))
		c.ok(provider.SelfTest(ctx, provider.ExchangeOf(c.w), x, m))
		spec := provider.Spec{Device: c.p.Device(), LocalRank: me, Bytes: 64, Bases: m.Bases()}
		if me == last {
			spec.Bases[0] += other.Address() - x.Address()
		}
		wrong, err := provider.NewAddressMap(spec)
		c.ok(err)
		err = provider.SelfTest(ctx, provider.ExchangeOf(c.w), x, wrong)
		var e *provider.EntryError
		if me != last {
			c.wants(err, provider.ErrElsewhere, fmt.Sprintf("rank %d: the table of rank %[1]d: the entry ", last))
		} else if !errors.As(err, &e) || e.Rank != 0 || e.By != last || e.Entry != spec.Bases[0] || e.Found[0] != 0 {
			c.t.Errorf("%v, %+v", err, e)
		}
		for i, v := range contents(c, x) {
			if v != byte(me) {
				c.t.Fatalf("PE %d: byte %d is %d after the test", me, i, v)
			}
		}
		c.ok(wrong.Close())
	})
}

// TestBusy: allocating waits for no kernel, so nothing on its way synchronises with the
// device.
func TestBusy(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		ctx, d := c.t.Context(), c.p.Device()
		stop, err := gpu.AllocPinned[uint64](d, 1)
		c.ok(err)
		c.ok(stop.Fill(0))
		m, err := d.Compile(gpu.Program{
			Device: `#include "goshmem.h"
GOSHMEM_KERNEL void idle(const goshmem::u64 *stop) { while (!goshmem::wait_until(stop, goshmem::ge, 1)) {} }`,
			Headers: provider.Headers(),
			Host: map[string]gpu.HostKernel{"idle": func(b gpu.Block) {
				for !provider.WaitUntil(gpu.Arg[uintptr](b, 0), 1, 1<<20) {
				}
			}},
		})
		c.ok(err)
		f, err := m.Function("idle")
		c.ok(err)
		s, err := d.NewStream()
		c.ok(err)
		c.ok(f.Launch(s, gpu.Grid(1, 1), stop))
		x, first := allocate[float32](c, 100)
		_, second := allocate[float32](c, 100)
		again, err := provider.MapOf(c.p, x)
		c.ok(err)
		if first == again || second.AllocationBytes() != 400 {
			c.t.Error("maps")
		}
		if done, err := s.Query(); done || err != nil {
			c.t.Errorf("the kernel has ended: %v", err)
		}
		host, err := stop.Local()
		c.ok(err)
		provider.Store(stop.Address(), 0, uint64(1), 0, 0, []int64{1})
		if c.ok(s.Synchronize(ctx)); host[0] != 1 {
			c.t.Error("nothing was stored")
		}
		c.ok(errors.Join(s.Close(), m.Close(), stop.Close()))
	})
}

// TestFreeOrder: ranks that free different allocations hear of it, and have lost none.
func TestFreeOrder(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		x, _ := allocate[int64](c, 8)
		y, _ := allocate[int64](c, 16)
		first, then := x, y
		if c.p.Rank() == 1 {
			first, then = y, x
		}
		c.wants(provider.Free(c.t.Context(), c.p, first), shmem.ErrMismatch, "PE")
		for _, z := range []gpu.Slice[int64]{first, then} {
			if _, err := provider.MapOf(c.p, z); err != nil {
				c.t.Error(err)
			}
		}
		c.ok(errors.Join(provider.Free(c.t.Context(), c.p, x), provider.Free(c.t.Context(), c.p, y)))
	})
}
