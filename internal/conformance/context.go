package conformance

import (
	"sync"

	"github.com/goshmem/goshmem/shmem"
)

func contextChecks() []Check {
	return []Check{
		check("context: quiet completes what went through it", 1, contextQuiet),
		check("context: quiet covers gets", 1, contextGets),
		check("context: fence between data and flag", 1, contextFence),
		check("context: destroy completes", 1, contextDestroyCompletes),
		check("context: free completes what went through all", 1, contextFree),
		check("context: fence, seen by polling", 2, contextFencePolling),
		check("context: put with signal", 1, contextSignal),
		check("context: put with signal, seen by polling", 2, contextSignalPolling),
		check("context: numbers of its team", 3, contextNumbers),
		check("context: 32 of them, one word", 1, manyContexts),
		check("context: views are made and destroyed at once", 1, contextChurn),
		check("context: destroyed", 1, contextDestroyed),
		check("context: destroyed with its team", 1, contextOfTeam),
	}
}

// newContext makes a context for all PEs.
func newContext(p *pe) *shmem.CommContext {
	p.Helper()
	c, err := p.w.NewContext(shmem.ContextOptions{})
	p.ok(err)
	return c
}

// via is the array as operations through c see it.
func via[T any](p *pe, a shmem.Array[T], c *shmem.CommContext) shmem.Array[T] {
	p.Helper()
	v, err := a.Via(c)
	p.ok(err)
	return v
}

// scatter puts src piecewise to the next PE, without waiting for anything.
func scatter(p *pe, dst, src shmem.Array[uint64], value uint64) {
	p.Helper()
	p.ok(src.Fill(value))
	for i := range src.Len() {
		p.ok(part(p, dst, i, i+1).PutNBI(part(p, src, i, i+1), p.next()))
	}
}

// contextQuiet: what went through a context is there after its quiet.
func contextQuiet(p *pe) {
	const n = 20
	dst, src := alloc[uint64](p, n), alloc[uint64](p, n)
	c := newContext(p)
	through := via(p, dst, c)
	for round := uint64(1); round <= 30; round++ {
		scatter(p, through, src, hash64(p.me, round))
		p.ok(c.Quiet(p.ctx))
		p.sync() // which by itself completes nothing
		sameAll(p, local(p, dst), func(int) uint64 { return hash64(p.prev(), round) }, "round %d", round)
		p.sync()
	}
	p.ok(c.Destroy(p.ctx))
}

func contextGets(p *pe) {
	const n = 20
	a, back := alloc[uint64](p, n), alloc[uint64](p, n)
	c := newContext(p)
	p.ok(a.Fill(hash(p.me)))
	p.barrier()
	for i := range n {
		p.ok(part(p, back, i, i+1).GetNBI(via(p, part(p, a, i, i+1), c), p.next()))
	}
	p.ok(c.Quiet(p.ctx))
	sameAll(p, local(p, back), func(int) uint64 { return hash(p.next()) }, "gets through a context")
	p.ok(c.Destroy(p.ctx))
}

// contextFence is fencedFlag with data and flag through one context.
func contextFence(p *pe) {
	const n = 20
	dst, src, flags := alloc[uint64](p, n), alloc[uint64](p, n), alloc[uint64](p, 2)
	c := newContext(p)
	data, flag := via(p, dst, c), via(p, flags, c)
	for round := uint64(1); round <= 60; round++ {
		scatter(p, data, src, hash64(p.me, round))
		p.ok(c.Fence())
		p.ok(flag.P(0, round, p.next()))
		wait(p, flags, 0, round)
		sameAll(p, local(p, dst), func(int) uint64 { return hash64(p.prev(), round) }, "round %d", round)
		p.ok(c.Quiet(p.ctx)) // before the own source changes
		p.ok(flags.P(1, round, p.prev()))
		wait(p, flags, 1, round)
	}
	p.ok(c.Destroy(p.ctx))
}

func contextFencePolling(p *pe) {
	c := newContext(p)
	polledFence(p, func(a shmem.Array[uint64]) shmem.Array[uint64] { return via(p, a, c) }, c.Fence)
	p.ok(c.Destroy(p.ctx))
}

func contextSignalPolling(p *pe) {
	c := newContext(p)
	polledSignal(p, func(a shmem.Array[uint64]) shmem.Array[uint64] { return via(p, a, c) })
	p.ok(c.Destroy(p.ctx))
}

func contextDestroyCompletes(p *pe) {
	const n = 20
	dst, src := alloc[uint64](p, n), alloc[uint64](p, n)
	for round := uint64(1); round <= 20; round++ {
		c := newContext(p)
		scatter(p, via(p, dst, c), src, hash64(p.me, round))
		p.ok(c.Destroy(p.ctx))
		p.sync()
		sameAll(p, local(p, dst), func(int) uint64 { return hash64(p.prev(), round) }, "round %d", round)
		p.sync()
	}
}

// contextFree: no put through a context lands in what comes to stand where it pointed.
func contextFree(p *pe) {
	const n = 50
	src, other, elsewhere := alloc[uint64](p, n), alloc[uint64](p, n), alloc[uint64](p, n)
	c := newContext(p)
	for round := range 20 {
		a, err := shmem.Alloc[uint64](p.ctx, p.w, n)
		p.ok(err)
		scatter(p, via(p, elsewhere, c), src, ^uint64(0)) // has an engine go on with what it still has
		p.sync()
		same(p, anyBit(local(p, a)), 0, "round %d: bits set in a fresh block", round)
		p.barrier()
		scatter(p, via(p, a, c), other, ^uint64(0)) // the barrier has not given src back
		p.ok(a.Free(p.ctx))
	}
	p.ok(c.Destroy(p.ctx))
}

// contextSignal: data and signal go the array's way, in its numbering, whichever way
// the signal is.
func contextSignal(p *pe) {
	const n = 30
	dst, src, plain := alloc[uint64](p, n), alloc[uint64](p, n), allocSignals(p, 2)
	c := newContext(p)
	through, err := plain[0].Via(c)
	p.ok(err)
	for round := uint64(1); round <= 60; round++ {
		to, sig := dst, through
		if round%2 == 0 {
			to, sig = via(p, dst, c), plain[0]
		}
		p.ok(src.Fill(hash64(p.me, round)))
		p.ok(putSignals(p)[round%3](to, src, p.next(), sig, round))
		seen, err := through.WaitUntil(p.ctx, shmem.GE, round)
		p.ok(err)
		same(p, seen, round, "value that ended the wait")
		sameAll(p, local(p, dst), func(int) uint64 { return hash64(p.prev(), round) }, "round %d", round)
		p.quiet()
		p.ok(c.Quiet(p.ctx))
		p.ok(plain[1].Set(round, p.prev()))
		_, err = plain[1].WaitUntil(p.ctx, shmem.EQ, round)
		p.ok(err)
	}
	p.ok(c.Destroy(p.ctx))
}

// contextNumbers uses every kind of operation in the numbering of the team of all PEs
// but the first.
func contextNumbers(p *pe) {
	a, b, sig := alloc[uint64](p, p.n), alloc[uint64](p, p.n), allocSignals(p, 1)[0]
	t := split(p, p.w.Team(), 1, 1, p.n-1)
	if t != nil {
		c, err := t.NewContext(shmem.ContextOptions{})
		p.ok(err)
		same(p, c.Team(), t, "team of the context")
		everyNumber(p, t, c, a, b, sig)
		p.ok(c.Destroy(p.ctx))
	}
	p.barrier()
	want := uint64(p.n - 1) // each member has added 1
	if t == nil {
		want = 0
	}
	sameAll(p, local(p, a)[1:], func(i int) uint64 {
		if t == nil {
			return 0
		}
		return hash(i, p.me)
	}, "slots of all members")
	same(p, at(p, b, 0), want, "sum of adds")
	same(p, fetch(p, sig), want, "signals")
	destroy(p, t)
}

// everyNumber leaves on each member, in a, a word of each member, and counts in b.
func everyNumber(p *pe, t *shmem.Team, c *shmem.CommContext, a, b shmem.Array[uint64], sig shmem.Signal) {
	p.Helper()
	through, sum := via(p, a, c), via(p, b, c)
	signal, err := sig.Via(c)
	p.ok(err)
	for i := range t.NPEs() {
		value := hash(t.MyPE(), t.Translate(i, p.w.Team()))
		p.ok(through.P(p.me, value, i))
		p.ok(c.Quiet(p.ctx))
		same(p, g(p, through, p.me, i), value, "word of member %d", i)
		same(p, g(p, a, p.me, i+1), value, "word of PE %d", i+1)
		p.ok(shmem.AtomicAdd(sum, 0, 1, i))
		p.ok(signal.Add(1, i))
	}
	for _, pe := range []int{-1, t.NPEs(), p.n} {
		p.is(through.P(0, 1, pe), shmem.ErrPE, "put beyond the team")
		p.is(through.IPut(b, 1, 1, 1, pe), shmem.ErrPE, "strided put beyond the team")
		p.is(second(shmem.AtomicFetchInc(sum, 0, pe)), shmem.ErrPE, "atomic beyond the team")
		p.is(signal.Add(1, pe), shmem.ErrPE, "signal beyond the team")
		p.is(second(through.Peer(pe)), shmem.ErrPE, "view of a PE beyond the team")
	}
	own, err := through.Address(t.MyPE())
	p.ok(err)
	same(p, own, address(p, a), "own copy, as a view of the team's number")
}

// manyContexts has as many goroutines as contexts add to the same word.
func manyContexts(p *pe) {
	const contexts, k = 32, 50
	sum := alloc[uint64](p, 1)
	errs := make([]error, contexts)
	var wg sync.WaitGroup
	for i := range contexts {
		wg.Go(func() { errs[i] = countThrough(p, sum, k) })
	}
	wg.Wait()
	for _, err := range errs {
		p.ok(err)
	}
	p.barrier()
	same(p, g(p, sum, 0, 0), uint64(p.n*contexts*k), "increments through all contexts")
	p.barrier()
}

// countThrough adds k ones to the word of PE 0 through a context of its own.
func countThrough(p *pe, sum shmem.Array[uint64], k int) error {
	c, err := p.w.NewContext(shmem.ContextOptions{Private: true})
	if err != nil {
		return err
	}
	through, err := sum.Via(c)
	for range k {
		if err == nil {
			err = shmem.AtomicInc(through, 0, 0)
		}
	}
	if err != nil {
		return err
	}
	return c.Destroy(p.ctx)
}

// contextChurn has goroutines make views of one array through contexts that they then
// destroy: a view never outlives its context, whatever the others do.
func contextChurn(p *pe) {
	a := alloc[uint64](p, 1)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				c, err := p.w.NewContext(shmem.ContextOptions{})
				if err != nil {
					p.Error(err)
					return
				}
				v, err := a.Via(c)
				if err != nil || c.Destroy(p.ctx) != nil || v.P(0, 1, p.me) == nil {
					p.Errorf("a view through a context that was destroyed can be used (%v)", err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func contextDestroyed(p *pe) {
	a, sig := alloc[uint64](p, 4), allocSignals(p, 1)[0]
	c, other := newContext(p), newContext(p)
	v, kept := via(p, a, c), via(p, a, other)
	s, err := sig.Via(c)
	p.ok(err)
	p.ok(c.Destroy(p.ctx))
	p.ok(c.Destroy(p.ctx)) // does nothing
	for what, err := range uses(p, v) {
		p.is(err, shmem.ErrClosed, what)
	}
	for what, err := range ownSignalUses(p, s) {
		p.is(err, shmem.ErrClosed, what)
	}
	p.is(second(a.Via(c)), shmem.ErrClosed, "via")
	p.is(c.Fence(), shmem.ErrClosed, "fence")
	p.is(c.Quiet(p.ctx), shmem.ErrClosed, "quiet")
	p.ok(kept.P(0, 7, p.next()))
	p.ok(other.Quiet(p.ctx))
	p.barrier()
	same(p, at(p, a, 0), 7, "put through the other context")
	b, err := shmem.Alloc[uint64](p.ctx, p.w, 4)
	p.ok(err)
	through := via(p, b, other)
	p.ok(through.Free(p.ctx)) // frees the array
	p.is(b.P(0, 1, p.me), shmem.ErrFreed, "use of an array that was freed through a context")
	p.is(through.P(0, 1, p.me), shmem.ErrFreed, "use of its view")
	p.ok(other.Destroy(p.ctx))
	p.is(through.P(0, 1, p.me), shmem.ErrFreed, "use of the view of a freed array, after the context")
}

// contextOfTeam: a team takes its contexts along, and only those.
func contextOfTeam(p *pe) {
	const n = 20
	dst, src := alloc[uint64](p, n), alloc[uint64](p, n)
	t, world := split(p, p.w.Team(), 0, 1, p.n), newContext(p)
	c, err := t.NewContext(shmem.ContextOptions{})
	p.ok(err)
	v := via(p, dst, c)
	scatter(p, v, src, hash(p.me))
	p.ok(t.Destroy(p.ctx))
	p.sync()
	sameAll(p, local(p, dst), func(int) uint64 { return hash(p.prev()) }, "puts through the context of a destroyed team")
	p.is(v.P(0, 1, p.me), shmem.ErrClosed, "use of a view")
	p.is(c.Quiet(p.ctx), shmem.ErrClosed, "quiet")
	p.is(second(t.NewContext(shmem.ContextOptions{})), shmem.ErrClosed, "new context of a destroyed team")
	p.ok(c.Destroy(p.ctx))
	p.ok(world.Quiet(p.ctx))
	p.ok(world.Destroy(p.ctx))
}
