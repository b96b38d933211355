package conformance

import (
	"runtime"

	"github.com/goshmem/goshmem/shmem"
)

func signalChecks() []Check {
	return []Check{
		check("signal: put with signal, every form", 1, signalForms),
		check("signal: put with signal, seen by polling", 2, signalPolling),
		check("signal: broadcast along the ring", 1, signalBroadcast),
		check("signal: ring of sets and adds", 1, signalRing),
		check("signal: many producers, one consumer", 1, signalProducers),
		check("signal: set, add, fetch, test", 1, signalWords),
		check("signal: every comparison", 1, signalComparisons),
		check("signal: element of an array", 1, signalAt),
	}
}

// putSignals are the ways to put with a signal that becomes value; one adds 1, so
// it must have been one less.
func putSignals(p *pe) []func(dst, src shmem.Array[uint64], pe int, sig shmem.Signal, value uint64) error {
	return []func(dst, src shmem.Array[uint64], pe int, sig shmem.Signal, value uint64) error{
		func(dst, src shmem.Array[uint64], pe int, sig shmem.Signal, value uint64) error {
			return dst.PutSignal(src, pe, sig, shmem.SignalSet, value)
		},
		func(dst, src shmem.Array[uint64], pe int, sig shmem.Signal, value uint64) error {
			return dst.PutSliceSignal(local(p, src), pe, sig, shmem.SignalSet, value)
		},
		func(dst, src shmem.Array[uint64], pe int, sig shmem.Signal, _ uint64) error {
			return dst.PutSignalNBI(src, pe, sig, shmem.SignalAdd, 1)
		},
	}
}

// signalForms: who sees the signal sees the data of the same put.
func signalForms(p *pe) {
	const n = 100
	dst, src, sigs := alloc[uint64](p, n), alloc[uint64](p, n), allocSignals(p, 2)
	for round := uint64(1); round <= 120; round++ {
		p.ok(src.Fill(hash64(p.me, round)))
		p.ok(putSignals(p)[round%3](dst, src, p.next(), sigs[0], round))
		seen, err := sigs[0].WaitUntil(p.ctx, shmem.GE, round)
		p.ok(err)
		same(p, seen, round, "value that ended the wait")
		sameAll(p, local(p, dst), func(int) uint64 { return hash64(p.prev(), round) }, "round %d", round)
		p.quiet()
		p.ok(sigs[1].Set(round, p.prev()))
		_, err = sigs[1].WaitUntil(p.ctx, shmem.EQ, round)
		p.ok(err)
	}
}

func signalPolling(p *pe) {
	polledSignal(p, func(a shmem.Array[uint64]) shmem.Array[uint64] { return a })
}

// polledSignal has the consumer look all the time, and then at the last words
// first, while the producer is busy with a large put and then with others: that
// gives an engine every chance to let the signal overtake. through is how the producer
// sees arrays.
func polledSignal(p *pe, through func(a shmem.Array[uint64]) shmem.Array[uint64]) {
	p.Helper()
	const n, rounds, puts = 1 << 14, 60, 20
	a, src, noise, sigs := alloc[uint64](p, n), alloc[uint64](p, n), alloc[uint64](p, (rounds+1)*puts), allocSignals(p, 2)
	words := alloc[uint64](p, 1)
	far, farNoise := through(a), through(noise)
	for round := 1; round <= rounds; round++ {
		from := round % p.n
		to := (from + 1) % p.n
		switch p.me {
		case from:
			p.ok(src.Fill(hash(round)))
			p.ok(putSignals(p)[round%2](far, src, to, sigs[0], uint64(round)))
			for i := 0; i < 16*puts && fetch(p, sigs[1]) < uint64(round); i++ {
				runtime.Gosched()
				if i%16 == 0 {
					p.ok(farNoise.P(round*puts+i/16, uint64(i), to))
				}
			}
			_, err := sigs[1].WaitUntil(p.ctx, shmem.EQ, uint64(round))
			p.ok(err)
		case to:
			for i := 0; fetch(p, sigs[0]) < uint64(round); i++ {
				idle(p, words, i)
			}
			data := local(p, a)
			same(p, data[n-1], hash(round), "round %d: the last word", round)
			sameAll(p, data, func(int) uint64 { return hash(round) }, "round %d", round)
			p.ok(sigs[1].Set(uint64(round), from))
		}
		p.barrier()
	}
}

// fetch is the value of the own signal.
func fetch(p *pe, s shmem.Signal) uint64 {
	v, err := s.Fetch()
	if err != nil {
		p.Helper()
		p.Fatal(err)
	}
	return v
}

// signalBroadcast passes data from PE 0 along the ring, each PE forwarding what came.
func signalBroadcast(p *pe) {
	const n = 33
	data, sig := alloc[int32](p, n), allocSignals(p, 1)[0]
	for round := 1; round <= 50; round++ {
		if p.me == 0 {
			p.ok(data.Fill(int32(round * 1000)))
		} else {
			_, err := sig.WaitUntil(p.ctx, shmem.EQ, uint64(round))
			p.ok(err)
			sameAll(p, local(p, data), func(int) int32 { return int32(round * 1000) }, "round %d", round)
		}
		if p.next() != 0 {
			p.ok(data.PutSignal(data, p.next(), sig, shmem.SignalSet, uint64(round)))
		}
		p.barrier()
	}
}

// signalRing: even rounds set, odd rounds add, and each stage sees exactly the
// value that it awaits.
func signalRing(p *pe) {
	sig := allocSignals(p, 1)[0]
	value := uint64(0)
	for round := range p.fewer(200) {
		send := func() {
			if round%2 == 0 {
				p.ok(sig.Set(value+7, p.next()))
			} else {
				p.ok(sig.Add(5, p.next()))
			}
		}
		expected := value + 7
		if round%2 == 1 {
			expected = value + 5
		}
		if p.me == 0 {
			send()
		}
		seen, err := sig.WaitUntil(p.ctx, shmem.NE, value)
		p.ok(err)
		same(p, seen, expected, "round %d", round)
		if p.me != 0 {
			send()
		}
		value = expected
	}
}

// signalProducers: every PE puts into its slot of everybody and adds to one signal.
func signalProducers(p *pe) {
	const k = 8
	slots, src, sig := alloc[uint64](p, p.n*k), alloc[uint64](p, k), allocSignals(p, 1)[0]
	for round := 1; round <= 30; round++ {
		p.ok(src.Fill(hash(p.me, round)))
		for to := range p.n {
			p.ok(part(p, slots, p.me*k, p.me*k+k).PutSignal(src, to, sig, shmem.SignalAdd, 1))
		}
		_, err := sig.WaitUntil(p.ctx, shmem.EQ, uint64(p.n*round))
		p.ok(err)
		sameAll(p, local(p, slots), func(i int) uint64 { return hash(i/k, round) }, "round %d", round)
		p.barrier()
	}
}

func signalWords(p *pe) {
	sig := allocSignals(p, 3)
	p.ok(sig[0].Set(1<<40+1, p.next()))
	p.ok(sig[2].Add(3, p.next()))
	p.ok(sig[2].Add(^uint64(0), p.next()))
	p.barrier()
	for i, want := range []uint64{1<<40 + 1, 0, 2} {
		same(p, fetch(p, sig[i]), want, "signal %d", i)
	}
	yes, err := sig[0].Test(shmem.GT, 1<<40)
	p.ok(err)
	no, err := sig[1].Test(shmem.NE, 0)
	p.ok(err)
	same(p, [2]bool{yes, no}, [2]bool{true, false}, "tests of 2^40+1 > 2^40 and 0 != 0")
}

func signalComparisons(p *pe) {
	sigs := allocSignals(p, 6)
	const v = 1 << 33
	for cmp := shmem.EQ; cmp <= shmem.LE; cmp++ {
		before, operand := crossing(cmp)
		p.ok(sigs[cmp].Set(v+uint64(before), p.me))
		p.barrier()
		p.ok(sigs[cmp].Set(v+5, p.next()))
		seen, err := sigs[cmp].WaitUntil(p.ctx, cmp, v+uint64(operand))
		p.ok(err)
		same(p, seen, v+5, "wait until %v", cmp)
	}
}

// crossing returns a value for which cmp with operand does not hold, and that
// operand; with 5 it holds.
func crossing(cmp shmem.Cmp) (before, operand int) {
	switch cmp {
	case shmem.EQ, shmem.GE:
		return 1, 5
	case shmem.NE:
		return 1, 1
	case shmem.GT:
		return 4, 4
	case shmem.LT:
		return 6, 6
	}
	return 6, 5
}

func signalAt(p *pe) {
	words := alloc[uint64](p, 5)
	sig, err := shmem.SignalAt(words, 3)
	p.ok(err)
	p.ok(part(p, words, 0, 1).PutSignal(part(p, words, 4, 5), p.me, sig, shmem.SignalSet, 9))
	p.barrier()
	p.ok(sig.Add(1, p.next()))
	_, err = sig.WaitUntil(p.ctx, shmem.EQ, 10)
	p.ok(err)
	sameAll(p, local(p, words), func(i int) uint64 { return []uint64{3: 10, 4: 0}[i] }, "words around the signal")
}
