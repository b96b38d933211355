package conformance

import (
	"bytes"

	"github.com/goshmem/goshmem/shmem"
)

// LargeHeap is what the checks of Large need.
const LargeHeap = 1<<30 + 1<<20

// Large returns the checks of transfers of up to 64 MiB.
func Large() []Check {
	return []Check{
		check("large: put and get, unaligned", 1, largeTransfers),
		check("large: collectives that move", 1, largeMoves),
		check("large: reductions", 1, largeReductions),
	}
}

// largest is 64 MiB.
const largest = 64 << 20

func largeTransfers(p *pe) {
	const guard = 16
	dst, src := alloc[byte](p, largest+2*guard), alloc[byte](p, largest+2*guard)
	expected := make([]byte, largest)
	for round, size := range []int{1<<20 + 1, 16<<20 - 1, largest} {
		to, from := part(p, dst, guard+round%2, guard+round%2+size), part(p, src, guard+round, guard+round+size)
		change(p, from, func(own []byte) { fill(own, hash(p.me, size)) })
		p.barrier()
		p.ok(to.Put(from, p.next()))
		p.barrier()
		want := fill(expected[:size], hash(p.prev(), size))
		p.intact(dst, guard+round%2, want)
		p.ok(to.Get(from, p.next()))
		same(p, bytes.Equal(local(p, to), fill(want, hash(p.next(), size))), true, "%d bytes got", size)
		p.barrier()
		wipe(p, to)
		p.barrier()
	}
}

// largeWords are numbers of words of each member: 64 MiB in all, of one, and an odd one.
func largeWords(p *pe) []int { return []int{largest / 8 / p.n, largest/8/p.n - 3} }

func largeMoves(p *pe) {
	words := largest / 8
	src, dst := alloc[uint64](p, words), alloc[uint64](p, words)
	w := p.w.Team()
	for round, n := range largeWords(p) {
		all, here := part(p, src, 0, n*p.n), part(p, dst, 0, n*p.n)
		load(p, all, round)
		p.ok(shmem.AllToAll(p.ctx, w, here, all))
		sameAll(p, local(p, here), func(i int) uint64 { return drawWord(i/n, round, p.me*n+i%n) }, "%d words from each", n)
		p.ok(shmem.FCollect(p.ctx, w, here, part(p, all, 0, n)))
		sameAll(p, local(p, here), func(i int) uint64 { return drawWord(i/n, round, i%n) }, "%d words of each", n)
		p.ok(shmem.Broadcast(p.ctx, w, here, all, p.n-1))
		sameAll(p, local(p, here), func(i int) uint64 { return drawWord(p.n-1, round, i) }, "%d words from the last", n*p.n)
	}
}

func largeReductions(p *pe) {
	words := largest / 8
	src, dst := alloc[uint64](p, words), alloc[uint64](p, words)
	w := p.w.Team()
	sum := func(round, i int) (v uint64) {
		for m := range p.n {
			v += drawWord(m, round, i)
		}
		return v
	}
	for round, n := range largeWords(p) {
		all, here := part(p, src, 0, n*p.n), part(p, dst, 0, n*p.n)
		load(p, all, round)
		p.ok(shmem.AllReduce(p.ctx, w, here, all, shmem.Sum))
		sameAll(p, local(p, here), func(i int) uint64 { return sum(round, i) }, "%d words for all", n*p.n)
		own := part(p, dst, 0, n)
		p.ok(shmem.ReduceScatter(p.ctx, w, own, all, shmem.Sum))
		sameAll(p, local(p, own), func(i int) uint64 { return sum(round, p.me*n+i) }, "%d words for each", n)
		p.ok(shmem.Reduce(p.ctx, w, here, all, shmem.Sum, 0))
		if p.me == 0 {
			sameAll(p, local(p, here), func(i int) uint64 { return sum(round, i) }, "%d words for one", n*p.n)
		}
	}
}
