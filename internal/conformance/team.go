package conformance

import (
	"slices"

	"github.com/goshmem/goshmem/shmem"
)

func teamChecks() []Check {
	return []Check{
		check("team: world and shared", 1, builtInTeams),
		check("team: every strided split", 1, everySplit),
		check("team: splits of splits", 3, splitOfSplit),
		check("team: halves down to one PE", 1, halves),
		check("team: rows and columns", 1, rowsColumns),
		check("team: translate", 1, translate),
		check("team: members wait, others do not", 3, scoping),
		check("team: destroy waits for all", 1, destroyWaits),
		check("team: sync shows local stores", 1, teamSync),
		check("team: slots are used again", 1, slotReuse),
		check("team: as many as there are slots", 1, slotsExhausted),
		check("team: disjoint parents split at once", 4, disjointParents),
		check("team: nil and destroyed", 1, deadTeams),
	}
}

func builtInTeams(p *pe) {
	for _, t := range []*shmem.Team{p.w.Team(), p.w.SharedTeam()} {
		p.ok(t.Destroy(p.ctx)) // does nothing
		p.ok(t.Barrier(p.ctx))
		p.ok(t.Sync(p.ctx))
		same(p, t.Translate(t.MyPE(), p.w.Team()), p.me, "own place")
	}
	same(p, [2]int{p.w.Team().MyPE(), p.w.Team().NPEs()}, [2]int{p.me, p.n}, "PE and size of the world's team")
}

// everySplit tries all starts, strides and sizes that this world has room for.
func everySplit(p *pe) {
	world := p.w.Team()
	for start := range p.n {
		for stride := 1; stride <= p.n; stride++ {
			for size := 1; start+(size-1)*stride < p.n; size++ {
				if p.n > 5 && (start+stride+size)%3 != 0 {
					continue // a third is enough of the many
				}
				var members []int
				for i := range size {
					members = append(members, start+i*stride)
				}
				t := split(p, world, start, stride, size)
				isTeam(p, t, members)
				destroy(p, t)
			}
		}
	}
}

// isTeam holds that t has these members, in this order, and meets.
func isTeam(p *pe, t *shmem.Team, members []int) {
	p.Helper()
	me := slices.Index(members, p.me)
	if me < 0 {
		same(p, t, nil, "team %v on a PE outside", members)
		return
	}
	if t == nil {
		p.Fatalf("team %v: nil on a member", members)
	}
	same(p, [2]int{t.MyPE(), t.NPEs()}, [2]int{me, len(members)}, "PE and size of team %v", members)
	for i, pe := range members {
		same(p, t.Translate(i, p.w.Team()), pe, "member %d of team %v", i, members)
		same(p, p.w.Team().Translate(pe, t), i, "place of PE %d in team %v", pe, members)
	}
	p.ok(t.Barrier(p.ctx))
}

// splitOfSplit splits a team whose PEs are not neighbours.
func splitOfSplit(p *pe) {
	config := shmem.TeamConfig{NumContexts: 4}
	odd, err := p.w.Team().SplitStrided(p.ctx, 1, 2, p.n/2, config)
	p.ok(err)
	if odd == nil {
		_, err := odd.SplitStrided(p.ctx, 0, 1, 1, config)
		p.is(err, shmem.ErrNotMember, "split of nil")
		return
	}
	got, err := odd.Config()
	p.ok(err)
	same(p, got, config, "config of the team")
	var all, tail []int
	for pe := 1; pe < p.n; pe += 2 {
		all = append(all, pe)
	}
	for i := len(all) % 2; i < len(all); i += 2 {
		tail = append(tail, all[i])
	}
	isTeam(p, odd, all)
	if len(tail) > 0 {
		child := split(p, odd, len(all)%2, 2, len(tail))
		isTeam(p, child, tail)
		destroy(p, child)
	}
	last := split(p, odd, len(all)-1, 1, 1)
	isTeam(p, last, all[len(all)-1:])
	destroy(p, last, odd)
}

// halves splits until each PE is alone with itself.
func halves(p *pe) {
	teams := []*shmem.Team{p.w.Team()}
	for low, size := 0, p.n; size > 1; {
		parent := teams[len(teams)-1]
		lower := split(p, parent, 0, 1, size/2)
		upper := split(p, parent, size/2, 1, size-size/2)
		if lower != nil {
			size /= 2
		} else {
			low, size, lower = low+size/2, size-size/2, upper
		}
		teams = append(teams, lower)
		same(p, [2]int{lower.MyPE(), lower.NPEs()}, [2]int{p.me - low, size}, "place in a half")
		p.ok(lower.Barrier(p.ctx))
	}
	slices.Reverse(teams)
	destroy(p, teams...)
}

// rowsColumns tries all widths, so that the last row is shorter in some.
func rowsColumns(p *pe) {
	for width := 1; width <= p.n+1; width++ {
		x, y, err := p.w.Team().Split2D(p.ctx, width, shmem.TeamConfig{NumContexts: 1}, shmem.TeamConfig{NumContexts: 2})
		p.ok(err)
		var row, column []int
		for pe := range p.n {
			if pe/width == p.me/width {
				row = append(row, pe)
			}
			if pe%width == p.me%width {
				column = append(column, pe)
			}
		}
		isTeam(p, x, row)
		isTeam(p, y, column)
		cx, err := x.Config()
		p.ok(err)
		cy, err := y.Config()
		p.ok(err)
		same(p, [2]int{cx.NumContexts, cy.NumContexts}, [2]int{1, 2}, "contexts of row and column")
		destroy(p, x, y)
	}
}

func translate(p *pe) {
	world := p.w.Team()
	even, odd := parity(p)
	if even != nil {
		for pe := range p.n {
			want := pe / 2
			if pe%2 == 1 {
				want = -1
			}
			same(p, world.Translate(pe, even), want, "PE %d in the even team", pe)
		}
		for i := range even.NPEs() {
			same(p, world.Translate(even.Translate(i, world), even), i, "round trip")
		}
	}
	for _, pe := range []int{-1, p.n, 1 << 40} {
		same(p, world.Translate(pe, world), -1, "PE %d", pe)
	}
	same(p, world.Translate(0, nil), -1, "to nil")
	same(p, (*shmem.Team)(nil).Translate(0, world), -1, "from nil")
	destroy(p, even, odd)
}

// scoping: a meeting of the even PEs waits for all of them and for nobody else.
// Its last member enters only after the odd PEs have passed their calls on nil,
// and tells the others first.
func scoping(p *pe) {
	told, passed := alloc[uint64](p, 1), allocSignals(p, 1)[0]
	even := split(p, p.w.Team(), 0, 2, (p.n+1)/2)
	for round := 1; round <= 20; round++ {
		meet := even.Barrier
		if round%2 == 0 {
			meet = even.Sync
		}
		last := round % ((p.n + 1) / 2) * 2
		switch {
		case even == nil:
			p.ok(meet(p.ctx))
			p.ok(passed.Add(1, last))
		case p.me == last:
			_, err := passed.WaitUntil(p.ctx, shmem.EQ, uint64(p.n/2))
			p.ok(err)
			p.ok(passed.Set(0, p.me))
			for pe := 0; pe < p.n; pe += 2 {
				p.ok(told.P(0, uint64(round), pe))
			}
			p.quiet()
			fallthrough
		default:
			p.ok(meet(p.ctx))
			same(p, at(p, told, 0), uint64(round), "what the last member has told")
		}
		p.barrier()
	}
	destroy(p, even)
}

// destroyWaits: nobody leaves a destroy before all have come. One member comes
// after the others have said that they are about to, and tells them first.
func destroyWaits(p *pe) {
	told, coming := alloc[uint64](p, 1), allocSignals(p, 1)[0]
	for round := 1; round <= 30; round++ {
		t, last := split(p, p.w.Team(), 0, 1, p.n), round%p.n
		if p.me != last {
			p.ok(coming.Add(1, last))
		} else {
			_, err := coming.WaitUntil(p.ctx, shmem.EQ, uint64(p.n-1))
			p.ok(err)
			p.ok(coming.Set(0, p.me))
			for pe := range p.n {
				p.ok(told.P(0, uint64(round), pe))
			}
			p.quiet()
		}
		destroy(p, t)
		same(p, at(p, told, 0), uint64(round), "what the last member has told")
	}
}

func teamSync(p *pe) {
	even, odd := parity(p)
	mine := even
	if mine == nil {
		mine = odd
	}
	a := alloc[uint64](p, 64)
	for round := range 50 {
		p.ok(a.Fill(hash(p.me, round)))
		p.ok(mine.Sync(p.ctx))
		next := mine.Translate((mine.MyPE()+1)%mine.NPEs(), p.w.Team())
		buf := make([]uint64, 64)
		p.ok(a.GetSlice(buf, next))
		sameAll(p, buf, func(int) uint64 { return hash(next, round) }, "round %d", round)
		p.ok(mine.Sync(p.ctx))
	}
	destroy(p, odd, even)
}

// slotReuse makes and ends many more teams than there are slots, and uses each.
func slotReuse(p *pe) {
	a := alloc[uint64](p, 1)
	for round := range 200 {
		size := round%p.n + 1
		t := split(p, p.w.Team(), p.n-size, 1, size)
		if t == nil {
			continue
		}
		for range round % 3 {
			p.ok(t.Sync(p.ctx))
		}
		p.ok(a.P(0, uint64(round), t.Translate((t.MyPE()+1)%size, p.w.Team())))
		p.ok(t.Barrier(p.ctx))
		same(p, at(p, a, 0), uint64(round), "put before the barrier of team %d", round)
		destroy(p, t)
	}
}

func slotsExhausted(p *pe) {
	const most = 62 // of 64, the world and the shared team have one each
	for range 2 {
		var teams []*shmem.Team
		for range most {
			teams = append(teams, split(p, p.w.Team(), 0, 1, p.n))
		}
		_, err := p.w.Team().SplitStrided(p.ctx, 0, 1, p.n, shmem.TeamConfig{})
		p.is(err, shmem.ErrNoMemory, "one team too many")
		for _, t := range teams {
			p.ok(t.Barrier(p.ctx))
		}
		destroy(p, teams...)
	}
}

// disjointParents: two teams split at the same time know nothing of each other.
func disjointParents(p *pe) {
	a := alloc[uint64](p, 1)
	even, odd := parity(p)
	mine := even
	if mine == nil {
		mine = odd
	}
	for round := range 40 {
		for range (p.me%2 + 1) * round % 5 {
			p.ok(mine.Sync(p.ctx))
		}
		child := split(p, mine, 0, 1, mine.NPEs())
		next := child.Translate((child.MyPE()+1)%child.NPEs(), p.w.Team())
		p.ok(a.P(0, uint64(round), next))
		p.ok(child.Barrier(p.ctx))
		same(p, at(p, a, 0), uint64(round), "put within a child team")
		all := split(p, p.w.Team(), 0, 1, p.n)
		p.ok(all.Barrier(p.ctx))
		destroy(p, all, child)
	}
	destroy(p, odd, even)
}

func deadTeams(p *pe) {
	var none *shmem.Team
	p.ok(none.Barrier(p.ctx))
	p.ok(none.Sync(p.ctx))
	p.ok(none.Destroy(p.ctx))
	same(p, [2]int{none.MyPE(), none.NPEs()}, [2]int{-1, -1}, "PE and size of nil")
	_, err := none.Config()
	p.is(err, shmem.ErrNotMember, "config of nil")
	_, _, err = none.Split2D(p.ctx, 1, shmem.TeamConfig{}, shmem.TeamConfig{})
	p.is(err, shmem.ErrNotMember, "split of nil")
	t := split(p, p.w.Team(), 0, 1, p.n)
	destroy(p, t, t)
	p.is(t.Barrier(p.ctx), shmem.ErrClosed, "barrier of a destroyed team")
	p.is(t.Sync(p.ctx), shmem.ErrClosed, "sync of a destroyed team")
	_, err = t.SplitStrided(p.ctx, 0, 1, 1, shmem.TeamConfig{})
	p.is(err, shmem.ErrClosed, "split of a destroyed team")
}
