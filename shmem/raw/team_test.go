package raw_test

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

func (p *pe) split(parent *shmem.Team, start, stride, size int) *shmem.Team {
	p.Helper()
	return must[*shmem.Team](p)(raw.TeamSplitStrided(p.ctx, parent, start, stride, size, nil, 0))
}

func (p *pe) destroy(t *shmem.Team) { p.Helper(); p.ok(raw.TeamDestroy(p.ctx, t)) }

// is checks this PE's place in a team; -1 and -1: it is no member.
func (p *pe) is(what string, t *shmem.Team, me, n int) {
	p.Helper()
	same(p, "PE in "+what, raw.TeamMyPe(t), me)
	same(p, "size of "+what, raw.TeamNPes(t), n)
	same(p, "being nil of "+what, t == nil, me < 0)
}

func (p *pe) world() *shmem.Team { return raw.TeamWorld(p.w) }

func splitWorld(p *pe) {
	t := p.split(p.world(), 0, 1, p.n)
	p.is("the team", t, p.me, p.n)
	p.ok(raw.Barrier(p.ctx, t))
	p.destroy(t)
	t, err := raw.TeamSplitStrided(p.ctx, p.world(), 0, 1, p.n, &shmem.TeamConfig{NumContexts: 4}, raw.TeamNumContexts)
	p.ok(err)
	same(p, "contexts wished for", must[shmem.TeamConfig](p)(t.Config()).NumContexts, 4)
	p.destroy(t)
	t, err = raw.TeamSplitStrided(p.ctx, p.world(), 0, 1, p.n, &shmem.TeamConfig{NumContexts: 4}, raw.TeamDefaultConfigs)
	p.ok(err)
	same(p, "contexts that the mask leaves out", must[shmem.TeamConfig](p)(t.Config()).NumContexts, 0)
	p.destroy(t)
	if p.w.Info().NodeSize == 0 {
		p.is("the shared team", raw.TeamShared(p.w), p.me, p.n)
	}
}

// even is the team of the PEs with even numbers.
func (p *pe) even() *shmem.Team { return p.split(p.world(), 0, 2, (p.n+1)/2) }

func evenTeam(p *pe) {
	t := p.even()
	if p.me%2 == 0 {
		p.is("the even team", t, p.me/2, (p.n+1)/2)
	} else {
		p.is("the even team", t, -1, -1)
	}
	p.destroy(t) // also of no team
}

// subsetParent splits teams of a parity into halves.
func subsetParent(p *pe) {
	if p.n < 2 {
		return
	}
	sizes := [2]int{(p.n + 1) / 2, p.n / 2}
	var parents [2]*shmem.Team
	for parity := range parents {
		parents[parity] = p.split(p.world(), parity, 2, sizes[parity])
	}
	parent, size := parents[p.me%2], sizes[p.me%2]
	p.is("the parent", parent, p.me/2, size)
	same(p, "the team of the others being nil", parents[1-p.me%2] == nil, true)
	first := (size + 1) / 2
	low := p.split(parent, 0, 1, first)
	if i := p.me / 2; i < first {
		p.is("the lower half", low, i, first)
	} else {
		p.is("the lower half", low, -1, -1)
	}
	p.ok(raw.Barrier(p.ctx, low))
	p.destroy(low)
	p.destroy(parents[1])
	p.destroy(parents[0])
	p.is("a team without a parent", p.split(nil, 0, 1, 1), -1, -1)
}

// recursiveSplit makes teams of one PE, the first of each half.
func recursiveSplit(p *pe) {
	if p.n < 4 {
		return
	}
	low, high := p.split(p.world(), 0, 1, 2), p.split(p.world(), 2, 1, p.n-2)
	half := low
	if p.me >= 2 {
		half = high
	}
	leader := p.split(half, 0, 1, 1)
	if raw.TeamMyPe(half) == 0 {
		p.is("the leader's team", leader, 0, 1)
	} else {
		p.is("the leader's team", leader, -1, -1)
	}
	p.ok(raw.TeamSync(p.ctx, leader))
	p.destroy(leader)
	p.destroy(high)
	p.destroy(low)
}

func invalidTeam(p *pe) {
	p.destroy(nil)
	p.destroy(p.world())
	p.is("the world", p.world(), p.me, p.n)
	p.ok(raw.Barrier(p.ctx, nil))
	p.ok(raw.TeamSync(p.ctx, nil))
	p.barrier()
}

func translate(p *pe) {
	t, e := p.split(p.world(), 0, 1, p.n), p.even()
	for pe := range p.n {
		same(p, "world to child", raw.TeamTranslatePe(p.world(), pe, t), pe)
		same(p, "child to world", raw.TeamTranslatePe(t, pe, p.world()), pe)
	}
	if e != nil {
		same(p, "even to world", raw.TeamTranslatePe(e, raw.TeamNPes(e)-1, p.world()), 2*raw.TeamNPes(e)-2)
		same(p, "an odd PE in the even team", raw.TeamTranslatePe(t, 1, e), -1)
	}
	same(p, "from no team", raw.TeamTranslatePe(nil, 0, t), -1)
	same(p, "to no team", raw.TeamTranslatePe(t, 0, nil), -1)
	same(p, "beyond the team", raw.TeamTranslatePe(t, p.n, p.world()), -1)
	p.destroy(e)
	p.destroy(t)
}

// memberScoping: syncs and barriers of a team wait for its members and for nobody
// else. The first member comes only when all others of the world have said that
// nothing held them; it tells the members so before it comes.
func memberScoping(p *pe) {
	t := p.even()
	for _, meet := range []func(context.Context, *shmem.Team) error{raw.TeamSync, raw.Barrier} {
		passed, told := p.malloc(8), p.malloc(8)
		if raw.TeamMyPe(t) == 0 {
			p.ok(raw.LongWaitUntil(p.ctx, p.w, passed, raw.CmpEq, int64(p.n-raw.TeamNPes(t))))
			for i := range raw.TeamNPes(t) {
				p.ok(raw.LongAtomicSet(p.w, told, 1, raw.TeamTranslatePe(t, i, p.world())))
			}
			p.ok(raw.Quiet(p.ctx, p.w)) // a sync completes nothing
		}
		p.ok(meet(p.ctx, t))
		if t == nil {
			p.ok(raw.LongAtomicInc(p.w, passed, 0))
		} else {
			same(p, "what the first member has told before it came", must[int64](p)(raw.LongAtomicFetch(p.w, told, p.me)), 1)
		}
		p.free(told)
		p.free(passed)
	}
	p.destroy(t)
}

// syncVisibility: after a sync of the team a get sees what a member stored in its
// own memory.
func syncVisibility(p *pe) {
	t := p.even()
	value, got := p.malloc(8), p.malloc(8)
	for round := range 10 {
		if t == nil {
			break
		}
		own[int64](p, value, 1)[0] = int64(100*p.me + round)
		p.ok(raw.TeamSync(p.ctx, t))
		k := raw.TeamNPes(t)
		before := raw.TeamTranslatePe(t, (raw.TeamMyPe(t)+k-1)%k, p.world())
		p.ok(raw.Getmem(p.w, got, value, 8, before))
		same(p, "the member before", own[int64](p, got, 1)[0], int64(100*before+round))
		p.ok(raw.TeamSync(p.ctx, t))
	}
	p.ok(raw.SyncAll(p.ctx, p.w))
	p.destroy(t)
	p.free(got)
	p.free(value)
}

// barrierOrder: after a barrier of the team its members' puts are there.
func barrierOrder(p *pe) {
	t := p.even()
	src, dst := p.pair(256)
	if t != nil {
		k, i := raw.TeamNPes(t), raw.TeamMyPe(t)
		p.ok(raw.Putmem(p.w, dst, src, 1024, raw.TeamTranslatePe(t, (i+1)%k, p.world())))
		p.ok(raw.Barrier(p.ctx, t))
		p.came("putmem", dst, 256, raw.TeamTranslatePe(t, (i+k-1)%k, p.world()))
	}
	p.destroy(t)
	p.barrier()
	p.free(dst)
	p.free(src)
}

func rows(p *pe) {
	x, y, err := raw.TeamSplit2d(p.ctx, p.world(), 2, nil, 0, nil, 0)
	p.ok(err)
	p.is("the row", x, p.me%2, min(2, p.n-p.me/2*2))
	p.is("the column", y, p.me/2, (p.n+1-p.me%2)/2)
	p.destroy(y)
	p.destroy(x)
}
