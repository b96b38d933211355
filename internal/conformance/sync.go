package conformance

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
)

func syncChecks() []Check {
	return []Check{
		check("sync: barriers back to back", 1, func(p *pe) { backToBack(p, p.w.Team(), 2000) }),
		check("sync: syncs back to back", 1, func(p *pe) { syncsBackToBack(p, p.w.Team(), 2000) }),
		check("sync: barriers and syncs in turn", 1, mixedBackToBack),
		check("sync: back to back on split teams", 1, teamsBackToBack),
		check("sync: teams in turn", 1, teamsInTurn),
		check("sync: meetings of every kind", 1, everyKind),
	}
}

// backToBack holds that no barrier lets anybody through early: each round puts
// the round's number to the next member, and it must be there. Two places in
// turn, since a member may be one barrier ahead.
func backToBack(p *pe, t *shmem.Team, rounds int) {
	p.Helper()
	a := alloc[uint64](p, 2)
	if t != nil {
		n, me := t.NPEs(), t.MyPE()
		next := t.Translate((me+1)%n, p.w.Team())
		for round := range rounds {
			p.ok(a.P(round%2, uint64(round), next))
			p.ok(t.Barrier(p.ctx))
			if v := at(p, a, round%2); v != uint64(round) {
				p.Fatalf("round %d: the put of the previous member is %d", round, v)
			}
		}
	}
	p.barrier()
}

// syncsBackToBack is the same for local stores, which others get after a sync.
func syncsBackToBack(p *pe, t *shmem.Team, rounds int) {
	p.Helper()
	a := alloc[uint64](p, 2)
	if t != nil {
		n, me := t.NPEs(), t.MyPE()
		prev := t.Translate((me+n-1)%n, p.w.Team())
		for round := range rounds {
			p.ok(a.Set(round%2, uint64(round)))
			p.ok(t.Sync(p.ctx))
			if v := g(p, a, round%2, prev); v != uint64(round) {
				p.Fatalf("round %d: the store of the previous member is %d", round, v)
			}
		}
	}
	p.barrier()
}

func mixedBackToBack(p *pe) {
	a := alloc[uint64](p, 4)
	for round := range 600 {
		p.ok(a.Set(round%2, uint64(round)))
		p.ok(a.P(2+round%2, uint64(round), p.next()))
		if round%3 == 0 {
			p.quiet()
			p.sync()
		} else {
			p.barrier()
		}
		same(p, g(p, a, round%2, p.prev()), uint64(round), "local store of the previous PE")
		same(p, at(p, a, 2+round%2), uint64(round), "put of the previous PE")
	}
	p.barrier()
}

// split makes a team of every stride-th PE from start on.
func split(p *pe, parent *shmem.Team, start, stride, size int) *shmem.Team {
	p.Helper()
	t, err := parent.SplitStrided(p.ctx, start, stride, size, shmem.TeamConfig{})
	p.ok(err)
	return t
}

// destroy ends teams that some PEs may not be in.
func destroy(p *pe, teams ...*shmem.Team) {
	p.Helper()
	for _, t := range teams {
		p.ok(t.Destroy(p.ctx))
	}
}

// parity returns the teams of the even and of the odd PEs; the latter is empty,
// so nil, in a world of one.
func parity(p *pe) (even, odd *shmem.Team) {
	p.Helper()
	even = split(p, p.w.Team(), 0, 2, (p.n+1)/2)
	if p.n > 1 {
		odd = split(p, p.w.Team(), 1, 2, p.n/2)
	}
	return even, odd
}

func teamsBackToBack(p *pe) {
	even, odd := parity(p)
	mine := even
	if mine == nil {
		mine = odd
	}
	backToBack(p, mine, 1000)
	syncsBackToBack(p, mine, 1000)
	destroy(p, even, odd)
}

// teamsInTurn meets in the world, in halves and in pairs, one after the other: a
// meeting of one team must not be taken for one of another.
func teamsInTurn(p *pe) {
	even, odd := parity(p)
	low := split(p, p.w.Team(), 0, 1, (p.n+1)/2)
	a := alloc[uint64](p, 1)
	for round := range 300 {
		for _, t := range []*shmem.Team{p.w.Team(), even, low, odd, p.w.SharedTeam()} {
			if t == nil {
				continue
			}
			p.ok(shmem.AtomicAdd(a, 0, 1, t.Translate((t.MyPE()+1)%t.NPEs(), p.w.Team())))
			p.ok(t.Barrier(p.ctx))
		}
		p.barrier()
		meetings := uint64(3) // world, shared, and one of the parities
		if low != nil {
			meetings++
		}
		same(p, at(p, a, 0), uint64(round+1)*meetings, "adds of round %d", round)
		p.barrier()
	}
	destroy(p, low, odd, even)
}

// everyKind alternates all kinds of collectives of the world.
func everyKind(p *pe) {
	for round := range 60 {
		a, err := shmem.Alloc[uint64](p.ctx, p.w, round+1)
		p.ok(err)
		p.ok(a.Set(round, hash(p.me, round)))
		p.sync()
		same(p, g(p, a, round, p.next()), hash(p.next(), round), "after alloc and sync")
		t := split(p, p.w.Team(), 0, 1, p.n)
		p.ok(a.P(0, hash(p.me), p.next()))
		p.ok(t.Barrier(p.ctx))
		same(p, at(p, a, 0), hash(p.prev()), "after the barrier of a split team")
		destroy(p, t)
		meetings := []func(context.Context) error{p.w.Barrier, p.w.Sync, p.w.SharedTeam().Barrier}
		p.ok(meetings[round%len(meetings)](p.ctx))
		p.ok(a.Free(p.ctx))
	}
}
