package conformance

import (
	"context"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
)

// Checks of what is done on streams. They run on memory of the host and of devices, so
// they use what works on both.

func streamChecks() []Check {
	return []Check{
		check("stream: puts and gets", 1, streamTransfers),
		check("stream: a nil stream", 1, streamNil),
		check("stream: device memory as the local side", 1, streamDevice),
		check("stream: puts with signals around the ring", 1, streamRing),
		check("stream: signals and waits", 1, streamSignals),
		check("stream: quiet", 1, streamQuiet),
		check("stream: graphs", 1, streamGraph),
	}
}

// stream makes a stream of this PE's device.
func (p *pe) stream() *gpu.Stream {
	p.Helper()
	s, err := p.w.Device().NewStream()
	p.ok(err)
	p.frees = append(p.frees, func(context.Context) error { return s.Close() })
	return s
}

// synchronize waits for a stream.
func (p *pe) synchronize(s *gpu.Stream) { p.Helper(); p.ok(s.Synchronize(p.ctx)) }

// store makes the own copy of a what f says.
func store[T any](p *pe, a shmem.Array[T], f func(i int) T) {
	p.Helper()
	values := make([]T, a.Len())
	for i := range values {
		values[i] = f(i)
	}
	p.ok(a.CopyFrom(values))
}

// holds ends the check unless the own copy of a is what f says.
func holds[T comparable](p *pe, a shmem.Array[T], f func(i int) T, format string, args ...any) {
	p.Helper()
	values := make([]T, a.Len())
	p.ok(a.CopyTo(values))
	sameAll(p, values, f, format, args...)
}

func streamTransfers(p *pe) {
	const few = 1100
	s := p.stream()
	transfersOn(p, s, few, func(x uint64) uint8 { return uint8(x) })
	transfersOn(p, s, few, func(x uint64) int16 { return int16(x) })
	transfersOn(p, s, few, func(x uint64) float32 { return float32(x % 1e6) })
	transfersOn(p, s, few, func(x uint64) float64 { return float64(x % 1e12) })
	transfersOn(p, s, few, func(x uint64) complex128 { return complex(float64(x%7), float64(x%1e9)) })
	transfersOn(p, s, mostBytes(p)/8, func(x uint64) uint64 { return x })
	transfersOn(p, s, mostBytes(p)/3, func(x uint64) [3]uint8 { return [3]uint8{uint8(x), uint8(x >> 8), uint8(x >> 16)} })
}

// mostBytes is how many bytes to move at most: it takes long where PEs share few cores.
func mostBytes(p *pe) int {
	switch {
	case p.w.HeapStats().Largest >= 1<<30:
		return 64 << 20
	case p.n > 8:
		return 16 << 10
	}
	return 64 << 10
}

// transfersOn puts and gets parts of all sizes, at places that are aligned and not.
func transfersOn[T comparable](p *pe, s *gpu.Stream, most int, value func(uint64) T) {
	p.Helper()
	src, put, got := alloc[T](p, most), alloc[T](p, most), alloc[T](p, most)
	for round, at := range []int{0, 1, 2, 1} {
		n := []int{1, 3, 1001, most - 3}[round]
		of := func(pe int) func(i int) T { return func(i int) T { return value(hash(pe, round) * uint64(2*i+1)) } }
		store(p, src, of(p.me))
		p.barrier()
		p.ok(part(p, put, at, at+n).PutOnStream(s, part(p, src, 1, 1+n), p.next()))
		p.ok(p.w.BarrierOnStream(s))
		p.ok(part(p, got, at, at+n).GetOnStream(s, part(p, src, 1, 1+n), p.next()))
		p.synchronize(s)
		holds(p, part(p, put, at, at+n), func(i int) T { return of(p.prev())(i + 1) }, "%d elements from %d on, put", n, at)
		holds(p, part(p, got, at, at+n), func(i int) T { return of(p.next())(i + 1) }, "%d elements from %d on, got", n, at)
		p.barrier()
	}
	var zero T
	holds(p, part(p, put, most-1, most), func(int) T { return zero }, "what nobody has put")
}

// streamNil: a nil stream is one of this PE.
func streamNil(p *pe) {
	a := alloc[uint64](p, 2)
	for round := range rounds(p, 50) {
		p.ok(a.Set(1, hash(p.me, round)))
		p.barrier()
		p.ok(part(p, a, 0, 1).PutOnStream(nil, part(p, a, 1, 2), p.next()))
		p.ok(p.w.BarrierOnStream(nil))
		p.synchronize(p.w.DefaultStream())
		same(p, at(p, a, 0), hash(p.prev(), round), "round %d", round)
		p.barrier()
	}
}

// streamDevice moves between symmetric memory and ordinary memory of the device, and
// pinned memory, on streams and off.
func streamDevice(p *pe) {
	const n = 1000
	s, a := p.stream(), alloc[uint32](p, n)
	plain, err := gpu.Alloc[uint32](p.w.Device(), n)
	p.ok(err)
	pinned, err := gpu.AllocPinned[uint32](p.w.Device(), n)
	p.ok(err)
	values := make([]uint32, n)
	for round, local := range []gpu.Slice[uint32]{plain, pinned, plain, pinned} {
		of := func(pe int) func(i int) uint32 { return func(i int) uint32 { return uint32(hash(pe, round, i)) } }
		for i := range values {
			values[i] = of(p.me)(i)
		}
		p.ok(local.CopyFrom(values, s))
		if round < 2 {
			p.ok(a.PutDevice(local, p.next()))
			p.barrier()
			p.ok(a.GetDevice(local, p.next()))
		} else {
			p.ok(a.PutDeviceOnStream(s, local, p.next()))
			p.ok(p.w.BarrierOnStream(s))
			p.ok(a.GetDeviceOnStream(s, local, p.next()))
		}
		p.ok(local.CopyTo(values, s))
		p.synchronize(s)
		holds(p, a, of(p.prev()), "put in round %d", round)
		sameAll(p, values, of(p.me), "got back in round %d", round)
		p.barrier()
	}
	p.ok(plain.Close())
	p.ok(pinned.Close())
}

// streamRing hands a value on around the ring, all on streams: who has seen the signal
// puts what came with it.
func streamRing(p *pe) {
	s, a := p.stream(), alloc[uint64](p, 300)
	sig := allocSignals(p, 1)[0]
	k := rounds(p, 60)
	for round := range k {
		if p.me == 0 {
			store(p, a, func(i int) uint64 { return hash(round, i) })
			p.ok(a.PutSignalOnStream(s, a, p.next(), sig, shmem.SignalSet, uint64(round+1)))
			p.ok(sig.WaitUntilOnStream(s, shmem.GE, uint64(round+1)))
			p.synchronize(s)
			holds(p, a, func(i int) uint64 { return hash(round, i) }, "what came round in round %d", round)
			continue
		}
		p.ok(sig.WaitUntilOnStream(s, shmem.GE, uint64(round+1)))
		p.ok(a.PutSignalOnStream(s, a, p.next(), sig, shmem.SignalSet, uint64(round+1)))
	}
	p.synchronize(s)
	holds(p, a, func(i int) uint64 { return hash(k-1, i) }, "what came last")
}

// streamSignals counts on a signal, and waits for it in every way.
func streamSignals(p *pe) {
	s, seen := p.stream(), alloc[uint64](p, 1)
	all := allocSignals(p, 2)
	count, set := all[0], all[1]
	for pe := range p.n {
		p.ok(count.AddOnStream(s, uint64(p.me+1), pe))
	}
	total := uint64(p.n * (p.n + 1) / 2)
	p.ok(count.WaitUntilOnStream(s, shmem.EQ, total))
	for i, c := range []shmem.Cmp{shmem.EQ, shmem.NE, shmem.GT, shmem.GE, shmem.LT, shmem.LE} {
		v := total
		switch c {
		case shmem.NE, shmem.LT:
			v++
		case shmem.GT:
			v--
		}
		p.ok(count.WaitUntilOnStream(s, c, v))
		p.ok(set.SetOnStream(s, uint64(i+1), p.me))
		p.ok(set.WaitUntilOnStream(s, shmem.EQ, uint64(i+1)))
	}
	p.synchronize(s)
	last, err := set.Fetch()
	p.ok(err)
	same(p, last, 6, "waits that have ended")
	p.barrier()
	p.ok(count.WaitUntilOnStream(s, shmem.LT, 0)) // as a signed number
	p.ok(seen.PutOnStream(s, seen, p.me))
	p.ok(p.w.QuietOnStream(s))
	p.ok(count.Set(1<<63, p.me))
	p.synchronize(s)
}

// streamQuiet: after a quiet on a stream a signal may say that data is there.
func streamQuiet(p *pe) {
	s, a := p.stream(), alloc[uint64](p, 500)
	sig := allocSignals(p, 1)[0]
	src := alloc[uint64](p, 500)
	for round := range rounds(p, 60) {
		store(p, src, func(i int) uint64 { return hash(p.me, round, i) })
		p.ok(a.PutOnStream(s, src, p.next()))
		p.ok(p.w.QuietOnStream(s))
		p.ok(sig.AddOnStream(s, 1, p.next()))
		_, err := sig.WaitUntil(p.ctx, shmem.GE, uint64(round+1))
		p.ok(err)
		holds(p, a, func(i int) uint64 { return hash(p.prev(), round, i) }, "round %d", round)
		p.synchronize(s)
		p.barrier()
	}
}

// streamGraph records ten puts and a barrier, and has them happen again and again.
func streamGraph(p *pe) {
	const puts, n = 10, 100
	s, src, dst := p.stream(), alloc[uint64](p, puts*n), alloc[uint64](p, puts*n)
	p.ok(s.BeginCapture())
	for i := range puts {
		p.ok(part(p, dst, i*n, i*n+n).PutOnStream(s, part(p, src, i*n, i*n+n), p.next()))
	}
	p.ok(p.w.BarrierOnStream(s))
	g, err := s.EndCapture()
	p.ok(err)
	p.barrier()
	holds(p, dst, func(int) uint64 { return 0 }, "what was recorded, before it is launched")
	for round := range rounds(p, 30) {
		store(p, src, func(i int) uint64 { return hash(p.me, round, i) })
		p.barrier()
		p.ok(g.Launch(s))
		if round%3 == 0 { // and once more, and something between
			p.ok(p.w.BarrierOnStream(s))
			p.ok(g.Launch(s))
		}
		p.synchronize(s)
		holds(p, dst, func(i int) uint64 { return hash(p.prev(), round, i) }, "launch %d", round)
		p.barrier()
	}
	p.ok(g.Close())
}
