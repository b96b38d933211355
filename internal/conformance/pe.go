package conformance

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// pe is one PE in a check. Its methods end the check on this PE if something
// fails; the waits of the others then fail as well.
type pe struct {
	testing.TB
	ctx    context.Context
	w      *shmem.World
	me, n  int
	frees  []func(context.Context) error
	far    bool // own copies are on a device
	before shmem.HeapStats
	start  time.Time
}

func enter(t testing.TB, w *shmem.World) *pe {
	return &pe{TB: t, ctx: t.Context(), w: w, me: w.MyPE(), n: w.NPEs(), far: w.Info().Device != "", before: w.HeapStats(), start: time.Now()}
}

// leave frees what alloc gave and holds the check to leaving nothing else.
func (p *pe) leave() {
	p.Helper()
	p.barrier()
	for i := len(p.frees) - 1; i >= 0; i-- {
		p.ok(p.frees[i](p.ctx))
	}
	same(p, p.w.HeapStats(), p.before, "heap after the check")
}

// ok ends the check if err is not nil.
func (p *pe) ok(err error) {
	if err != nil {
		p.Helper() // here and below only now, since it costs more than a put
		p.Fatal(err)
	}
}

// often is how often a check does something again that it does many times.
func (p *pe) often(k int) int { return p.fewer(max(k/slower, 1)) }

// fewer is k, unless there is a network, over which each takes a thousand times as long.
func (p *pe) fewer(k int) int {
	if p.w.Info().Nodes > 1 {
		return min(k, max(k/100, 100))
	}
	return k
}

// repeat calls f k times, without anything between the calls that would keep PEs
// from meeting each other at the same word.
func (p *pe) repeat(k int, f func(i int) error) {
	for i := range k {
		if err := f(i); err != nil {
			p.Helper()
			p.Fatal(err)
		}
	}
}

// is ends the check unless err is target.
func (p *pe) is(err, target error, what string) {
	if !errors.Is(err, target) {
		p.Helper()
		p.Fatalf("%s: error is %v, want one that is %q", what, err, target)
	}
}

// crowd is repeat on all PEs at once, in bursts that begin together where there
// are cores enough: after a barrier alone one PE may be done before another wakes.
func (p *pe) crowd(k int, f func(i int) error) {
	p.Helper()
	const bursts = 10
	ready, most := alloc[uint64](p, 1), 100000
	if p.n > runtime.NumCPU() {
		most = 1000 // some cannot come before others go
	}
	for b := range bursts {
		p.ok(shmem.AtomicInc(ready, 0, 0))
		for looks := 0; looks < most && fetched(p, ready) < uint64((b+1)*p.n); looks++ {
			continue
		}
		p.repeat(k/bursts, func(i int) error { return f(b*(k/bursts) + i) })
	}
}

// fetched is element 0 of PE 0, on which there are atomics.
func fetched(p *pe, a shmem.Array[uint64]) uint64 {
	p.Helper()
	v, err := shmem.AtomicFetch(a, 0, 0)
	p.ok(err)
	return v
}

func (p *pe) barrier() { p.Helper(); p.ok(p.w.Barrier(p.ctx)) }

func (p *pe) sync() { p.Helper(); p.ok(p.w.Sync(p.ctx)) }

func (p *pe) quiet() { p.Helper(); p.ok(p.w.Quiet(p.ctx)) }

func (p *pe) fence() { p.Helper(); p.ok(p.w.Fence()) }

func (p *pe) next() int { return (p.me + 1) % p.n }

func (p *pe) prev() int { return (p.me + p.n - 1) % p.n }

// partner is the other PE of a pair; the last PE of an odd world is its own.
func (p *pe) partner() int {
	if other := p.me ^ 1; other < p.n {
		return other
	}
	return p.me
}

// alloc allocates memory that is freed when the check is over.
func alloc[T any](p *pe, n int) shmem.Array[T] {
	p.Helper()
	a, err := shmem.Alloc[T](p.ctx, p.w, n)
	p.ok(err)
	p.frees = append(p.frees, a.Free)
	return a
}

// allocSignals allocates signals that are freed when the check is over.
func allocSignals(p *pe, n int) []shmem.Signal {
	p.Helper()
	s, err := shmem.AllocSignals(p.ctx, p.w, n)
	p.ok(err)
	p.frees = append(p.frees, s[0].Free)
	return s
}

// local is this PE's own copy, to be read: of a device, as it is now.
func local[T any](p *pe, a shmem.Array[T]) []T {
	own, err := a.Local()
	if p.far {
		p.Helper()
		p.is(err, shmem.ErrNoPeerAccess, "own copy on a device")
		own = make([]T, a.Len())
		err = a.CopyTo(own)
	}
	if err != nil {
		p.Helper()
		p.Fatal(err)
	}
	return own
}

// change has f write this PE's own copy, where it is or in a copy.
func change[T any](p *pe, a shmem.Array[T], f func(own []T)) {
	p.Helper()
	own := local(p, a)
	f(own)
	if p.far {
		p.ok(a.CopyFrom(own))
	}
}

// set has each element of this PE's own copy be what f says.
func set[T any](p *pe, a shmem.Array[T], f func(i int) T) {
	p.Helper()
	change(p, a, func(own []T) {
		for i := range own {
			own[i] = f(i)
		}
	})
}

// wipe clears this PE's own copy.
func wipe[T any](p *pe, a shmem.Array[T]) {
	p.Helper()
	change(p, a, func(own []T) { clear(own) })
}

// part is elements lo to hi-1.
func part[T any](p *pe, a shmem.Array[T], lo, hi int) shmem.Array[T] {
	s, err := a.Slice(lo, hi)
	if err != nil {
		p.Helper()
		p.Fatal(err)
	}
	return s
}

// at is element i of this PE's own copy, read as others write it.
func at[T any](p *pe, a shmem.Array[T], i int) T {
	v, err := a.At(i)
	if err != nil {
		p.Helper()
		p.Fatal(err)
	}
	return v
}

// g is element i of another PE's copy.
func g[T any](p *pe, a shmem.Array[T], i, pe int) T {
	v, err := a.G(i, pe)
	if err != nil {
		p.Helper()
		p.Fatal(err)
	}
	return v
}

// has says whether element i of the own copy, to which others may be putting, is at least v.
func has(p *pe, a shmem.Array[uint64], i int, v uint64) bool {
	ok, err := shmem.Test(a, i, shmem.GE, v)
	if err != nil {
		p.Helper()
		p.Fatal(err)
	}
	return ok
}

// wait waits until element i of the own copy is at least v.
func wait(p *pe, a shmem.Array[uint64], i int, v uint64) {
	if err := shmem.WaitUntil(p.ctx, a, i, shmem.GE, v); err != nil {
		p.Helper()
		p.Fatal(err)
	}
}

// idle is for loops that look at memory by themselves: it lets other PEs run, and
// ends the check if the world has failed or the loop goes on for a minute. It
// finds out with a wait, on any array, that nothing can end well.
func idle[T shmem.Waitable](p *pe, a shmem.Array[T], round int) {
	runtime.Gosched()
	if round%4096 != 4095 {
		return
	}
	p.Helper()
	over, cancel := context.WithCancel(p.ctx)
	cancel()
	var least T
	err := shmem.WaitUntil(over, a, 0, shmem.LT, least)
	if err != nil && !errors.Is(err, context.Canceled) {
		p.Fatal(err)
	}
	if time.Since(p.start) > time.Minute {
		p.Fatal("polled for a minute")
	}
}

// same ends the check unless got is want.
func same[T comparable](p *pe, got, want T, format string, args ...any) {
	if got != want {
		p.Helper()
		p.Logf(format, args...)
		p.Fatalf("got %v, want %v", got, want)
	}
}

// sameAll ends the check at the first element that is not what want says.
func sameAll[T comparable](p *pe, got []T, want func(i int) T, format string, args ...any) {
	for i, v := range got {
		if w := want(i); v != w {
			p.Helper()
			p.Logf(format, args...)
			p.Fatalf("element %d of %d is %v, want %v", i, len(got), v, w)
		}
	}
}

// hash mixes small numbers into one that looks random, the same on every PE.
func hash(numbers ...int) uint64 {
	x := uint64(0x9e3779b97f4a7c15)
	for _, n := range numbers {
		x ^= uint64(n)
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}
