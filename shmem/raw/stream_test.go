package raw_test

import (
	"context"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

// queued is a collective on a stream; the structs below are those of checkFamilies.
type queued = func(c *shmem.CommContext, team *shmem.Team, dest, source uintptr, n int, stream uintptr) error

// done is a collective on the default stream that waits for its end.
func done(f queued) collective {
	return func(ctx context.Context, c *shmem.CommContext, team *shmem.Team, dest, source uintptr, n int) error {
		if err := f(c, team, dest, source, n, 0); err != nil {
			return err
		}
		return team.World().DefaultStream().Synchronize(ctx)
	}
}

type streamReductions[T shmem.Waitable] struct{ sum, prod, min, max queued }

func (r streamReductions[T]) check(t testing.TB, w *shmem.World, c string) {
	reductions[T]{sum: done(r.sum), prod: done(r.prod), min: done(r.min), max: done(r.max)}.check(t, w, c)
}

type streamBitReductions[T bits] struct{ and, or, xor queued }

func (r streamBitReductions[T]) check(t testing.TB, w *shmem.World, c string) {
	bitReductions[T]{and: done(r.and), or: done(r.or), xor: done(r.xor)}.check(t, w, c)
}

// synchronize waits for a stream of this PE.
func (p *pe) synchronize(s *gpu.Stream) { p.Helper(); p.ok(s.Synchronize(p.ctx)) }

// streams moves bytes and signals on a stream, from symmetric and from other memory.
func streams(p *pe) {
	const n = 100
	s := must[*gpu.Stream](p)(p.w.Device().NewStream())
	h, ptr, sig := s.Handle(), p.malloc(3*n), p.malloc(8)
	src, dst, got := ptr, ptr+n, ptr+2*n
	for i, mine := 0, own[byte](p, src, n); i < n; i++ {
		mine[i] = byte(p.me + i)
	}
	p.barrier()
	p.ok(raw.PutmemOnStream(p.w, dst, src, n, p.next(), h))
	p.ok(raw.BarrierAllOnStream(p.w, h))
	p.ok(raw.GetmemOnStream(p.w, got, dst, n, p.next(), h))
	p.synchronize(s)
	same(p, "put", own[byte](p, dst, n)[7], byte(p.prev()+7))
	same(p, "got back", own[byte](p, got, n)[9], byte(p.me+9))
	p.barrier()
	other := must[gpu.Slice[byte]](p)(gpu.Alloc[byte](p.w.Device(), n))
	p.ok(other.Fill(byte(p.me + 50)))
	p.ok(raw.PutmemOnStream(p.w, dst, other.Address(), n, p.next(), h))
	p.ok(raw.QuietOnStream(p.w, h))
	p.ok(raw.SignalSetOnStream(p.w, sig, 3, p.next(), h))
	p.ok(raw.QuietOnStream(p.w, h)) // or the two could change places
	p.ok(raw.SignalAddOnStream(p.w, sig, 4, p.next(), h))
	p.ok(raw.SignalWaitUntilOnStream(p.w, sig, shmem.EQ, 7, h))
	p.ok(raw.GetmemOnStream(p.w, other.Address(), dst, n, p.me, h))
	p.synchronize(s)
	same(p, "put from ordinary memory", must[[]byte](p)(other.Local())[n-1], byte(p.prev()+50))
	p.ok(raw.SyncAllOnStream(p.w, h))
	p.ok(raw.PutmemSignalOnStream(p.w, dst, src, n, sig, 8, shmem.SignalSet, p.next(), h))
	p.ok(raw.SignalWaitUntilOnStream(p.w, sig, shmem.GE, 8, h))
	p.synchronize(s)
	same(p, "put with a signal", own[byte](p, dst, n)[1], byte(p.prev()+1))
	p.ok(other.Close())
	p.barrier()
	p.free(sig)
	p.free(ptr)
	p.ok(s.Close())
}

// teamStreams has a team meet on the default stream, and move data.
func teamStreams(p *pe) {
	team := must[*shmem.Team](p)(raw.TeamSplitStrided(p.ctx, raw.TeamWorld(p.w), 0, 1, (p.n+1)/2, nil, 0))
	ptr := p.malloc(8 * 2 * p.n)
	src, dst := ptr, ptr+uintptr(8*p.n)
	for i, mine := 0, own[uint64](p, src, p.n); i < p.n; i++ {
		mine[i] = uint64(100*p.me + i)
	}
	p.ok(raw.BarrierOnStream(team, 0)) // nothing where it is nil
	p.ok(raw.TeamSyncOnStream(team, 0))
	if team == nil {
		p.refused("broadcast of no team", raw.BroadcastmemOnStream(team, dst, src, 8, 0, 0), shmem.ErrNotMember)
	} else {
		p.ok(raw.AlltoallmemOnStream(team, dst, src, 8, 0))
		p.synchronize(p.w.DefaultStream())
		same(p, "alltoall", own[uint64](p, dst, p.n)[raw.TeamNPes(team)-1], uint64(100*(raw.TeamNPes(team)-1)+p.me))
		p.ok(raw.BroadcastmemOnStream(team, dst, src, 8, raw.TeamNPes(team)-1, 0))
		p.synchronize(p.w.DefaultStream())
		same(p, "broadcast", own[uint64](p, dst, 1)[0], uint64(100*(raw.TeamNPes(team)-1)))
	}
	p.ok(raw.TeamDestroy(p.ctx, team))
	p.free(ptr)
}

// wrongStreams gives what is no address, and no stream.
func wrongStreams(p *pe) {
	ptr, sig := p.malloc(16), uintptr(3)
	p.refused("dest", raw.PutmemOnStream(p.w, 8, ptr, 8, 0, 0), shmem.ErrBounds)
	p.refused("source", raw.GetmemOnStream(p.w, ptr, 8, 8, 0, 0), shmem.ErrBounds)
	p.refused("length", raw.PutmemOnStream(p.w, ptr, ptr+8, 16, 0, 0), shmem.ErrBounds)
	p.refused("signal", raw.SignalAddOnStream(p.w, sig, 1, 0, 0), shmem.ErrBounds)
	p.refused("PE", raw.PutmemOnStream(p.w, ptr, ptr, 8, p.n, 0), shmem.ErrPE)
	p.refused("stream", raw.PutmemOnStream(p.w, ptr, ptr, 8, 0, 1<<40), gpu.ErrArgument)
	p.refused("world", raw.BarrierAllOnStream(nil, 0), shmem.ErrArgument)
	p.free(ptr)
}
