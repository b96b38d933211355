package conformance

import (
	"github.com/goshmem/goshmem/shmem"
)

func turnChecks() []Check {
	return []Check{
		check("turns: each collective many times", 1, eachManyTimes),
		check("turns: roots that do not wait", 1, hastyRoots),
		check("turns: roots that do not wait, over stages", 1, hastyStages),
		check("turns: collectives between meetings", 1, betweenMeetings),
		check("turns: a slow member of a broadcast", 2, slowReader),
		check("turns: teams in used slots", 1, usedSlots),
		check("turns: overlapping teams", 1, overlappingTeams),
	}
}

// table is what a collective is done with: one word of each member, and room for one of
// all of them.
type table struct {
	*pe
	t             *shmem.Team
	one, got      shmem.Array[uint64]
	many, wanted  shmem.Array[uint64]
	counts, where []int
}

func newTable(p *pe, t *shmem.Team) *table {
	p.Helper()
	x := &table{pe: p, t: t, one: alloc[uint64](p, 1), got: alloc[uint64](p, 1), many: alloc[uint64](p, p.n), wanted: alloc[uint64](p, p.n)}
	if t != nil {
		x.many, x.wanted = part(p, x.many, 0, t.NPEs()), part(p, x.wanted, 0, t.NPEs())
	}
	for m := range x.many.Len() {
		x.counts, x.where = append(x.counts, 1), append(x.where, m)
	}
	return x
}

// value is what a member has for another one in a round.
func (x *table) value(from, to, round int) uint64 {
	return uint64(round)<<32 | uint64(member(x.pe, x.t, from))<<16 | uint64(to)
}

// load sets what this PE has in a round, as it has been used before.
func (x *table) load(round int) {
	x.ok(x.one.Set(0, x.value(x.t.MyPE(), 0, round)))
	for m := range x.many.Len() {
		x.ok(x.many.Set(m, x.value(x.t.MyPE(), m, round)))
	}
}

// fold is the sum of what the first members have.
func (x *table) fold(members, round int) (sum uint64) {
	for m := range members {
		sum += x.value(m, 0, round)
	}
	return sum
}

// turn is a collective done once, with whatever root comes to its turn.
type turn struct {
	name string
	do   func(x *table, root, round int)
}

func turns() []turn {
	return []turn{
		{"broadcast", (*table).broadcast},
		{"gather", (*table).gather},
		{"scatter", (*table).scatter},
		{"reduce", (*table).reduce},
		{"fcollect", (*table).fcollect},
		{"collect", (*table).collect},
		{"alltoall", (*table).alltoall},
		{"alltoallv", (*table).alltoallv},
		{"allreduce", (*table).allReduce},
		{"reduce scatter", (*table).reduceScatter},
		{"inscan", (*table).inScan},
		{"exscan", (*table).exScan},
	}
}

func (x *table) broadcast(root, round int) {
	x.ok(shmem.Broadcast(x.ctx, x.t, x.got, x.one, root))
	same(x.pe, at(x.pe, x.got, 0), x.value(root, 0, round), "broadcast from member %d in round %d", root, round)
}

func (x *table) gather(root, round int) {
	x.ok(shmem.Gather(x.ctx, x.t, x.wanted, x.one, root))
	if x.t.MyPE() == root {
		x.all(func(m int) uint64 { return x.value(m, 0, round) }, "gather")
	}
}

func (x *table) scatter(root, round int) {
	x.ok(shmem.Scatter(x.ctx, x.t, x.got, x.many, root))
	same(x.pe, at(x.pe, x.got, 0), x.value(root, x.t.MyPE(), round), "scatter from member %d in round %d", root, round)
}

func (x *table) reduce(root, round int) {
	x.ok(shmem.Reduce(x.ctx, x.t, x.got, x.one, shmem.Sum, root))
	if x.t.MyPE() == root {
		same(x.pe, at(x.pe, x.got, 0), x.fold(x.t.NPEs(), round), "reduce in round %d", round)
	}
}

func (x *table) fcollect(_, round int) {
	x.ok(shmem.FCollect(x.ctx, x.t, x.wanted, x.one))
	x.all(func(m int) uint64 { return x.value(m, 0, round) }, "fcollect")
}

func (x *table) collect(_, round int) {
	total, err := shmem.Collect(x.ctx, x.t, x.wanted, x.one)
	x.ok(err)
	same(x.pe, total, x.t.NPEs(), "collected")
	x.all(func(m int) uint64 { return x.value(m, 0, round) }, "collect")
}

func (x *table) alltoall(_, round int) {
	x.ok(shmem.AllToAll(x.ctx, x.t, x.wanted, x.many))
	x.all(func(m int) uint64 { return x.value(m, x.t.MyPE(), round) }, "alltoall")
}

func (x *table) alltoallv(_, round int) {
	l := shmem.Layout{Counts: x.counts, Offsets: x.where}
	x.ok(shmem.AllToAllV(x.ctx, x.t, x.wanted, l, x.many, l))
	x.all(func(m int) uint64 { return x.value(m, x.t.MyPE(), round) }, "alltoallv")
}

func (x *table) allReduce(_, round int) {
	x.ok(shmem.AllReduce(x.ctx, x.t, x.got, x.one, shmem.Sum))
	same(x.pe, at(x.pe, x.got, 0), x.fold(x.t.NPEs(), round), "allreduce in round %d", round)
}

func (x *table) reduceScatter(_, round int) {
	x.ok(shmem.ReduceScatter(x.ctx, x.t, x.got, x.many, shmem.Max))
	me := x.t.MyPE()
	want := uint64(0)
	for m := range x.t.NPEs() {
		want = max(want, x.value(m, me, round))
	}
	same(x.pe, at(x.pe, x.got, 0), want, "reduce scatter in round %d", round)
}

func (x *table) inScan(_, round int) {
	x.ok(shmem.InScan(x.ctx, x.t, x.got, x.one, shmem.Sum))
	same(x.pe, at(x.pe, x.got, 0), x.fold(x.t.MyPE()+1, round), "inscan in round %d", round)
}

func (x *table) exScan(_, round int) {
	x.ok(shmem.ExScan(x.ctx, x.t, x.got, x.one, shmem.Sum))
	same(x.pe, at(x.pe, x.got, 0), x.fold(x.t.MyPE(), round), "exscan in round %d", round)
}

// all holds what has come from all members.
func (x *table) all(want func(m int) uint64, what string) {
	sameAll(x.pe, local(x.pe, x.wanted), want, "%s, from each member", what)
}

// rounds is how many times something is done that all PEs wait for each other in: more
// PEs than cores take a time slice each.
func rounds(p *pe, most int) int {
	if p.n > 8 {
		return max(most/20, 10)
	}
	return most
}

// eachManyTimes does nothing between a collective and the next one of its kind.
func eachManyTimes(p *pe) {
	x := newTable(p, p.w.Team())
	for _, c := range turns() {
		for round := range rounds(p, 400) {
			x.load(round)
			c.do(x, round%p.n, round)
		}
	}
}

// hastyRoots mixes the collectives whose roots, or whose others, do not wait: who is
// ahead must not overtake, and must not write over what others have yet to read.
func hastyRoots(p *pe) {
	x := newTable(p, p.w.Team())
	for round := range rounds(p, 2000) {
		x.load(round)
		turns()[hash(round)%4].do(x, int(hash(round, 1)%uint64(p.n)), round)
	}
}

// hastyStages is the same with as much as a stage holds, and a little more at times.
func hastyStages(p *pe) {
	src, dst := alloc[uint64](p, most), alloc[uint64](p, most*p.n)
	for round := range rounds(p, 600) {
		root, n := int(hash(round)%uint64(p.n)), 1025-int(hash(round, 1)%4)*200
		from, to := part(p, src, 0, n), part(p, dst, 0, n)
		p.ok(from.Fill(hash(p.me, round)))
		switch round % 3 {
		case 0:
			p.ok(shmem.Broadcast(p.ctx, p.w.Team(), to, from, root))
			sameAll(p, local(p, to), func(int) uint64 { return hash(root, round) }, "%d words from PE %d in round %d", n, root, round)
		case 1:
			to = part(p, dst, 0, n*p.n)
			p.ok(shmem.Gather(p.ctx, p.w.Team(), to, from, root))
			if p.me == root {
				sameAll(p, local(p, to), func(i int) uint64 { return hash(i/n, round) }, "%d words of each PE in round %d", n, round)
			}
		case 2:
			p.ok(shmem.Reduce(p.ctx, p.w.Team(), to, from, shmem.Xor, root))
			if p.me == root {
				sameAll(p, local(p, to), func(int) uint64 { return xorOfAll(p.n, round) }, "%d words combined in round %d", n, round)
			}
		}
	}
}

func xorOfAll(pes, round int) (x uint64) {
	for pe := range pes {
		x ^= hash(pe, round)
	}
	return x
}

// betweenMeetings has all sorts of meetings follow collectives in which not all wait.
func betweenMeetings(p *pe) {
	x := newTable(p, p.w.Team())
	for round := range rounds(p, 400) {
		x.load(round)
		for i := range 1 + hash(round)%3 {
			turns()[hash(round, int(i))%12].do(x, int(hash(round, int(i), 1)%uint64(p.n)), round)
		}
		switch hash(round, 3) % 8 {
		case 0:
			p.barrier()
		case 1:
			p.sync()
		case 2:
			a, err := shmem.Alloc[int32](p.ctx, p.w, 1+round)
			p.ok(err)
			p.ok(a.Free(p.ctx))
		case 3:
			destroy(p, split(p, p.w.Team(), round%p.n, 1, 1+(p.n-1-round%p.n)))
		}
	}
}

// slowReader: a root may be one broadcast ahead of a member, and what that one reads is
// still what belongs to its turn. The member comes late, when the root has told it that
// it has gone on, which the root can only do as it does not wait.
func slowReader(p *pe) {
	if p.far { // there all wait
		return
	}
	x, ahead := newTable(p, p.w.Team()), allocSignals(p, 1)[0]
	allWait := p.w.Info().Checked || p.w.Info().Engine != "host" // on streams, too
	for round := range rounds(p, 300) {
		root := round % p.n
		late := (root + 1) % p.n
		x.load(round)
		if p.me == late {
			_, err := ahead.WaitUntil(p.ctx, shmem.GE, 1)
			p.ok(err)
			p.ok(ahead.Set(0, p.me))
		}
		if p.me == root && allWait {
			p.ok(ahead.Set(1, late))
		}
		p.ok(shmem.Broadcast(p.ctx, x.t, x.got, x.one, root))
		if p.me == root && !allWait {
			p.ok(ahead.Set(1, late))
		}
		same(p, at(p, x.got, 0), x.value(root, 0, round), "broadcast in round %d", round)
		p.barrier()
	}
}

// usedSlots makes teams of different members one after the other in the same slot.
func usedSlots(p *pe) {
	tables := newTable(p, nil)
	for round := range rounds(p, 100) {
		size := 1 + round%p.n
		t := split(p, p.w.Team(), p.n-size, 1, size)
		if t != nil {
			x := *tables
			x.t, x.many, x.wanted = t, part(p, x.many, 0, size), part(p, x.wanted, 0, size)
			x.counts, x.where = x.counts[:size], x.where[:size]
			for i := range 3 {
				x.load(round + i)
				turns()[hash(round, i)%12].do(&x, int(hash(round, i, 1)%uint64(size)), round+i)
			}
		}
		destroy(p, t)
	}
}

// overlappingTeams does collectives on teams that share members, in turn.
func overlappingTeams(p *pe) {
	even, odd := parity(p)
	low := split(p, p.w.Team(), 0, 1, (p.n+1)/2)
	teams := []*shmem.Team{p.w.Team(), even, low, odd}
	var tables []*table
	for _, t := range teams {
		tables = append(tables, newTable(p, t))
	}
	for round := range rounds(p, 200) {
		if x := tables[hash(round)%4]; x.t != nil {
			x.load(round)
			turns()[hash(round, 1)%12].do(x, int(hash(round, 2)%uint64(x.t.NPEs())), round)
		}
	}
	destroy(p, low, odd, even)
}
