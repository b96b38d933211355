package conformance

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
)

func waitChecks() []Check {
	return []Check{
		check("wait: every type, every comparison", 1, waitTypes),
		check("wait: what holds already", 1, waitAlready),
		check("wait: another goroutine of this PE stores", 1, waitGoroutine),
		check("wait: polling, each sender answered once", 2, waitPolling),
		check("wait: ends with its context", 1, waitContext),
	}
}

func waitTypes(p *pe) {
	waitOn(p, func(x int) int8 { return int8(x-5) * 20 })
	waitOn(p, func(x int) int16 { return int16(x-5) * 5000 })
	waitOn(p, func(x int) int32 { return int32(x-5) << 28 })
	waitOn(p, func(x int) int64 { return int64(x-5) << 60 })
	waitOn(p, func(x int) int { return (x - 5) << 60 })
	waitOn(p, func(x int) uint8 { return uint8(x) * 30 })
	waitOn(p, func(x int) uint16 { return uint16(x) << 13 })
	waitOn(p, func(x int) uint32 { return uint32(x) << 29 })
	waitOn(p, func(x int) uint64 { return uint64(x) << 61 })
	waitOn(p, func(x int) uint { return uint(x) << 61 })
	waitOn(p, func(x int) uintptr { return uintptr(x) << 29 })
	waitOn(p, func(x int) float32 { return float32(x-5) / 4 })
	waitOn(p, func(x int) float64 { return float64(x-5) / 4 })
}

// waitOn plays ping-pong with single elements, once for each comparison. value
// maps 1 to 6 to rising values.
func waitOn[T shmem.Waitable](p *pe, value func(int) T) {
	p.Helper()
	a := alloc[T](p, 7)
	other := p.partner()
	for cmp := shmem.EQ; cmp <= shmem.LE; cmp++ {
		before, operand := crossing(cmp)
		i, want := int(cmp), value(operand)
		p.ok(a.Set(i, value(before)))
		tested(p, a, i, cmp, want, false)
		p.barrier()
		if p.me <= other {
			p.ok(a.P(i, value(5), other))
		}
		p.ok(shmem.WaitUntil(p.ctx, a, i, cmp, want))
		same(p, at(p, a, i), value(5), "%T, wait until %v %v", want, cmp, want)
		tested(p, a, i, cmp, want, true)
		if p.me > other {
			p.ok(a.P(i, value(5), other))
		}
	}
	p.barrier()
}

func tested[T shmem.Waitable](p *pe, a shmem.Array[T], i int, cmp shmem.Cmp, v T, want bool) {
	p.Helper()
	got, err := shmem.Test(a, i, cmp, v)
	p.ok(err)
	same(p, got, want, "%T, test %v %v of %v", v, cmp, v, at(p, a, i))
}

// waitAlready: a wait for what is there needs nobody.
func waitAlready(p *pe) {
	a := alloc[int32](p, 2)
	p.ok(a.Set(1, -3))
	p.ok(shmem.WaitUntil(p.ctx, a, 0, shmem.EQ, 0))
	p.ok(shmem.WaitUntil(p.ctx, a, 1, shmem.LT, -2))
	p.ok(a.P(1, 8, p.me))
	p.ok(shmem.WaitUntil(p.ctx, a, 1, shmem.GT, 7))
}

// waitGoroutine has two goroutines of one PE wake each other with local stores.
func waitGoroutine(p *pe) {
	a, sig := alloc[uint64](p, 2), allocSignals(p, 1)[0]
	const rounds = 30
	done := make(chan error, 1)
	go func() {
		for round := uint64(1); round <= rounds; round++ {
			if err := shmem.WaitUntil(p.ctx, a, 0, shmem.GE, round); err != nil {
				done <- err
				return
			}
			if err := sig.Set(round, p.me); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for round := uint64(1); round <= rounds; round++ {
		p.ok(a.Set(0, round))
		_, err := sig.WaitUntil(p.ctx, shmem.GE, round)
		p.ok(err)
	}
	p.ok(<-done)
}

// waitPolling has PE 0 answer, in the order of arrival, what the others ask.
func waitPolling(p *pe) {
	ask, answer := alloc[uint64](p, p.n), alloc[uint64](p, 1)
	if p.me != 0 {
		p.ok(ask.P(p.me, hash(p.me), 0))
		p.ok(shmem.WaitUntil(p.ctx, answer, 0, shmem.NE, 0))
		same(p, at(p, answer, 0), hash(p.me)+1, "answer")
		return
	}
	open := p.n - 1
	for i := 0; open > 0; i++ {
		idle(p, answer, i)
		for from := 1; from < p.n; from++ {
			asked, err := shmem.Test(ask, from, shmem.NE, 0)
			p.ok(err)
			if !asked {
				continue
			}
			p.ok(shmem.AtomicAdd(answer, 0, at(p, ask, from)+1, from))
			p.ok(ask.Set(from, 0))
			open--
		}
	}
}

// waitContext: a wait that is given up says so, and the world goes on.
func waitContext(p *pe) {
	a := alloc[uint64](p, 1)
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	p.is(shmem.WaitUntil(ctx, a, 0, shmem.EQ, 1), context.Canceled, "wait with a context that is over")
	p.barrier()
	p.ok(a.P(0, 1, p.next()))
	p.ok(shmem.WaitUntil(p.ctx, a, 0, shmem.EQ, 1))
}
