package conformance

import (
	"runtime"

	"github.com/goshmem/goshmem/shmem"
)

func handleChecks() []Check {
	return []Check{
		check("handle: every started collective", 1, startEach),
		check("handle: several on a team, and calls between them", 1, startMany),
		check("handle: teams waited for in different orders", 1, waitInAnyOrder),
		check("handle: test", 1, testHandle),
		check("handle: finish before destroy", 1, startedThenDestroyed),
	}
}

// wait waits for a handle.
func (p *pe) wait(h *shmem.Handle, err error) {
	p.Helper()
	p.ok(err)
	p.ok(h.Wait(p.ctx))
	p.ok(h.Wait(p.ctx)) // as often as one likes
}

func startEach(p *pe) {
	x, t := newTable(p, p.w.Team()), p.w.Team()
	for round := range rounds(p, 40) {
		root := round % p.n
		x.load(round)
		p.wait(shmem.StartBroadcast(t, x.got, x.one, root))
		same(p, at(p, x.got, 0), x.value(root, 0, round), "broadcast")
		p.wait(shmem.StartReduce(t, x.got, x.one, shmem.Sum, root))
		if p.me == root {
			same(p, at(p, x.got, 0), x.fold(p.n, round), "reduce")
		}
		p.wait(shmem.StartAllReduce(t, x.got, x.one, shmem.Sum))
		same(p, at(p, x.got, 0), x.fold(p.n, round), "allreduce")
		p.wait(shmem.StartReduceScatter(t, x.got, x.many, shmem.Min))
		same(p, at(p, x.got, 0), x.value(0, p.me, round), "reduce scatter")
		p.wait(shmem.StartFCollect(t, x.wanted, x.one))
		x.all(func(m int) uint64 { return x.value(m, 0, round) }, "fcollect")
		p.wait(shmem.StartAllToAll(t, x.wanted, x.many))
		x.all(func(m int) uint64 { return x.value(m, p.me, round) }, "alltoall")
		p.wait(shmem.StartBarrier(t))
	}
}

// startMany starts collectives, does one in the usual way, and looks at all of them.
func startMany(p *pe) {
	const many = 5
	var tables []*table
	for range many {
		tables = append(tables, newTable(p, p.w.Team()))
	}
	for round := range rounds(p, 60) {
		var handles []*shmem.Handle
		for i, x := range tables[:many-1] {
			x.load(round + i)
			h, err := shmem.StartBroadcast(x.t, x.got, x.one, (round+i)%p.n)
			p.ok(err)
			handles = append(handles, h)
		}
		last := tables[many-1]
		last.load(round)
		turns()[round%12].do(last, round%p.n, round) // only after those that were started
		for i := range handles {
			i = (i + p.me + round) % len(handles)
			done, err := handles[i].Test()
			p.ok(err)
			same(p, done, true, "what was started before a call, after it: complete")
			same(p, at(p, tables[i].got, 0), tables[i].value((round+i)%p.n, 0, round+i), "broadcast %d of round %d", i, round)
		}
		p.barrier()
	}
}

// waitInAnyOrder: teams have nothing to do with each other, so each PE may start and
// wait in an order of its own.
func waitInAnyOrder(p *pe) {
	const many = 4
	var teams []*shmem.Team
	var tables []*table
	for range many {
		teams = append(teams, split(p, p.w.Team(), 0, 1, p.n))
		tables = append(tables, newTable(p, teams[len(teams)-1]))
	}
	for round := range rounds(p, 60) {
		var handles [many]*shmem.Handle
		for i := range many {
			i = (i*3 + p.me + round) % many
			tables[i].load(round + i)
			h, err := shmem.StartAllReduce(teams[i], tables[i].got, tables[i].one, shmem.Sum)
			p.ok(err)
			handles[i] = h
		}
		for i := range many {
			i = (i + p.me*round) % many
			p.ok(handles[i].Wait(p.ctx))
			same(p, at(p, tables[i].got, 0), tables[i].fold(p.n, round+i), "sum of team %d in round %d", i, round)
		}
		p.barrier()
	}
	destroy(p, teams...)
}

// testHandle: a handle is not complete before the last member has come, who comes when
// the others have seen that it is not, and some day it is.
func testHandle(p *pe) {
	x, seen, quiet := newTable(p, p.w.Team()), allocSignals(p, 1)[0], alloc[uint64](p, 1)
	for round := range rounds(p, 30) {
		last := round % p.n
		x.load(round)
		if p.me == last {
			_, err := seen.WaitUntil(p.ctx, shmem.GE, uint64(p.n-1))
			p.ok(err)
			p.ok(seen.Set(0, p.me))
		}
		h, err := shmem.StartAllReduce(x.t, x.got, x.one, shmem.Sum)
		p.ok(err)
		if p.me != last {
			done, err := h.Test()
			p.ok(err)
			same(p, done, false, "complete without the last member")
			p.ok(seen.Add(1, last))
		}
		for i := 0; ; i++ {
			done, err := h.Test()
			p.ok(err)
			if done {
				break
			}
			runtime.Gosched()
			idle(p, quiet, i)
		}
		same(p, at(p, x.got, 0), x.fold(p.n, round), "sum in round %d", round)
		p.barrier()
	}
}

// startedThenDestroyed ends a team with a collective under way: it is completed first.
func startedThenDestroyed(p *pe) {
	x := newTable(p, nil)
	for round := range rounds(p, 40) {
		x.t = split(p, p.w.Team(), 0, 1, p.n)
		x.load(round)
		h, err := shmem.StartAllReduce(x.t, x.got, x.one, shmem.Sum)
		p.ok(err)
		destroy(p, x.t)
		done, err := h.Test()
		p.ok(err)
		same(p, done, true, "started before destroy: complete")
		same(p, at(p, x.got, 0), x.fold(p.n, round), "sum in round %d", round)
		_, err = shmem.StartBarrier(x.t)
		p.is(err, shmem.ErrClosed, "start on a team that is gone")
		p.barrier()
	}
}
