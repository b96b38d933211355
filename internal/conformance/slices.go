package conformance

import (
	"github.com/goshmem/goshmem/shmem"
)

func sliceChecks() []Check {
	return []Check{
		check("slices: broadcast", 1, sliceBroadcasts),
		check("slices: fcollect", 1, sliceFCollects),
		check("slices: alltoall", 1, sliceAllToAlls),
		check("slices: allreduce", 1, sliceAllReduces),
		check("slices: reduce scatter", 1, sliceReduceScatters),
		check("slices: among arrays", 1, slicesAmongArrays),
		check("collective: any after any", 1, mixtures),
	}
}

// lengths are numbers of words around what goes with a slip and what goes through a room
// at once, and two that take several chunks.
func lengths(round int) []int {
	return []int{0, 1, 6, 7, 2049, 5000 + int(hash(round)%5000), 40000}
}

// drawn is what a PE has in a round.
func drawn(pe, round, n int) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = drawWord(pe, round, i)
	}
	return s
}

// sumOf is the sum of element i over a team.
func sumOf(p *pe, t *shmem.Team, round, i int) (sum uint64) {
	for m := range t.NPEs() {
		sum += drawWord(member(p, t, m), round, i)
	}
	return sum
}

func sliceBroadcasts(p *pe) {
	round := 0
	onTeams(p, func(t *shmem.Team) {
		for _, n := range lengths(t.NPEs()) {
			root := round % t.NPEs()
			s := make([]uint64, n)
			if t.MyPE() == root {
				s = drawn(p.me, round, n)
			}
			p.ok(shmem.BroadcastSlice(p.ctx, t, s, root))
			sameAll(p, s, func(i int) uint64 { return drawWord(member(p, t, root), round, i) }, "slice of %d words from member %d of %d", n, root, t.NPEs())
			round++
		}
	})
}

func sliceFCollects(p *pe) {
	round := 0
	onTeams(p, func(t *shmem.Team) {
		for _, n := range lengths(t.NPEs()) {
			dst, src := make([]uint64, n*t.NPEs()), drawn(p.me, round, n)
			if round%3 == 0 { // in place
				copy(dst[n*t.MyPE():], src)
				src = dst[n*t.MyPE():][:n]
			}
			p.ok(shmem.FCollectSlice(p.ctx, t, dst, src))
			for m := range t.NPEs() {
				sameAll(p, dst[m*n:][:n], func(i int) uint64 { return drawWord(member(p, t, m), round, i) }, "slice of %d words of member %d", n, m)
			}
			round++
		}
	})
}

func sliceAllToAlls(p *pe) {
	round := 0
	onTeams(p, func(t *shmem.Team) {
		for _, n := range lengths(t.NPEs()) {
			dst, src := make([]uint64, n*t.NPEs()), drawn(p.me, round, n*t.NPEs())
			p.ok(shmem.AllToAllSlice(p.ctx, t, dst, src))
			for m := range t.NPEs() {
				sameAll(p, dst[m*n:][:n], func(i int) uint64 { return drawWord(member(p, t, m), round, t.MyPE()*n+i) }, "slice of %d words from member %d", n, m)
			}
			round++
		}
	})
}

func sliceAllReduces(p *pe) {
	round := 0
	onTeams(p, func(t *shmem.Team) {
		for _, n := range lengths(t.NPEs()) {
			src := drawn(p.me, round, n)
			dst := make([]uint64, n)
			if round%3 == 0 {
				dst = src
			}
			p.ok(shmem.AllReduceSlice(p.ctx, t, dst, src, shmem.Sum))
			sameAll(p, dst, func(i int) uint64 { return sumOf(p, t, round, i) }, "sum of slices of %d words of %d members", n, t.NPEs())
			round++
		}
	})
}

func sliceReduceScatters(p *pe) {
	round := 0
	onTeams(p, func(t *shmem.Team) {
		for _, n := range lengths(t.NPEs()) {
			dst, src := make([]uint64, n), drawn(p.me, round, n*t.NPEs())
			p.ok(shmem.ReduceScatterSlice(p.ctx, t, dst, src, shmem.Sum))
			sameAll(p, dst, func(i int) uint64 { return sumOf(p, t, round, t.MyPE()*n+i) }, "part of the sum of slices, %d words", n)
			round++
		}
	})
}

// slicesAmongArrays has collectives of all ways one after the other: what one passes
// through a room must have been read before the next writes there.
func slicesAmongArrays(p *pe) {
	a := alloc[uint64](p, 2)
	t, n := p.w.Team(), 3000
	dst, all := make([]uint64, n), make([]uint64, n*t.NPEs())
	for round := range 60 {
		src := drawn(p.me, round, n)
		switch hash(round) % 4 {
		case 0:
			p.ok(shmem.AllReduceSlice(p.ctx, t, dst, src, shmem.Sum))
			sameAll(p, dst, func(i int) uint64 { return sumOf(p, t, round, i) }, "sums in round %d", round)
		case 1:
			p.ok(shmem.FCollectSlice(p.ctx, t, all, src))
			m := round % t.NPEs()
			sameAll(p, all[m*n:][:n], func(i int) uint64 { return drawWord(m, round, i) }, "collected in round %d", round)
		case 2:
			root := round % t.NPEs()
			p.ok(shmem.BroadcastSlice(p.ctx, t, src, root))
			sameAll(p, src, func(i int) uint64 { return drawWord(root, round, i) }, "broadcast in round %d", round)
		default:
			load(p, a, round)
			p.ok(shmem.AllReduce(p.ctx, t, a, a, shmem.Sum))
			sameAll(p, local(p, a), func(i int) uint64 { return sumOf(p, t, round, i) }, "sums in arrays in round %d", round)
		}
	}
}
