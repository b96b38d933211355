package conformance

import (
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
)

func streamTeamChecks() []Check {
	return []Check{
		check("stream: barriers back to back", 1, func(p *pe) { streamMeetings(p, (*shmem.Team).BarrierOnStream) }),
		check("stream: syncs back to back", 1, func(p *pe) { streamMeetings(p, (*shmem.Team).SyncOnStream) }),
		check("stream: several streams of a team", 1, streamsOfTeam),
		check("stream: blocking calls in between", 1, streamsAndCalls),
		check("stream: teams that came and went", 1, streamTeamsAnew),
		check("stream: broadcast, fcollect and alltoall", 1, streamMoves),
		check("stream: reductions", 1, streamReductions),
		check("stream: reductions of every type", 1, streamTypes),
		check("stream: calls that are refused", 1, streamRefusals),
	}
}

// streamMeetings holds that no meeting lets anybody through early: what a member has put to
// the next one must be there after it, on the streams alone, which keep what they see for
// the end. Two places in turn, since a member may be one meeting ahead.
func streamMeetings(p *pe, meet func(*shmem.Team, *gpu.Stream) error) {
	p.Helper()
	const k = 40
	s, box := p.stream(), alloc[uint64](p, 2)
	mine, seen := alloc[uint64](p, k), alloc[uint64](p, k)
	onTeams(p, func(t *shmem.Team) {
		store(p, mine, func(i int) uint64 { return hash(p.me, t.NPEs(), i) })
		next, prev := member(p, t, (t.MyPE()+1)%t.NPEs()), member(p, t, (t.MyPE()+t.NPEs()-1)%t.NPEs())
		p.ok(t.Sync(p.ctx))
		for i := range k {
			p.ok(part(p, box, i%2, i%2+1).PutOnStream(s, part(p, mine, i, i+1), next))
			p.ok(p.w.QuietOnStream(s)) // a sync completes nothing
			p.ok(meet(t, s))
			p.ok(part(p, seen, i, i+1).PutOnStream(s, part(p, box, i%2, i%2+1), p.me))
			p.ok(p.w.QuietOnStream(s))
		}
		p.synchronize(s)
		holds(p, seen, func(i int) uint64 { return hash(prev, t.NPEs(), i) }, "boxes on a team of %d", t.NPEs())
	})
}

// streamsOfTeam: members call in the same order, on streams that nothing else orders.
func streamsOfTeam(p *pe) {
	const many = 3
	var streams []*gpu.Stream
	var tables []*table
	for range many {
		streams, tables = append(streams, p.stream()), append(tables, newTable(p, p.w.Team()))
	}
	for round := range rounds(p, 40) {
		for i, x := range tables {
			store(p, x.one, func(int) uint64 { return x.value(p.me, 0, round+i) })
		}
		p.sync()
		for i, x := range tables {
			p.ok(shmem.AllReduceOnStream(streams[(i+round)%many], x.t, x.got, x.one, shmem.Sum))
		}
		for i, x := range tables {
			p.synchronize(streams[(i+round)%many])
			same(p, at(p, x.got, 0), x.fold(p.n, round+i), "sum %d of round %d", i, round)
		}
		p.sync()
	}
}

// streamsAndCalls: a team meets on streams and in blocking calls at the same time, and
// neither takes the other for its own.
func streamsAndCalls(p *pe) {
	s, x, y := p.stream(), newTable(p, p.w.Team()), newTable(p, p.w.Team())
	for round := range rounds(p, 60) {
		store(p, x.one, func(int) uint64 { return x.value(p.me, 0, round) })
		store(p, y.one, func(int) uint64 { return y.value(p.me, 0, round+1) })
		p.sync()
		p.ok(shmem.AllReduceOnStream(s, x.t, x.got, x.one, shmem.Sum))
		p.sync()
		p.ok(shmem.AllReduce(p.ctx, y.t, y.got, y.one, shmem.Sum))
		p.ok(p.w.SyncOnStream(s))
		p.ok(shmem.FCollectOnStream(s, x.t, x.wanted, x.one))
		p.barrier()
		p.synchronize(s)
		same(p, at(p, x.got, 0), x.fold(p.n, round), "on the stream, in round %d", round)
		same(p, at(p, y.got, 0), y.fold(p.n, round+1), "in the call, in round %d", round)
		holds(p, x.wanted, func(m int) uint64 { return x.value(m, 0, round) }, "together, in round %d", round)
		p.sync()
	}
}

// streamTeamsAnew meets on streams of teams that follow each other in one place.
func streamTeamsAnew(p *pe) {
	s, a := p.stream(), alloc[uint64](p, 1)
	b := alloc[uint64](p, 1)
	for round := range rounds(p, 30) {
		low := split(p, p.w.Team(), 0, 1, (p.n+1)/2+round%(p.n/2+1))
		p.ok(a.Set(0, hash(p.me, round)))
		p.barrier()
		if low != nil {
			for i := range round % 3 {
				p.ok(low.BarrierOnStream(s))
				p.ok(shmem.BroadcastOnStream(s, low, b, a, i%low.NPEs()))
			}
			p.ok(shmem.BroadcastOnStream(s, low, b, a, round%low.NPEs()))
			p.synchronize(s)
			same(p, at(p, b, 0), hash(round%low.NPEs(), round), "broadcast in round %d", round)
		}
		p.ok(low.BarrierOnStream(s)) // nothing where it is nil
		p.synchronize(s)
		destroy(p, low)
	}
}

// wordsOnStreams are numbers of words to try, and the largest: up to 8 MiB where there is
// room for them.
func wordsOnStreams(p *pe) (sizes []int, most int) {
	sizes = []int{0, 1, 6, 7, 777}
	if p.w.HeapStats().Largest >= 1<<30 {
		sizes = append(sizes, 8191, 1<<20)
	}
	return sizes, sizes[len(sizes)-1]
}

// streamMoves has data of every size go through the collectives that move it.
func streamMoves(p *pe) {
	s := p.stream()
	sizes, most := wordsOnStreams(p)
	src, dst := alloc[uint64](p, most), alloc[uint64](p, most*p.n)
	many, got := alloc[uint64](p, most*p.n), alloc[uint64](p, most*p.n)
	round := 0
	onTeams(p, func(t *shmem.Team) {
		k := t.NPEs()
		for _, n := range sizes {
			root := round % k
			store(p, part(p, src, 0, n), func(i int) uint64 { return drawWord(p.me, round, i) })
			store(p, part(p, many, 0, n*k), func(i int) uint64 { return drawWord(p.me, round+1, i) })
			p.ok(t.Sync(p.ctx))
			p.ok(shmem.BroadcastOnStream(s, t, part(p, dst, 0, n), part(p, src, 0, n), root))
			p.synchronize(s)
			holds(p, part(p, dst, 0, n), func(i int) uint64 { return drawWord(member(p, t, root), round, i) }, "%d words from member %d of %d", n, root, k)
			p.ok(shmem.FCollectOnStream(s, t, part(p, dst, 0, n*k), part(p, src, 0, n)))
			p.ok(shmem.AllToAllOnStream(s, t, part(p, got, 0, n*k), part(p, many, 0, n*k)))
			p.synchronize(s)
			holds(p, part(p, dst, 0, n*k), func(i int) uint64 { return drawWord(member(p, t, i/n), round, i%n) }, "%d words of each of %d", n, k)
			holds(p, part(p, got, 0, n*k), func(i int) uint64 { return drawWord(member(p, t, i/n), round+1, t.MyPE()*n+i%n) }, "%d words from each of %d", n, k)
			inPlace(p, s, t, part(p, dst, 0, n*k), round+2)
			round++
		}
	})
}

// inPlace has each member's part of dst where all parts go.
func inPlace(p *pe, s *gpu.Stream, t *shmem.Team, dst shmem.Array[uint64], round int) {
	p.Helper()
	n := dst.Len() / t.NPEs()
	own := part(p, dst, t.MyPE()*n, t.MyPE()*n+n)
	p.ok(t.Sync(p.ctx)) // the parts of others have been read
	wipe(p, dst)
	store(p, own, func(i int) uint64 { return drawWord(p.me, round, i) })
	p.ok(t.Sync(p.ctx))
	p.ok(shmem.FCollectOnStream(s, t, dst, own))
	p.synchronize(s)
	holds(p, dst, func(i int) uint64 { return drawWord(member(p, t, i/n), round, i%n) }, "%d words of each of %d, in place", n, t.NPEs())
}

// streamReductions has sums of every size on every team.
func streamReductions(p *pe) {
	s := p.stream()
	sizes, most := wordsOnStreams(p)
	src, dst := alloc[uint64](p, most*p.n), alloc[uint64](p, most)
	round := 0
	onTeams(p, func(t *shmem.Team) {
		k := t.NPEs()
		sum := func(i int) (v uint64) {
			for m := range k {
				v += drawWord(member(p, t, m), round, i)
			}
			return v
		}
		for _, n := range sizes {
			root, from, to := round%k, part(p, src, 0, n), part(p, dst, 0, n)
			store(p, part(p, src, 0, n*k), func(i int) uint64 { return drawWord(p.me, round, i) })
			p.ok(t.Sync(p.ctx))
			p.ok(shmem.AllReduceOnStream(s, t, to, from, shmem.Sum))
			p.synchronize(s)
			holds(p, to, sum, "%d words of %d, for all", n, k)
			p.ok(shmem.ReduceScatterOnStream(s, t, to, part(p, src, 0, n*k), shmem.Sum))
			p.synchronize(s)
			holds(p, to, func(i int) uint64 { return sum(t.MyPE()*n + i) }, "%d words of %d, to each", n, k)
			p.ok(shmem.ReduceOnStream(s, t, to, from, shmem.Sum, root))
			p.synchronize(s)
			if t.MyPE() == root {
				holds(p, to, sum, "%d words of %d, for one", n, k)
			}
			round++
		}
	})
}

// streamTypes compares with the blocking form, bit by bit.
func streamTypes(p *pe) {
	s := p.stream()
	typeOn(p, s, shmem.Min[int8], func(x uint64) int8 { return int8(x) })
	typeOn(p, s, shmem.Max[int16], func(x uint64) int16 { return int16(x) })
	typeOn(p, s, shmem.Prod[int32], func(x uint64) int32 { return int32(x) })
	typeOn(p, s, shmem.Sum[int64], func(x uint64) int64 { return int64(x) })
	typeOn(p, s, shmem.And[uint8], func(x uint64) uint8 { return uint8(x) })
	typeOn(p, s, shmem.Or[uint16], func(x uint64) uint16 { return uint16(x) })
	typeOn(p, s, shmem.Xor[uint32], func(x uint64) uint32 { return uint32(x) })
	typeOn(p, s, shmem.Sum[float32], func(x uint64) float32 { return float32(x%1e6) / 64 })
	typeOn(p, s, shmem.Max[float64], func(x uint64) float64 { return float64(x) })
}

func typeOn[T shmem.Numeric](p *pe, s *gpu.Stream, op shmem.Reduction[T], value func(uint64) T) {
	p.Helper()
	const n = 777
	src, dst, want := alloc[T](p, n), alloc[T](p, n), alloc[T](p, n)
	store(p, src, func(i int) T { return value(hash(p.me, i)) })
	p.sync()
	p.ok(shmem.AllReduceOnStream(s, p.w.Team(), part(p, dst, 1, n), part(p, src, 1, n), op))
	p.ok(shmem.AllReduce(p.ctx, p.w.Team(), part(p, want, 1, n), part(p, src, 1, n), op))
	p.synchronize(s)
	values := make([]T, n)
	p.ok(want.CopyTo(values))
	holds(p, dst, func(i int) T { return values[i] }, "%T", values)
}

// streamRefusals: what is wrong is refused by the call, on this PE alone, and what concerns
// no team does no harm.
func streamRefusals(p *pe) {
	s, a, b := p.stream(), alloc[uint64](p, 4), alloc[uint64](p, 8)
	sig := allocSignals(p, 1)[0]
	p.is(a.PutOnStream(s, a, p.n), shmem.ErrPE, "a PE that is not there")
	p.is(a.PutOnStream(s, b, 0), shmem.ErrLength, "other lengths")
	p.is(a.GetOnStream(s, a, -1), shmem.ErrPE, "a PE that is not there")
	p.is(a.PutSignalOnStream(s, a, 0, sig, 7, 1), shmem.ErrArgument, "an operation that is none")
	p.is(a.PutSignalOnStream(s, a, 0, shmem.Signal{}, shmem.SignalSet, 1), shmem.ErrArgument, "no signal")
	p.is(sig.AddOnStream(s, 1, p.n), shmem.ErrPE, "a PE that is not there")
	p.is(sig.WaitUntilOnStream(s, 9, 1), shmem.ErrArgument, "a comparison that is none")
	p.is(a.PutDeviceOnStream(s, gpu.Slice[uint64]{}, 0), shmem.ErrLength, "no memory")
	p.is(shmem.Array[uint64]{}.PutOnStream(s, a, 0), shmem.ErrArgument, "no array")
	var none *shmem.Team
	p.ok(none.BarrierOnStream(s))
	p.ok(none.SyncOnStream(s))
	p.is(shmem.BroadcastOnStream(s, none, a, a, 0), shmem.ErrNotMember, "broadcast of no team")
	p.is(shmem.AllReduceOnStream(s, none, a, a, shmem.Sum), shmem.ErrNotMember, "allreduce of no team")
	closed := p.stream()
	p.ok(closed.Close())
	p.is(a.PutOnStream(closed, a, 0), gpu.ErrClosed, "a stream that is closed")
	p.is(p.w.QuietOnStream(closed), gpu.ErrClosed, "a stream that is closed")
	p.ok(p.w.BarrierOnStream(s))
	p.synchronize(s)
}
