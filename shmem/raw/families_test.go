package raw_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

// The structs of checkFamilies: the functions of one type. Every PE works on a word
// of the next PE that nobody else touches, so that all values are known.

type get[T any] = func(w *shmem.World, source uintptr, pe int) (T, error)

type set[T any] = func(w *shmem.World, dest uintptr, value T, pe int) error

type change[T any] = func(w *shmem.World, dest uintptr, value T, pe int) (T, error)

func sizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// value returns the k-th of different values of T that lose something where they
// pass through a smaller type: large ones, or such with fractions.
func value[T shmem.Waitable](k int) T {
	v, half := T(k), T(1)
	half /= 2
	if half != 0 {
		return v + half + half/4
	}
	for range sizeOf[T]()*8 - 5 {
		v *= 2
	}
	return v + 3
}

// family is a PE that checks the functions of the type that C calls c.
type family[T comparable] struct {
	*pe
	c    string
	addr uintptr
}

func newFamily[T comparable](t testing.TB, w *shmem.World, c string, n int) family[T] {
	p := newPE(t, w)
	return family[T]{p, c, p.malloc(n * sizeOf[T]())}
}

// gave checks what a function returned.
func (f family[T]) gave(op string, want T) func(got T, err error) {
	return func(got T, err error) {
		f.Helper()
		f.ok(err)
		same(f.pe, f.c+" "+op, got, want)
	}
}

// left checks what is on the next PE.
func (f family[T]) left(op string, want T) func(err error) {
	return func(err error) {
		f.Helper()
		f.ok(err)
		f.ok(raw.Quiet(f.ctx, f.w))
		a, err := shmem.ObjectAt[T](f.w, f.addr, 1)
		f.ok(err)
		f.gave(op, want)(a.G(0, f.next()))
	}
}

type atomics[T shmem.AtomicNumber] struct {
	fetch get[T]
	set   set[T]
	swap  change[T]
}

func (a atomics[T]) check(t testing.TB, w *shmem.World, c string) {
	f := newFamily[T](t, w, c, 1)
	one, two := value[T](1), value[T](2)
	f.left("set", one)(a.set(w, f.addr, one, f.next()))
	f.gave("fetch", one)(a.fetch(w, f.addr, f.next()))
	f.gave("swap", one)(a.swap(w, f.addr, two, f.next()))
	f.gave("fetch", two)(a.fetch(w, f.addr, f.next()))
	f.free(f.addr)
}

type exchanges[T shmem.AtomicInteger] struct {
	compareSwap func(w *shmem.World, dest uintptr, cond, value T, pe int) (T, error)
}

func (e exchanges[T]) check(t testing.TB, w *shmem.World, c string) {
	f := newFamily[T](t, w, c, 1)
	one, two := value[T](1), value[T](2)
	f.gave("compare_swap", 0)(e.compareSwap(w, f.addr, 0, one, f.next()))
	f.gave("compare_swap of another", one)(e.compareSwap(w, f.addr, two, 7, f.next()))
	f.gave("compare_swap", one)(e.compareSwap(w, f.addr, one, two, f.next()))
	f.left("compare_swap", two)(nil)
	f.free(f.addr)
}

type additions[T shmem.AtomicInteger] struct {
	fetchInc get[T]
	inc      func(w *shmem.World, dest uintptr, pe int) error
	fetchAdd change[T]
	add      set[T]
}

func (a additions[T]) check(t testing.TB, w *shmem.World, c string) {
	f := newFamily[T](t, w, c, 1)
	v := value[T](1)
	f.left("add", v)(a.add(w, f.addr, v, f.next()))
	f.gave("fetch_add", v)(a.fetchAdd(w, f.addr, v, f.next()))
	f.left("inc", v+v+1)(a.inc(w, f.addr, f.next()))
	f.gave("fetch_inc", v+v+1)(a.fetchInc(w, f.addr, f.next()))
	f.left("fetch_inc", v+v+2)(nil)
	f.free(f.addr)
}

type bitwise[T shmem.AtomicBits] struct {
	fetchAnd, fetchOr, fetchXor change[T]
	and, or, xor                set[T]
}

func (b bitwise[T]) check(t testing.TB, w *shmem.World, c string) {
	f := newFamily[T](t, w, c, 1)
	one, two := value[T](1), value[T](6)
	f.left("or", one)(b.or(w, f.addr, one, f.next()))
	f.gave("fetch_or", one)(b.fetchOr(w, f.addr, two, f.next()))
	f.left("and", (one|two)&^1)(b.and(w, f.addr, ^T(1), f.next()))
	f.gave("fetch_and", (one|two)&^1)(b.fetchAnd(w, f.addr, two, f.next()))
	f.left("xor", two&^1^one)(b.xor(w, f.addr, one, f.next()))
	f.gave("fetch_xor", two&^1^one)(b.fetchXor(w, f.addr, one, f.next()))
	f.left("fetch_xor", two&^1)(nil)
	f.free(f.addr)
}

type move = func(w *shmem.World, dest, source uintptr, n, pe int) error

type transfers[T shmem.Waitable] struct{ put, putNBI, get, getNBI move }

func (x transfers[T]) check(t testing.TB, w *shmem.World, c string) {
	f := newFamily[T](t, w, c, 6)
	for round, m := range []struct {
		op          string
		do          move
		peer, giver int
	}{
		{"put", x.put, f.next(), f.prev()}, {"put_nbi", x.putNBI, f.prev(), f.next()},
		{"get", x.get, f.next(), f.next()}, {"get_nbi", x.getNBI, f.prev(), f.prev()},
	} {
		from, to := own[T](f.pe, f.addr, 3), own[T](f.pe, f.addr+3*uintptr(sizeOf[T]()), 3)
		for j := range from {
			from[j], to[j] = value[T]((f.me*3+round*2+j)%9), 0
		}
		f.barrier()
		f.ok(m.do(w, mem.Address(to), mem.Address(from), 3, m.peer))
		f.barrier()
		for j := range to {
			same(f.pe, c+" "+m.op, to[j], value[T]((m.giver*3+round*2+j)%9))
		}
	}
	f.free(f.addr)
}

type singles[T shmem.Waitable] struct {
	p set[T]
	g get[T]
}

func (s singles[T]) check(t testing.TB, w *shmem.World, c string) {
	f := newFamily[T](t, w, c, 1)
	f.left("p", value[T](3))(s.p(w, f.addr, value[T](3), f.next()))
	f.gave("g", value[T](3))(s.g(w, f.addr, f.next()))
	f.free(f.addr)
}

type waits[T shmem.Waitable] struct {
	until func(ctx context.Context, w *shmem.World, ivar uintptr, cmp shmem.Cmp, value T) error
	test  func(w *shmem.World, ivar uintptr, cmp shmem.Cmp, value T) (bool, error)
}

func (x waits[T]) check(t testing.TB, w *shmem.World, c string) {
	f := newFamily[T](t, w, c, 1)
	ok, err := x.test(w, f.addr, raw.CmpNe, 0)
	f.ok(err)
	same(f.pe, c+" test before", ok, false)
	f.barrier()
	a, err := shmem.ObjectAt[T](w, f.addr, 1)
	f.ok(err)
	f.ok(a.P(0, value[T](2), f.next()))
	f.ok(x.until(f.ctx, w, f.addr, raw.CmpEq, value[T](2)))
	ok, err = x.test(w, f.addr, raw.CmpGt, value[T](1))
	f.ok(err)
	same(f.pe, c+" test", ok, true)
	f.free(f.addr)
}
