package provider_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/interchange"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// imports is a provider whose exchange is that of a world, and a rank's own error. Both
// providers test their entries.
func (c world) imports() *provider.Imports {
	c.t.Helper()
	p, err := provider.NewImports(c.p.Device(), c.w.MyPE(), c.w.NPEs(), provider.ExchangeOf(c.w), provider.Options{SelfTest: true})
	c.ok(err)
	c.t.Cleanup(func() { c.ok(p.Close()) })
	return p
}

// doubling is a kernel with memory of two providers: what a peer has in a comes, doubled,
// to the same peer's b.
const doubling = `#include "goshmem.h"
using namespace goshmem;
GOSHMEM_KERNEL void doubled(const u32 *a, u32 *b, i32 me, i32 peer, i64 n, const i64 *as, const i64 *bs) {
	GOSHMEM_EACH(i, n) store(b + i, 2 * load(a + i, me, peer, as), me, peer, bs);
}`

func doubled(b gpu.Block) {
	x, y := gpu.Arg[uintptr](b, 0), gpu.Arg[uintptr](b, 1)
	me, peer := int(gpu.Arg[int32](b, 2)), int(gpu.Arg[int32](b, 3))
	as, bs := provider.Peers(b, 5, max(me, peer)+1), provider.Peers(b, 6, max(me, peer)+1)
	for i := range b.Each(int(gpu.Arg[int64](b, 4))) {
		provider.Store(y, i, 2*provider.Load[uint32](x, i, me, peer, as), me, peer, bs)
	}
}

// TestImports: memory that somebody else has allocated gets tables as the world's, and a
// kernel takes both.
func TestImports(t *testing.T) {
	shmemtest.Run(t, 3, mixed)
}

// TestImportsOfProcesses is the same by handles.
func TestImportsOfProcesses(t *testing.T) {
	shmemtest.RunProcesses(t, 2, func(t testing.TB, w *shmem.World) { mixed(t, w) })
}

func mixed(t testing.TB, w *shmem.World) {
	c := world{t: t, w: w, p: newProvider(t, w)}
	ctx, me, n, d := t.Context(), w.MyPE(), w.NPEs(), c.p.Device()
	x, xs := allocate[uint32](c, masked)
	p := c.imports()
	y, err := gpu.Alloc[uint32](d, elements)
	c.ok(err)
	part, err := y.Slice(3, 3+masked) // not where the allocation begins
	c.ok(err)
	ys, err := provider.Import(ctx, p, part)
	c.ok(err)
	if ys.AllocationBase() != part.Address() || ys.AllocationBytes() != 4*masked || !ys.AllDirect() || c.onDevice(ys)[me] != int64(part.Address()) {
		t.Fatalf("PE %d: %v", me, ys)
	}
	peer := (me + 1) % n
	c.ok(errors.Join(x.Fill(uint32(10+me)), y.Fill(7), c.p.Barrier(ctx)))
	module, err := d.Compile(gpu.Program{Device: doubling, Headers: provider.Headers(), Host: map[string]gpu.HostKernel{"doubled": doubled}})
	c.ok(err)
	f, err := module.Function("doubled")
	c.ok(err)
	c.ok(f.Launch(nil, gpu.Grid(masked, 64), x, part, int32(me), int32(peer), int64(masked), xs, ys))
	c.ok(errors.Join(d.DefaultStream().Synchronize(ctx), p.Barrier(ctx)))
	got := contents(c, y)
	for i, v := range got {
		want := uint32(7)
		if i >= 3 && i < 3+masked {
			want = 2 * uint32(10+me)
		}
		if v != want {
			t.Fatalf("PE %d: element %d is %d, want %d", me, i, v, want)
		}
	}
	c.ok(provider.Free(ctx, p, part))
	c.wants(f.Launch(nil, gpu.Grid(1, 1), x, part, int32(me), int32(me), int64(1), xs, ys), provider.ErrFreed, "was freed")
	c.ok(errors.Join(module.Close(), y.Close()))
}

// TestImportsAllocate: the provider allocates, too, and all that works on any provider works
// on it.
func TestImportsAllocate(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		ctx, p := c.t.Context(), c.imports()
		x, m, err := provider.Full(ctx, p, 5, int16(c.w.MyPE()))
		c.ok(err)
		c.ok(p.Barrier(ctx))
		other := 1 - c.w.MyPE()
		theirs, err := provider.AsRemote(m, x, other)
		c.ok(err)
		if got := contents(c, theirs); !slices.Equal(got, slices.Repeat([]int16{int16(other)}, 5)) {
			c.t.Errorf("PE %d has %v", other, got)
		}
		none, _, err := provider.AllocateSymmetric[float64](ctx, p, 0)
		c.ok(err)
		b, err := provider.NewBarrier(ctx, p, p.Device())
		c.ok(err)
		s, err := p.Device().NewStream() // the default one is both ranks'
		c.ok(err)
		c.ok(errors.Join(b.OnStream(s), s.Synchronize(ctx), s.Close()))
		c.ok(errors.Join(b.Close(ctx), provider.Free(ctx, p, none), provider.Free(ctx, p, x)))
	})
}

// TestImportsRefused: what is wrong on one rank is an error on all, and the next import
// works.
func TestImportsRefused(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		ctx, me, d, p := c.t.Context(), c.w.MyPE(), c.p.Device(), c.imports()
		x, err := gpu.Alloc[byte](d, 64)
		c.ok(err)
		defer x.Close()
		cut := func(lo, hi int) gpu.Buffer {
			part, err := x.Slice(lo, hi)
			c.ok(err)
			return part
		}
		_, err = p.Import(ctx, cut(0, 20+me))
		c.wants(err, provider.ErrArgument, "all ranks import as many")
		m, err := p.Import(ctx, cut(16, 32))
		c.ok(err)
		second, err := p.Import(ctx, cut(32, 33)) // fewer bytes than a nonce, and an odd place
		c.ok(err)
		elsewhere := func(err error, words string) {
			c.t.Helper()
			if me == 0 {
				c.wants(err, provider.ErrArgument, words)
			} else {
				c.wants(err, provider.ErrElsewhere, "rank 0: ")
			}
		}
		_, err = p.Import(ctx, cut(33+24*me-33*(1-me), 64))
		elsewhere(err, "are an allocation already")
		c.wants(p.Free(ctx, []uintptr{m.AllocationBase(), second.AllocationBase()}[me]), provider.ErrArgument, "all ranks free the same")
		err = p.Free(ctx, m.AllocationBase()+uintptr(1-me))
		if me == 0 {
			c.wants(err, provider.ErrForeign, "no allocation of this provider begins at")
		} else {
			c.wants(err, provider.ErrElsewhere, "rank 0: ")
		}
		c.ok(errors.Join(p.Free(ctx, m.AllocationBase()), p.Free(ctx, second.AllocationBase())))
	})
	for _, bad := range []func(d *gpu.Device, x provider.Exchange) error{
		func(d *gpu.Device, x provider.Exchange) error { return second(provider.NewImports(nil, 0, 1, x)) },
		func(d *gpu.Device, x provider.Exchange) error { return second(provider.NewImports(d, 1, 1, x)) },
		func(d *gpu.Device, x provider.Exchange) error { return second(provider.NewImports(d, 0, 1, nil)) },
		func(d *gpu.Device, x provider.Exchange) error {
			return second(provider.NewImports(d, 0, 1, x, provider.Options{}, provider.Options{}))
		},
	} {
		d, err := gpu.Open("host")
		if err != nil {
			t.Fatal(err)
		}
		if err := bad(d, broken{}); !errors.Is(err, provider.ErrArgument) {
			t.Error(err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// broken is an exchange that is gone.
type broken struct{}

var errGone = errors.New("gone")

func (broken) Broadcast(context.Context, []byte, int) error { return errGone }
func (broken) Barrier(context.Context) error                { return errGone }

// TestExchangeGone: an exchange that fails is the error of the call, which holds nothing.
func TestExchangeGone(t *testing.T) {
	d, err := gpu.Open("host")
	if err != nil {
		t.Fatal(err)
	}
	p, err := provider.NewImports(d, 0, 2, broken{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Allocate(t.Context(), 8); !errors.Is(err, errGone) {
		t.Error(err)
	}
	if err := errors.Join(p.Barrier(t.Context()), p.Free(t.Context(), 8)); !errors.Is(err, errGone) || !errors.Is(err, provider.ErrForeign) {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// remote is an exchange over which the other rank seems to be elsewhere.
type remote struct {
	provider.Exchange
	me      int
	machine bool
}

func (r remote) Broadcast(ctx context.Context, buf []byte, root int) error {
	err := r.Exchange.Broadcast(ctx, buf, root)
	if root != r.me {
		provider.Forge(buf, r.machine)
	}
	return err
}

// TestImportsOfMachines: memory of another machine, and such that cannot be exported, is not
// direct, and the launch says why.
func TestImportsOfMachines(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		for _, machine := range []bool{true, false} {
			p, err := provider.NewImports(c.p.Device(), c.w.MyPE(), 2, remote{provider.ExchangeOf(c.w), c.w.MyPE(), machine}, provider.Options{SelfTest: true})
			c.ok(err)
			x, _ := allocate[byte](c, 8) // of the heap, which has no handle
			m, err := p.Import(c.t.Context(), x)
			c.ok(err)
			words := "it is on another machine"
			if !machine {
				words = "does not know the memory"
			}
			if other := 1 - c.w.MyPE(); !slices.Equal(m.IndirectPeers(), []int{other}) || m.Capabilities(other) != 0 {
				c.t.Errorf("%v: indirect %v", m, m.IndirectPeers())
			}
			c.wants(m.KernelArgument().Err, provider.ErrIndirect, words)
			c.ok(errors.Join(p.Free(c.t.Context(), x.Address()), p.Close()))
		}
	})
}

// TestImportArray: tensors of other libraries.
func TestImportArray(t *testing.T) {
	on(t, 2, shmem.Options{}, func(c world) {
		ctx, p := c.t.Context(), c.imports()
		x, err := gpu.Alloc[float32](c.p.Device(), 12)
		c.ok(err)
		defer x.Close()
		c.ok(x.Fill(float32(c.w.MyPE())))
		a, err := x.Interchange()
		c.ok(err)
		a.Shape, a.Strides = []int64{3, 1, 4}, []int64{4, 99, 1}
		memory, m, err := p.ImportArray(ctx, a)
		c.ok(err)
		c.ok(p.Barrier(ctx))
		theirs, err := provider.AsRemote(m, memory, 1-c.w.MyPE())
		c.ok(err)
		values, err := gpu.As[float32](theirs)
		c.ok(err)
		if got := contents(c, values); len(got) != 12 || got[11] != float32(1-c.w.MyPE()) {
			c.t.Errorf("%v", got)
		}
		for says, change := range map[string]func(a *interchange.Array){
			"read-only":         func(a *interchange.Array) { a.ReadOnly = true },
			"a compact tensor":  func(a *interchange.Array) { a.Strides = []int64{8, 4, 1} },
			"with elements":     func(a *interchange.Array) { a.Shape[0] = 0 },
			"memory of ":        func(a *interchange.Array) { a.Device = interchange.Device{Type: 99} },
			"3 strides for 2":   func(a *interchange.Array) { a.Shape = a.Shape[:2] },
			"an allocation alr": func(*interchange.Array) {},
		} {
			wrong := a
			wrong.Shape = slices.Clone(a.Shape)
			change(&wrong)
			_, _, err := p.ImportArray(ctx, wrong)
			c.wants(err, provider.ErrArgument, says)
		}
		c.ok(p.Free(ctx, m.AllocationBase()))
	})
}

// TestImportHandleOfProcesses: memory that has come by a handle is given to the others by it.
func TestImportHandleOfProcesses(t *testing.T) {
	d, err := gpu.Open("host")
	if err != nil {
		t.Fatal(err)
	}
	shmemtest.RunProcesses(t, 2, func(t testing.TB, w *shmem.World) {
		c := world{t: t, w: w}
		ctx := t.Context()
		p, err := provider.NewImports(d, w.MyPE(), w.NPEs(), provider.ExchangeOf(w), provider.Options{SelfTest: true})
		c.ok(err)
		x, err := gpu.Alloc[byte](d, 100)
		c.ok(err)
		h, err := x.Export()
		c.ok(err)
		y, m, err := p.ImportHandle(ctx, h)
		c.ok(err)
		if !m.AllDirect() || y.Address() == x.Address() {
			t.Errorf("%v, exported at %#x", m, x.Address())
		}
		c.ok(errors.Join(p.Free(ctx, y.Address()), x.Close()))
		_, _, err = p.ImportHandle(ctx, h)
		if err == nil {
			t.Error("a handle of closed memory was imported")
		}
		c.ok(p.Close())
	})
}
