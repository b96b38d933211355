package raw_test

import (
	"context"
	"testing"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

// severalWaits and vectorWaits are structs of checkFamilies, see there.
type severalWaits[T shmem.Waitable] struct {
	any  func(ctx context.Context, w *shmem.World, ivars uintptr, n int, status uintptr, cmp shmem.Cmp, value T) (int, error)
	all  func(ctx context.Context, w *shmem.World, ivars uintptr, n int, status uintptr, cmp shmem.Cmp, value T) error
	some func(ctx context.Context, w *shmem.World, ivars uintptr, n int, indices, status uintptr, cmp shmem.Cmp, value T) (int, error)
}

func (x severalWaits[T]) check(t testing.TB, w *shmem.World, c string) {
	f := newFamily[T](t, w, c, 3)
	v := value[T](2)
	f.several([]T{v, v, v}, waiter{
		any: func(status uintptr) (int, error) { return x.any(f.ctx, w, f.addr, 3, status, raw.CmpEq, v) },
		all: func(status uintptr) error { return x.all(f.ctx, w, f.addr, 3, status, raw.CmpEq, v) },
		some: func(indices, status uintptr) (int, error) {
			return x.some(f.ctx, w, f.addr, 3, indices, status, raw.CmpEq, v)
		},
	})
	f.free(f.addr)
}

type vectorWaits[T shmem.Waitable] struct {
	any  func(ctx context.Context, w *shmem.World, ivars uintptr, n int, status uintptr, cmp shmem.Cmp, values uintptr) (int, error)
	all  func(ctx context.Context, w *shmem.World, ivars uintptr, n int, status uintptr, cmp shmem.Cmp, values uintptr) error
	some func(ctx context.Context, w *shmem.World, ivars uintptr, n int, indices, status uintptr, cmp shmem.Cmp, values uintptr) (int, error)
}

func (x vectorWaits[T]) check(t testing.TB, w *shmem.World, c string) {
	f := newFamily[T](t, w, c, 3)
	vs := f.malloc(3 * sizeOf[T]())
	values := []T{value[T](1), value[T](2), value[T](3)}
	copy(own[T](f.pe, vs, 3), values)
	f.several(values, waiter{
		any: func(status uintptr) (int, error) { return x.any(f.ctx, w, f.addr, 3, status, raw.CmpEq, vs) },
		all: func(status uintptr) error { return x.all(f.ctx, w, f.addr, 3, status, raw.CmpEq, vs) },
		some: func(indices, status uintptr) (int, error) {
			return x.some(f.ctx, w, f.addr, 3, indices, status, raw.CmpEq, vs)
		},
	})
	f.free(vs)
	f.free(f.addr)
}

// waiter waits for three elements at the address of a family.
type waiter struct {
	any  func(status uintptr) (int, error)
	all  func(status uintptr) error
	some func(indices, status uintptr) (int, error)
}

// several has the values come one by one: number 1, 0, and 2.
func (f family[T]) several(values []T, x waiter) {
	f.Helper()
	status, indices := f.malloc(3*4), f.malloc(3*8)
	mask, numbers := own[int32](f.pe, status, 3), own[int](f.pe, indices, 3)
	some := func(status uintptr, want ...int) {
		f.Helper()
		n, err := x.some(indices, status)
		f.ok(err)
		same(f.pe, f.c+" wait_until_some", n, len(want))
		for i, w := range want {
			same(f.pe, f.c+" wait_until_some", numbers[i], w)
		}
	}
	copy(mask, []int32{1, -1, 1 << 30})
	same(f.pe, f.c+" wait_until_any of none", must[int](f.pe)(x.any(status)), -1)
	some(status)
	f.ok(x.all(status))
	f.sent(1, values[1])
	same(f.pe, f.c+" wait_until_any", must[int](f.pe)(x.any(0)), 1)
	some(0, 1)
	copy(mask, []int32{1, 0, 1})
	f.ok(x.all(status))
	f.sent(0, values[0])
	some(0, 0, 1)
	some(status, 1)
	copy(mask, []int32{0, 1, 1})
	same(f.pe, f.c+" wait_until_any with a status", must[int](f.pe)(x.any(status)), 0)
	a, err := shmem.ObjectAt[T](f.w, f.addr, 3)
	f.ok(err)
	f.barrier() // nobody's element 2 comes before his neighbour has looked at the others
	f.ok(a.P(2, values[2], f.next()))
	f.ok(x.all(0))
	some(0, 0, 1, 2)
	f.free(indices)
	f.free(status)
}

// sent returns when all PEs have sent element i to the next.
func (f family[T]) sent(i int, v T) {
	f.Helper()
	f.barrier()
	a, err := shmem.ObjectAt[T](f.w, f.addr, 3)
	f.ok(err)
	f.ok(a.P(i, v, f.next()))
	f.barrier()
}

// wrongWaits are addresses that a wait cannot use.
func wrongWaits(p *pe) {
	freed := p.malloc(4096)
	good, room := p.malloc(16), p.malloc(16)
	p.free(freed)
	some := func(ivars uintptr, n int, indices, status uintptr) error {
		_, err := raw.LongWaitUntilSome(p.ctx, p.w, ivars, n, indices, status, raw.CmpEq, 0)
		return err
	}
	p.ok(some(good, 2, room, 0))
	p.ok(some(good, 0, room, 0))
	p.refused("elements past the end", some(good, 3, room, 0), shmem.ErrBounds)
	p.refused("fewer than no elements", some(good, -1, room, 0), shmem.ErrBounds)
	p.refused("no elements", some(0, 2, room, 0), shmem.ErrBounds)
	p.refused("indices at nothing", some(good, 2, 0, 0), shmem.ErrArgument)
	p.refused("indices over the end", some(good, 2, room+8, 0), shmem.ErrBounds)
	p.refused("misaligned indices", some(good, 1, room+4, 0), shmem.ErrArgument)
	p.refused("a freed status", some(good, 2, room, freed), shmem.ErrFreed)
	p.refused("a status over the end", some(good, 2, room, good+12), shmem.ErrBounds)
	any := func(values uintptr) error {
		i, err := raw.LongWaitUntilAnyVector(p.ctx, p.w, good, 2, 0, raw.CmpEq, values)
		same(p, "the number that comes with an error", i < 0, err != nil)
		return err
	}
	p.ok(any(good))
	p.refused("no values", any(0), shmem.ErrArgument)
	p.refused("values over the end", any(good+8), shmem.ErrBounds)
	p.refused("a misaligned value", raw.LongWaitUntilAllVector(p.ctx, p.w, good, 1, 0, raw.CmpEq, good+4), shmem.ErrArgument)
	i, err := raw.LongWaitUntilAny(p.ctx, p.w, good+1, 1, 0, raw.CmpEq, 0)
	p.refused("a misaligned element", err, shmem.ErrArgument)
	same(p, "the number that comes with an error", i, -1)
	p.free(room)
	p.free(good)
}
