package conformance

import (
	"iter"
	"maps"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// endingChecks finalize the world themselves, so each needs one of its own.
func endingChecks() []Check {
	return []Check{
		ending("end: finalize twice", finalizeTwice),
		ending("end: finalize completes puts", finalizeCompletes),
		ending("end: finalize completes what went through contexts", finalizeContexts),
		ending("end: every handle is closed", handlesClosed),
		ending("end: teams that are left", teamsLeft),
		ending("end: memory that is left has its line", memoryLeft),
	}
}

// ending is check for functions after which there is no world.
func ending(name string, run func(p *pe)) Check {
	return Check{name, 1, func(t testing.TB, w *shmem.World) {
		t.Helper()
		run(enter(named{t, name}, w))
	}}
}

func finalizeTwice(p *pe) {
	p.ok(p.w.Finalize(p.ctx))
	p.ok(p.w.Finalize(p.ctx))
	p.is(p.w.Barrier(p.ctx), shmem.ErrClosed, "barrier")
	same(p, [2]int{p.w.MyPE(), p.w.NPEs()}, [2]int{p.me, p.n}, "PE and size of a finalized world")
}

// finalizeCompletes puts without a quiet. The memory stays mapped, so that the
// owner can still look.
func finalizeCompletes(p *pe) {
	const n = 100
	dst, src := alloc[uint64](p, n), alloc[uint64](p, n)
	p.ok(src.Fill(hash(p.me)))
	if p.far {
		return // there is nothing to look at
	}
	own := local(p, dst)
	for i := range n {
		p.ok(part(p, dst, i, i+1).PutNBI(part(p, src, i, i+1), p.next()))
	}
	p.ok(p.w.Finalize(p.ctx))
	sameAll(p, own, func(int) uint64 { return hash(p.prev()) }, "puts that were pending at finalize")
}

// finalizeContexts is finalizeCompletes through a context, which ends as well.
func finalizeContexts(p *pe) {
	const n = 50
	dst, src := alloc[uint64](p, n), alloc[uint64](p, n)
	c, own := newContext(p), []uint64(nil)
	if !p.far {
		own = local(p, dst)
	}
	v := via(p, dst, c)
	scatter(p, v, src, hash(p.me))
	p.ok(p.w.Finalize(p.ctx))
	sameAll(p, own, func(int) uint64 { return hash(p.prev()) }, "puts through a context that were pending at finalize")
	p.is(c.Quiet(p.ctx), shmem.ErrClosed, "quiet")
	p.is(v.P(0, 1, p.me), shmem.ErrClosed, "put")
	p.is(second(p.w.NewContext(shmem.ContextOptions{})), shmem.ErrClosed, "new context")
	p.ok(c.Destroy(p.ctx)) // finalize has done it
}

func handlesClosed(p *pe) {
	a, sig, l := alloc[uint64](p, 4), allocSignals(p, 1)[0], allocLock(p)
	t := split(p, p.w.Team(), 0, 1, p.n)
	p.ok(p.w.Finalize(p.ctx))
	for what, err := range severalUses(p, a) {
		p.is(err, shmem.ErrClosed, what)
	}
	for what, err := range lockUses(p, l) {
		p.is(err, shmem.ErrClosed, what)
	}
	for what, err := range uses(p, a) {
		p.is(err, shmem.ErrClosed, what)
	}
	for what, err := range signalUses(p, sig) {
		p.is(err, shmem.ErrClosed, what)
	}
	for what, err := range worldUses(p, t) {
		p.is(err, shmem.ErrClosed, what)
	}
	p.is(a.Release(), shmem.ErrClosed, "release")
	p.is(a.PutSignal(a, p.me, sig, shmem.SignalSet, 1), shmem.ErrClosed, "put signal")
	p.is(a.Free(p.ctx), shmem.ErrClosed, "free")
}

func second[T any](_ T, err error) error { return err }

// uses calls every operation of an array that should be refused.
func uses(p *pe, a shmem.Array[uint64]) iter.Seq2[string, error] {
	buf := make([]uint64, a.Len())
	me := p.me
	return maps.All(map[string]error{
		"put": a.Put(a, me), "put nbi": a.PutNBI(a, me), "put slice": a.PutSlice(buf, me), "put slice nbi": a.PutSliceNBI(buf, me),
		"get": a.Get(a, me), "get nbi": a.GetNBI(a, me), "get slice": a.GetSlice(buf, me), "get slice nbi": a.GetSliceNBI(buf, me),
		"p": a.P(0, 1, me), "g": second(a.G(0, me)), "at": second(a.At(0)), "set": a.Set(0, 1), "fill": a.Fill(1),
		"copy to": a.CopyTo(buf), "copy from": a.CopyFrom(buf), "local": second(a.Local()), "peer": second(a.Peer(me)), "slice": second(a.Slice(0, 1)),
		"fetch": second(shmem.AtomicFetch(a, 0, me)), "atomic set": shmem.AtomicSet(a, 0, 1, me), "swap": second(shmem.AtomicSwap(a, 0, 1, me)),
		"compare swap": second(shmem.AtomicCompareSwap(a, 0, 0, 1, me)), "fetch add": second(shmem.AtomicFetchAdd(a, 0, 1, me)), "add": shmem.AtomicAdd(a, 0, 1, me),
		"fetch inc": second(shmem.AtomicFetchInc(a, 0, me)), "inc": shmem.AtomicInc(a, 0, me), "and": shmem.AtomicAnd(a, 0, 1, me), "or": shmem.AtomicOr(a, 0, 1, me),
		"xor": shmem.AtomicXor(a, 0, 1, me), "fetch and": second(shmem.AtomicFetchAnd(a, 0, 1, me)), "fetch or": second(shmem.AtomicFetchOr(a, 0, 1, me)),
		"iput": a.IPut(a, 1, 1, 1, me), "iget": a.IGet(a, 1, 1, 1, me), "via": second(a.Via(nil)),
		"fetch xor": second(shmem.AtomicFetchXor(a, 0, 1, me)), "test": second(shmem.Test(a, 0, shmem.EQ, 0)),
		"wait until": shmem.WaitUntil(p.ctx, a, 0, shmem.EQ, 0), "signal at": second(shmem.SignalAt(a, 0)),
	})
}

// severalUses calls what looks at several elements.
func severalUses(p *pe, a shmem.Array[uint64]) iter.Seq2[string, error] {
	vs := make([]uint64, a.Len())
	return maps.All(map[string]error{
		"wait any": second(shmem.WaitUntilAny(p.ctx, a, nil, shmem.EQ, 0)), "wait all": shmem.WaitUntilAll(p.ctx, a, nil, shmem.EQ, 0),
		"wait some": second(shmem.WaitUntilSome(p.ctx, a, nil, nil, shmem.EQ, 0)), "wait any vector": second(shmem.WaitUntilAnyVector(p.ctx, a, nil, shmem.EQ, vs)),
		"wait all vector": shmem.WaitUntilAllVector(p.ctx, a, nil, shmem.EQ, vs), "wait some vector": second(shmem.WaitUntilSomeVector(p.ctx, a, nil, nil, shmem.EQ, vs)),
		"test any": second(shmem.TestAny(a, nil, shmem.EQ, 0)), "test all": second(shmem.TestAll(a, nil, shmem.EQ, 0)),
		"test some": second(shmem.TestSome(a, nil, nil, shmem.EQ, 0)), "test any vector": second(shmem.TestAnyVector(a, nil, shmem.EQ, vs)),
		"test all vector": second(shmem.TestAllVector(a, nil, shmem.EQ, vs)), "test some vector": second(shmem.TestSomeVector(a, nil, nil, shmem.EQ, vs)),
	})
}

func lockUses(p *pe, l *shmem.Lock) iter.Seq2[string, error] {
	return maps.All(map[string]error{
		"lock set": l.Set(p.ctx), "lock test": second(l.Test()), "lock clear": l.Clear(p.ctx), "lock free": l.Free(p.ctx),
		"alloc lock": second(shmem.AllocLock(p.ctx, p.w)),
	})
}

func signalUses(p *pe, s shmem.Signal) iter.Seq2[string, error] {
	all := ownSignalUses(p, s)
	all["signal free"] = s.Free(p.ctx)
	return maps.All(all)
}

func ownSignalUses(p *pe, s shmem.Signal) map[string]error {
	return map[string]error{
		"signal set": s.Set(1, p.me), "signal add": s.Add(1, p.me), "signal fetch": second(s.Fetch()),
		"signal test": second(s.Test(shmem.EQ, 0)), "signal wait": second(s.WaitUntil(p.ctx, shmem.EQ, 0)),
	}
}

func worldUses(p *pe, t *shmem.Team) iter.Seq2[string, error] {
	return maps.All(map[string]error{
		"barrier": p.w.Barrier(p.ctx), "sync": p.w.Sync(p.ctx), "fence": p.w.Fence(), "quiet": p.w.Quiet(p.ctx),
		"alloc": second(shmem.Alloc[int](p.ctx, p.w, 1)), "alloc of nothing": second(shmem.Alloc[int](p.ctx, p.w, 0)),
		"alloc signal": second(shmem.AllocSignal(p.ctx, p.w)),
		"split":        second(p.w.Team().SplitStrided(p.ctx, 0, 1, 1, shmem.TeamConfig{})),
		"team barrier": t.Barrier(p.ctx), "team sync": t.Sync(p.ctx),
		"team split": second(t.SplitStrided(p.ctx, 0, 1, 1, shmem.TeamConfig{})),
		"shared":     p.w.SharedTeam().Barrier(p.ctx),
	})
}

// teamsLeft leaves overlapping teams to finalize, which must end them in an order
// that suits all members.
func teamsLeft(p *pe) {
	even, odd := parity(p)
	for _, t := range []*shmem.Team{even, odd} {
		if t != nil {
			split(p, t, 0, 1, (t.NPEs()+1)/2)
		}
	}
	low := split(p, p.w.Team(), 0, 1, (p.n+1)/2)
	p.ok(low.Barrier(p.ctx))
	p.ok(p.w.Finalize(p.ctx))
	if low != nil {
		p.ok(low.Destroy(p.ctx))
	}
}

func memoryLeft(p *pe) {
	_, err := shmem.Alloc[byte](p.ctx, p.w, 33)
	p.ok(err)
	_, err = shmem.Alloc[uint64](p.ctx, p.w, 5)
	p.ok(err)
	leaks := p.w.Leaks()
	same(p, len(leaks), 2, "leaks")
	for i, bytes := range []int{33, 40} {
		l := leaks[i]
		if l.Bytes != bytes || l.Seq != i+1 || !strings.HasPrefix(l.Site, "lifecycle.go:") || !strings.Contains(l.String(), l.Site) {
			p.Errorf("leak %d is %v, want %d bytes of alloc #%d with its line here", i, l, bytes, i+1)
		}
	}
	p.ok(p.w.Finalize(p.ctx))
}
