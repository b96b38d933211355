package conformance

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/goshmem/goshmem/shmem"
)

func orderChecks() []Check {
	return []Check{
		check("order: fence between data and flag", 1, func(p *pe) { fencedFlag(p, putForms()) }),
		check("order: fence between data and atomic flag", 1, fencedAtomic),
		check("order: fence, seen by polling", 2, fencedPolling),
		check("order: quiet, then tell a third PE", 3, quietThirdPE),
		check("order: quiet completes gets", 1, quietGets),
		check("order: quiet before a look", 1, quietThenLook),
		check("order: quiet covers all goroutines", 1, quietGoroutines),
		check("order: barrier completes puts", 1, barrierCompletes),
		check("order: later put wins after a fence", 1, laterPutWins),
		check("order: source may change after put", 1, sourceReuse),
		check("order: slice may change after put", 1, sliceReuse),
		check("order: small transfers in one piece", 1, onePiece),
		check("order: ping-pong of 1 to many words", 1, pingPongSizes),
	}
}

// putForm is one way to put data of which a flag tells.
type putForm = func(dst, src shmem.Array[uint64], pe int) error

func putForms() []putForm {
	return []putForm{shmem.Array[uint64].Put, shmem.Array[uint64].PutNBI}
}

// fencedFlag: who sees the flag sees the data that was put before the fence.
func fencedFlag(p *pe, forms []putForm) {
	p.Helper()
	const most = 200
	dst, src, flag := alloc[uint64](p, most), alloc[uint64](p, most), alloc[uint64](p, 2)
	for round := uint64(1); round <= 150; round++ {
		n := []int{1, 2, 7, most}[round%4]
		p.ok(part(p, src, 0, n).Fill(hash64(p.me, round)))
		p.ok(forms[round%uint64(len(forms))](part(p, dst, 0, n), part(p, src, 0, n), p.next()))
		p.fence()
		p.ok(flag.P(0, round, p.next()))
		wait(p, flag, 0, round)
		sameAll(p, local(p, dst)[:n], func(int) uint64 { return hash64(p.prev(), round) }, "round %d", round)
		p.quiet() // before the own source changes
		p.ok(flag.P(1, round, p.prev()))
		wait(p, flag, 1, round)
	}
}

func hash64(pe int, round uint64) uint64 { return hash(pe, int(round)) }

// fencedAtomic is fencedFlag with an atomic as the flag, which an engine may move
// by other means than puts.
func fencedAtomic(p *pe) {
	const n = 64
	dst, flag := alloc[uint64](p, n), alloc[uint64](p, 2)
	data := make([]uint64, n)
	for round := uint64(1); round <= 100; round++ {
		for i := range data {
			data[i] = hash64(p.me, round)
		}
		p.ok(dst.PutSlice(data, p.next()))
		p.fence()
		p.ok(shmem.AtomicAdd(flag, 0, 1, p.next()))
		wait(p, flag, 0, round)
		sameAll(p, local(p, dst), func(int) uint64 { return hash64(p.prev(), round) }, "round %d", round)
		p.ok(shmem.AtomicSet(flag, 1, round, p.prev()))
		wait(p, flag, 1, round)
	}
}

func fencedPolling(p *pe) {
	polledFence(p, func(a shmem.Array[uint64]) shmem.Array[uint64] { return a }, p.w.Fence)
}

// polledFence is fencedFlag with many small puts and a consumer that looks all
// the time, while the producer goes on putting: that gives an engine every chance
// to let the flag overtake. through is how the producer sees arrays.
func polledFence(p *pe, through func(a shmem.Array[uint64]) shmem.Array[uint64], fence func() error) {
	p.Helper()
	const n, noise = 16, 300
	a, flag := alloc[uint64](p, n+noise), alloc[uint64](p, 2)
	far, farFlag := through(a), through(flag)
	for round := 1; round <= 60; round++ {
		from := round % p.n
		to := (from + 1) % p.n
		switch p.me {
		case from:
			for i := range n {
				p.ok(far.P(i, hash(round, i), to))
			}
			p.ok(fence())
			p.ok(farFlag.P(0, uint64(round), to))
			for i := 0; i < noise && !has(p, flag, 1, uint64(round)); i++ {
				p.ok(far.P(n+i, uint64(i), to))
				runtime.Gosched()
			}
			wait(p, flag, 1, uint64(round))
		case to:
			for i := 0; !has(p, flag, 0, uint64(round)); i++ {
				idle(p, flag, i)
			}
			sameAll(p, local(p, a)[:n], func(i int) uint64 { return hash(round, i) }, "round %d", round)
			p.ok(flag.P(1, uint64(round), from))
		}
		p.barrier()
	}
}

// quietThirdPE: PE 0 puts to PE 1 and, once that is complete, tells PE 2.
func quietThirdPE(p *pe) {
	const n = 50
	data, flag := alloc[uint64](p, n), alloc[uint64](p, 1)
	buf := make([]uint64, n)
	for round := uint64(1); round <= 50; round++ {
		switch p.me {
		case 0:
			for i := range buf {
				buf[i] = round
			}
			p.ok(data.PutSlice(buf, 1))
			p.quiet()
			p.ok(flag.P(0, round, 2))
			wait(p, flag, 0, round)
		case 2:
			wait(p, flag, 0, round)
			p.ok(data.GetSlice(buf, 1))
			sameAll(p, buf, func(int) uint64 { return round }, "round %d, seen by PE 2 on PE 1", round)
			p.ok(flag.P(0, round, 0))
		}
	}
}

func quietGets(p *pe) {
	src, dst := alloc[uint64](p, 8), alloc[uint64](p, 8)
	buf := make([]uint64, 8)
	for round := range 40 {
		p.ok(src.Fill(hash(p.me, round)))
		p.barrier()
		p.ok(dst.GetNBI(src, p.next()))
		p.ok(src.GetSliceNBI(buf, p.prev()))
		p.quiet()
		sameAll(p, local(p, dst), func(int) uint64 { return hash(p.next(), round) }, "array, round %d", round)
		sameAll(p, buf, func(int) uint64 { return hash(p.prev(), round) }, "slice, round %d", round)
		p.barrier()
	}
}

// quietThenLook: two PEs each put to the other and look, after a quiet, at what
// the other has put. Whoever looks later must see it, so at least one does.
func quietThenLook(p *pe) {
	n := p.often(10000)
	a, missed := alloc[uint64](p, n), alloc[bool](p, n)
	other := p.partner()
	for round := uint64(1); round <= 6; round++ {
		p.crowd(n, func(i int) error {
			err := errors.Join(a.P(i, round, other), p.w.Quiet(p.ctx))
			seen, lookErr := shmem.Test(a, i, shmem.GE, round)
			return errors.Join(err, lookErr, missed.Set(i, !seen))
		})
		p.barrier()
		theirs := make([]bool, n)
		p.ok(missed.GetSlice(theirs, other))
		for i, mine := range local(p, missed) {
			if mine && theirs[i] {
				p.Fatalf("round %d, word %d: neither sees what the other had put before its quiet", round, i)
			}
		}
	}
}

// quietGoroutines: a quiet completes what other goroutines of the PE have issued.
func quietGoroutines(p *pe) {
	const each, k = 4, 16
	dst, flag := alloc[uint64](p, each*k), alloc[uint64](p, 1)
	for round := 1; round <= 20; round++ {
		var wg sync.WaitGroup
		errs := make([]error, each)
		for i := range each {
			wg.Go(func() {
				for j := i * k; j < i*k+k && errs[i] == nil; j++ {
					errs[i] = dst.P(j, hash(p.me, round, j), p.next())
				}
			})
		}
		wg.Wait()
		for _, err := range errs {
			p.ok(err)
		}
		p.quiet()
		p.ok(shmem.AtomicSet(flag, 0, uint64(round), p.next()))
		wait(p, flag, 0, uint64(round))
		sameAll(p, local(p, dst), func(j int) uint64 { return hash(p.prev(), round, j) }, "round %d", round)
		p.barrier()
	}
}

func barrierCompletes(p *pe) {
	const n = 64
	dst := alloc[uint64](p, n*p.n)
	for round := range 60 {
		for to := range p.n {
			for i := p.me % 3; i < n; i += 3 {
				p.ok(dst.P(p.me*n+i, hash(p.me, to, i, round), to))
			}
		}
		p.barrier()
		for from := range p.n {
			for i := from % 3; i < n; i += 3 {
				same(p, at(p, dst, from*n+i), hash(from, p.me, i, round), "round %d, element %d from PE %d", round, i, from)
			}
		}
		p.barrier()
	}
}

func laterPutWins(p *pe) {
	const n = 16
	dst := alloc[uint64](p, n)
	for round := range 40 {
		for version := range 4 {
			for i := range n {
				p.ok(dst.P(i, hash(p.me, round, version, i), p.next()))
			}
			p.fence()
		}
		p.barrier()
		sameAll(p, local(p, dst), func(i int) uint64 { return hash(p.prev(), round, 3, i) }, "round %d", round)
		p.barrier()
	}
}

// sourceReuse: a blocking put has read its source when it returns.
func sourceReuse(p *pe) {
	const n, k = 30, 4
	dst, src := alloc[uint64](p, n*k), alloc[uint64](p, k)
	for i := range n {
		p.ok(src.Fill(hash(p.me, i)))
		p.ok(part(p, dst, i*k, i*k+k).Put(src, p.next()))
	}
	p.ok(src.Fill(0))
	p.barrier()
	sameAll(p, local(p, dst), func(i int) uint64 { return hash(p.prev(), i/k) }, "puts from one source")
}

func sliceReuse(p *pe) {
	const n, k = 30, 5
	dst, sig := alloc[uint32](p, n*k), allocSignals(p, 1)[0]
	src := make([]uint32, k)
	for i := range n {
		for j := range src {
			src[j] = uint32(hash(p.me, i))
		}
		to := part(p, dst, i*k, i*k+k)
		if i%2 == 0 {
			p.ok(to.PutSlice(src, p.next()))
		} else {
			p.ok(to.PutSliceSignal(src, p.next(), sig, shmem.SignalAdd, 1))
		}
	}
	clear(src)
	p.barrier()
	sameAll(p, local(p, dst), func(i int) uint32 { return uint32(hash(p.prev(), i/k)) }, "puts from one slice")
}

// onePiece: words of 2, 4 and 8 bytes are never seen half written.
func onePiece(p *pe) {
	pieces(p, func(x uint64) uint64 { return x })
	pieces(p, func(x uint64) uint32 { return uint32(x) })
	pieces(p, func(x uint64) uint16 { return uint16(x) })
	pieces(p, func(x uint64) eight { return eight{uint32(x), uint32(x)} })
	pieces(p, func(x uint64) float64 { return float64(x & 1) })
}

// pieces has one of a pair of PEs overwrite a word of the other one with all zeros
// and all ones in turn while that one reads it.
func pieces[T comparable](p *pe, value func(x uint64) T) {
	p.Helper()
	a, src := alloc[T](p, 1), alloc[T](p, 2)
	zero, ones := value(0), value(^uint64(0))
	p.ok(src.Set(1, ones))
	from := []shmem.Array[T]{part(p, src, 0, 1), part(p, src, 1, 2)}
	other := p.partner()
	for writer := range 2 {
		if p.me%2 == writer {
			p.crowd(p.often(10000), func(i int) error { return errors.Join(a.P(0, value(-uint64(i&1)), other), a.Put(from[i&1], other)) })
			continue
		}
		p.crowd(p.often(10000), func(i int) error {
			v, err := a.At(0)
			if i%4 == 3 {
				v, err = a.G(0, p.me)
			}
			if err == nil && v != zero && v != ones {
				err = fmt.Errorf("%T: %v, which nobody wrote", v, v)
			}
			return err
		})
	}
	p.barrier()
}

func pingPongSizes(p *pe) {
	for _, n := range []int{1, 2, 3, 8, 64, 1000} {
		pingPong[uint64](p, n, 20)
		pingPong[uint16](p, n, 20)
	}
}

// pingPong has both of a pair send n elements with fence and flag, in turn.
func pingPong[T uint16 | uint64](p *pe, n, rounds int) {
	p.Helper()
	ball, mine, flag := alloc[T](p, n), alloc[T](p, n), alloc[uint64](p, 1)
	other := p.partner()
	serve := func(round int) {
		p.ok(mine.Fill(T(hash(p.me, round))))
		p.ok(ball.Put(mine, other))
		p.fence()
		p.ok(flag.P(0, uint64(round), other))
	}
	for round := 1; round <= rounds; round++ {
		if p.me <= other {
			serve(round)
		}
		wait(p, flag, 0, uint64(round))
		sameAll(p, local(p, ball), func(int) T { return T(hash(other, round)) }, "round %d of %d elements", round, n)
		if p.me > other {
			serve(round)
		}
	}
	p.barrier()
}
