package conformance

import (
	"runtime"

	"github.com/goshmem/goshmem/shmem"
)

func releaseChecks() []Check {
	return []Check{
		check("release: memory comes back, whoever is first", 1, releaseOrders),
		check("release: one PE keeps what others have released", 1, releaseKept),
		check("release: makes room when the heap is full", 1, releaseExhausted),
		check("release: many at once", 1, releaseMany),
		check("release: completes puts, also those through contexts", 1, releaseCompletes),
		check("release: by cleanups of the garbage collector", 1, releaseCleanup),
		check("release: used afterwards", 1, releasedUses),
	}
}

// settle allocates until the heap is as it was: an allocation takes released memory back.
func (p *pe) settle(before shmem.HeapStats, tries int) {
	p.Helper()
	for range tries {
		a, err := shmem.Alloc[byte](p.ctx, p.w, 1)
		p.ok(err)
		p.ok(a.Free(p.ctx))
		if p.w.HeapStats() == before {
			return
		}
		runtime.GC()
		runtime.Gosched()
	}
	same(p, p.w.HeapStats(), before, "heap after the next allocations")
}

// releaseOrders has each PE release in an order of its own, some before others.
func releaseOrders(p *pe) {
	const k = 6
	before := p.w.HeapStats()
	for first := range p.n {
		var arrays []shmem.Array[uint32]
		for i := range k {
			a, err := shmem.Alloc[uint32](p.ctx, p.w, 100+50*i)
			p.ok(err)
			sameAll(p, local(p, a), func(int) uint32 { return 0 }, "fresh array %d", i)
			p.ok(a.Fill(^uint32(0)))
			arrays = append(arrays, a)
		}
		if p.me != first {
			p.barrier()
		}
		for i := range k {
			p.ok(part(p, arrays[(i*5+p.me)%k], 1, 3).Release()) // a part releases the whole
		}
		if p.me == first {
			p.barrier()
		}
		p.barrier()
		p.settle(before, 1)
	}
}

// releaseKept: the others go on with what this PE has released, and nothing comes in
// its place.
func releaseKept(p *pe) {
	before, keeper := p.w.HeapStats(), p.n-1
	a, err := shmem.Alloc[uint64](p.ctx, p.w, p.n)
	p.ok(err)
	everybodys, err := shmem.Alloc[uint64](p.ctx, p.w, 1)
	p.ok(err)
	p.ok(everybodys.Release()) // so that all have something to compare
	if p.me != keeper {
		p.ok(a.Release())
	}
	p.barrier()
	b := alloc[uint64](p, 64)
	same(p, p.w.HeapStats().Blocks, before.Blocks+btoi(p.n > 1 || p.me == keeper)+1, "blocks")
	if p.me == keeper {
		for pe := range p.n {
			p.ok(a.P(0, hash(pe), pe))
		}
		p.quiet()
		for pe := range p.n {
			same(p, g(p, a, 0, pe), hash(pe), "word on a PE that has released it")
		}
	}
	p.barrier()
	sameAll(p, local(p, b), func(int) uint64 { return 0 }, "block that came later")
	if p.me == keeper {
		p.ok(a.Release())
	}
	p.barrier()
	c := alloc[uint64](p, p.n)
	sameAll(p, local(p, c), func(int) uint64 { return 0 }, "block in the place of the released one, or another")
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// releaseExhausted fills the heap, releases everything in orders that differ, and
// fills it again, with other sizes: all is zero, and nothing is lost.
func releaseExhausted(p *pe) {
	before := p.w.HeapStats()
	for round, parts := range []int{3, 1, 7, 2, 1} {
		var arrays []shmem.Array[byte]
		for range parts {
			a, err := shmem.Alloc[byte](p.ctx, p.w, before.Largest/parts&^127)
			p.ok(err)
			change(p, a, func(own []byte) {
				for i := 0; i < len(own); i += 1000 {
					same(p, own[i], 0, "round %d: byte %d", round, i)
					own[i] = 0xff
				}
			})
			arrays = append(arrays, a)
		}
		_, err := shmem.Alloc[byte](p.ctx, p.w, before.Largest)
		p.is(err, shmem.ErrNoMemory, "more than there is, with nothing released")
		for i := range arrays {
			p.ok(arrays[(i+p.me)%parts].Release())
		}
	}
	p.barrier()
	p.settle(before, 1)
}

// releaseMany releases more arrays than fit into the words of one meeting.
func releaseMany(p *pe) {
	const k = 600
	before := p.w.HeapStats()
	var arrays []shmem.Array[byte]
	for range k {
		a, err := shmem.Alloc[byte](p.ctx, p.w, 1)
		p.ok(err)
		arrays = append(arrays, a)
	}
	for i, a := range arrays {
		if i%3 != 0 {
			p.ok(a.Release())
		}
	}
	p.barrier()
	kept := alloc[byte](p, 1)
	same(p, p.w.HeapStats().Blocks, before.Blocks+k/3+1, "blocks after two of three were released")
	for i, a := range arrays {
		if i%3 == 0 {
			p.ok(a.P(0, byte(i), p.next()))
		}
	}
	p.barrier()
	for i, a := range arrays {
		if i%3 == 0 {
			same(p, at(p, a, 0), byte(i), "array %d, which was not released", i)
			p.ok(a.Release())
		}
	}
	p.barrier()
	same(p, len(local(p, kept)), 1, "length")
	a, err := shmem.Alloc[byte](p.ctx, p.w, 1)
	p.ok(err)
	p.ok(a.Free(p.ctx))
	same(p, p.w.HeapStats().Blocks, before.Blocks+1, "blocks after all were released")
}

// releaseCompletes: no put lands in what comes to stand where it pointed.
func releaseCompletes(p *pe) {
	const n = 50
	src, other := alloc[uint64](p, n), alloc[uint64](p, n)
	c, before := newContext(p), p.w.HeapStats()
	for round := range 20 {
		a, err := shmem.Alloc[uint64](p.ctx, p.w, n)
		p.ok(err)
		same(p, anyBit(local(p, a)), 0, "round %d: bits set in a fresh block", round)
		p.barrier()
		half := n / 2 // two contexts do not put to one word: nothing orders them
		scatter(p, part(p, a, 0, half), part(p, src, 0, half), ^uint64(0))
		scatter(p, via(p, part(p, a, half, n), c), part(p, other, half, n), ^uint64(0))
		p.ok(a.Release())
	}
	p.ok(c.Destroy(p.ctx))
	p.barrier()
	p.settle(before, 1)
}

// releaseCleanup leaves the release of arrays to the garbage collector.
func releaseCleanup(p *pe) {
	before := p.w.HeapStats()
	for range 20 {
		a, err := shmem.Alloc[uint64](p.ctx, p.w, 100)
		p.ok(err)
		h := &holder{a}
		runtime.AddCleanup(h, releaseIn, released{p, a})
	}
	p.settle(before, 1000)
}

type holder struct{ a shmem.Array[uint64] }

type released struct {
	p *pe
	a shmem.Array[uint64]
}

func releaseIn(r released) {
	if err := r.a.Release(); err != nil {
		r.p.Error(err)
	}
}

func releasedUses(p *pe) {
	before := p.w.HeapStats()
	a, err := shmem.Alloc[uint64](p.ctx, p.w, 4)
	p.ok(err)
	leaks := len(p.w.Leaks())
	c := newContext(p)
	v := via(p, a, c)
	p.ok(v.Release()) // through a context as well
	same(p, len(p.w.Leaks()), leaks-1, "leaks: a released array is none")
	for range 2 {
		p.is(a.Release(), shmem.ErrFreed, "second release")
		for what, err := range uses(p, a) {
			p.is(err, shmem.ErrFreed, what)
		}
		p.is(v.P(0, 1, p.me), shmem.ErrFreed, "put through a context")
		p.is(second(a.Via(c)), shmem.ErrFreed, "via")
		p.is(a.Free(p.ctx), shmem.ErrFreed, "free of a released array")
		p.barrier()
		p.settle(before, 1) // taken back: still an error
	}
	p.ok(c.Destroy(p.ctx))
}
