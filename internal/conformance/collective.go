package conformance

import (
	"math"

	"github.com/goshmem/goshmem/shmem"
)

func collectiveChecks() []Check {
	return []Check{
		check("collective: broadcast", 1, broadcasts),
		check("collective: broadcast of large elements", 1, largeElements),
		check("collective: fcollect", 1, fcollects),
		check("collective: collect", 1, collects),
		check("collective: alltoall", 1, alltoalls),
		check("collective: alltoallv", 1, alltoallvs),
		check("collective: gather and scatter", 1, gatherScatter),
		check("collective: arrays of contexts", 1, collectiveVia),
	}
}

// onTeams calls f for teams of all shapes that this PE is in, of which it must leave
// the memory alone until all are done.
func onTeams(p *pe, f func(t *shmem.Team)) {
	p.Helper()
	even, odd := parity(p)
	mine := even
	if mine == nil {
		mine = odd
	}
	row, column, err := p.w.Team().Split2D(p.ctx, 3, shmem.TeamConfig{}, shmem.TeamConfig{})
	p.ok(err)
	for _, t := range []*shmem.Team{p.w.Team(), mine, row, column} {
		f(t)
		p.barrier()
	}
	destroy(p, column, row, odd, even)
}

// most is the largest number of words that collectives are tried with. Six go with a
// slip, 512 over a stage.
const most = 1300

// borders are numbers of words around the borders of the ways that data goes, and one
// that round says.
func borders(round int) []int {
	return []int{0, 1, 2, 6, 7, 511, 512, 513, int(hash(round) % most)}
}

// drawWord is element i of what a PE has in a round.
func drawWord(pe, round, i int) uint64 { return hash(pe, round)*uint64(2*i+1) + uint64(i) }

// load fills the own copy of a.
func load(p *pe, a shmem.Array[uint64], round int) {
	p.Helper()
	set(p, a, func(i int) uint64 { return drawWord(p.me, round, i) })
}

// member is the number in the world of member m.
func member(p *pe, t *shmem.Team, m int) int { return t.Translate(m, p.w.Team()) }

func broadcasts(p *pe) {
	src, dst := alloc[uint64](p, most), alloc[uint64](p, most)
	round := 0
	onTeams(p, func(t *shmem.Team) {
		for _, n := range borders(t.NPEs()) {
			root := round % t.NPEs()
			from, to := part(p, src, 0, n), part(p, dst, 0, n)
			if round%3 == 0 {
				to = from // in place
			}
			load(p, from, round)
			p.ok(shmem.Broadcast(p.ctx, t, to, from, root))
			sameAll(p, local(p, to), func(i int) uint64 { return drawWord(member(p, t, root), round, i) }, "%d words from member %d of %d", n, root, t.NPEs())
			round++
		}
	})
}

// large is an element that takes up more than a stage, small one that no word holds.
type (
	large [3000]uint32
	small [3]byte
)

func largeElements(p *pe) {
	elements(p, func(pe, i int) (e large) { e[0], e[2999] = uint32(hash(pe, i)), uint32(i); return e })
	elements(p, func(pe, i int) small { return small{byte(pe), byte(i), byte(hash(pe, i))} })
}

func elements[T comparable](p *pe, draw func(pe, i int) T) {
	p.Helper()
	src, dst := alloc[T](p, 2), alloc[T](p, 2*p.n)
	for root := range min(p.n, 3) {
		for i := range 2 {
			p.ok(src.Set(i, draw(p.me, i)))
		}
		p.ok(shmem.FCollect(p.ctx, p.w.Team(), dst, src))
		sameAll(p, local(p, dst), func(i int) T { return draw(i/2, i%2) }, "fcollect")
		p.ok(shmem.Broadcast(p.ctx, p.w.Team(), src, src, root))
		sameAll(p, local(p, src), func(i int) T { return draw(root, i) }, "broadcast from PE %d", root)
	}
}

func fcollects(p *pe) {
	src, dst := alloc[uint64](p, most), alloc[uint64](p, most*p.n)
	round := 0
	onTeams(p, func(t *shmem.Team) {
		for _, n := range borders(t.NPEs()) {
			from, to := part(p, src, 0, n), part(p, dst, 0, n*t.NPEs())
			if round%3 == 0 {
				from = part(p, dst, n*t.MyPE(), n*(t.MyPE()+1)) // in place
			}
			load(p, from, round)
			p.ok(shmem.FCollect(p.ctx, t, to, from))
			sameAll(p, local(p, to), func(i int) uint64 { return drawWord(member(p, t, i/n), round, i%n) }, "%d words of each of %d", n, t.NPEs())
			round++
		}
	})
}

// collects: each member has another length, some have nothing.
func collects(p *pe) {
	src, dst := alloc[uint64](p, most), alloc[uint64](p, most*p.n)
	longest := []int{0, 1, 3, 20, most}
	onTeams(p, func(t *shmem.Team) {
		for round, limit := range longest {
			length := func(m int) int { return int(hash(member(p, t, m), round) % uint64(limit+1)) }
			from := part(p, src, 0, length(t.MyPE()))
			load(p, from, round)
			total, err := shmem.Collect(p.ctx, t, dst, from)
			p.ok(err)
			at, got := 0, local(p, dst)
			for m := range t.NPEs() {
				sameAll(p, got[at:at+length(m)], func(i int) uint64 { return drawWord(member(p, t, m), round, i) }, "what member %d of %d has", m, t.NPEs())
				at += length(m)
			}
			same(p, total, at, "elements of all")
		}
	})
}

func alltoalls(p *pe) {
	src, dst := alloc[uint64](p, most*2), alloc[uint64](p, most*2)
	onTeams(p, func(t *shmem.Team) {
		for round, whole := range borders(t.NPEs()) {
			n := (whole + t.NPEs() - 1) / t.NPEs()
			from, to := part(p, src, 0, n*t.NPEs()), part(p, dst, 0, n*t.NPEs())
			load(p, from, round)
			p.ok(shmem.AllToAll(p.ctx, t, to, from))
			sameAll(p, local(p, to), func(i int) uint64 { return drawWord(member(p, t, i/n), round, t.MyPE()*n+i%n) }, "parts of %d words among %d", n, t.NPEs())
		}
	})
}

// alltoallvs: every pair of members has a length of its own; parts lie backwards, with
// gaps that must stay as they are.
func alltoallvs(p *pe) {
	const gap = 3
	round := 0
	src, dst := alloc[uint64](p, p.n*(90+gap)), alloc[uint64](p, p.n*(90+gap))
	onTeams(p, func(t *shmem.Team) {
		n, me := t.NPEs(), t.MyPE()
		for _, limit := range []int{1, 4, 90} {
			length := func(from, to int) int { return int(hash(from, to, limit, n) % uint64(limit)) }
			offset := func(m int) int { return (n - 1 - m) * (limit + gap) }
			var send, recv shmem.Layout
			want := make([]uint64, dst.Len())
			for m := range n {
				send.Counts, send.Offsets = append(send.Counts, length(me, m)), append(send.Offsets, offset(m))
				recv.Counts, recv.Offsets = append(recv.Counts, length(m, me)), append(recv.Offsets, offset(m))
				for i := range length(m, me) {
					want[offset(m)+i] = drawWord(member(p, t, m), round, (n-1-me)*(limit+gap)+i)
				}
			}
			p.ok(dst.Fill(0))
			load(p, src, round)
			p.ok(shmem.AllToAllV(p.ctx, t, dst, recv, src, send))
			sameAll(p, local(p, dst), func(i int) uint64 { return want[i] }, "parts of up to %d words among %d", limit, n)
			round++
		}
	})
}

// gatherScatter gathers on each root in turn and scatters from there what came.
func gatherScatter(p *pe) {
	src, all, back := alloc[uint64](p, most), alloc[uint64](p, most*p.n), alloc[uint64](p, most)
	round := 0
	onTeams(p, func(t *shmem.Team) {
		for _, n := range borders(t.NPEs()) {
			root := round % t.NPEs()
			from, to, again := part(p, src, 0, n), part(p, all, 0, n*t.NPEs()), part(p, back, 0, n)
			if t.MyPE() == root && round%2 == 0 { // in place
				from = part(p, to, n*root, n*(root+1))
				again = from
			}
			load(p, from, round)
			if t.MyPE() != root {
				to = shmem.Array[uint64]{} // nobody looks at it
			}
			p.ok(shmem.Gather(p.ctx, t, to, from, root))
			if t.MyPE() == root {
				sameAll(p, local(p, to), func(i int) uint64 { return drawWord(member(p, t, i/n), round, i%n) }, "gathered by member %d of %d, %d words of each", root, t.NPEs(), n)
			}
			p.ok(shmem.Scatter(p.ctx, t, again, to, root))
			sameAll(p, local(p, again), func(i int) uint64 { return drawWord(p.me, round, i) }, "scattered by member %d of %d, %d words to each", root, t.NPEs(), n)
			round++
		}
	})
}

// collectiveVia passes arrays that number PEs otherwise than the team: a collective
// goes by the team alone.
func collectiveVia(p *pe) {
	a, b := alloc[float64](p, 40), alloc[float64](p, 40*p.n)
	even, odd := parity(p)
	mine := even
	if mine == nil {
		mine = odd
	}
	c, err := mine.NewContext(shmem.ContextOptions{})
	p.ok(err)
	src, err := a.Via(c)
	p.ok(err)
	p.ok(src.Fill(float64(p.me) + 0.25))
	p.ok(shmem.FCollect(p.ctx, p.w.Team(), b, src))
	sameAll(p, local(p, b), func(i int) float64 { return float64(i/40) + 0.25 }, "fcollect from an array of a context")
	p.ok(shmem.AllReduce(p.ctx, p.w.Team(), src, a, shmem.Max))
	sameAll(p, local(p, a), func(int) float64 { return float64(p.n-1) + 0.25 }, "maximum in an array of a context")
	p.ok(src.Set(7, math.Pi))
	p.ok(shmem.Broadcast(p.ctx, mine, src, src, 0))
	same(p, at(p, a, 7), math.Pi, "broadcast in a half")
	p.ok(c.Destroy(p.ctx))
	destroy(p, odd, even)
}
