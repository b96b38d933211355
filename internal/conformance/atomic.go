package conformance

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/goshmem/goshmem/shmem"
)

func atomicChecks() []Check {
	return []Check{
		check("atomic: integers, every operation", 1, atomicIntegers),
		check("atomic: bits, every operation", 1, atomicBits),
		check("atomic: floating point, every operation", 1, atomicFloats),
		check("atomic: n PEs x k increments", 1, increments),
		check("atomic: fetched values are distinct", 1, distinctTickets),
		check("atomic: compare and swap loops", 1, casLoops),
		check("atomic: compare and swap as a lock", 1, casLock),
		check("atomic: swap passes a token", 1, swapRing),
		check("atomic: swaps lose nothing", 1, swapsConserve),
		check("atomic: each PE has its bit", 1, ownBit),
		check("atomic: sums of fractions", 1, floatSums),
		check("atomic: many goroutines, one word", 1, manyGoroutines),
		check("atomic: neighbouring words", 1, neighbouringWords),
	}
}

// old ends the check unless an operation returned what was there before.
func old[T comparable](p *pe, want T, op string) func(got T, err error) {
	return func(got T, err error) {
		if err != nil || got != want {
			p.Helper()
			p.Fatalf("%T %s returned %v, %v, want %v", got, op, got, err, want)
		}
	}
}

func atomicIntegers(p *pe) {
	integer(p, int(-5), 1<<40+7)
	integer(p, int32(-5), 1<<30+7)
	integer(p, int64(-5), 1<<40+7)
	integer(p, uint(1<<63+5), 1<<40+7)
	integer(p, uint32(1<<31+5), 1<<30+7)
	integer(p, uint64(1<<63+5), 1<<40+7)
	integer(p, uintptr(1<<31+5), 1<<30+7)
	wraps(p, int32(1<<31-1), -1<<31)
	wraps(p, int64(1<<63-1), -1<<63)
	wraps(p, uint32(1<<32-1), 0)
	wraps(p, uint64(1<<64-1), 0)
}

// integer works with values beyond half of T's range on the middle of three words
// of the next PE; nobody else does.
func integer[T shmem.AtomicInteger](p *pe, v, d T) {
	p.Helper()
	a, to := alloc[T](p, 3), p.next()
	p.ok(shmem.AtomicSet(a, 1, v, to))
	p.quiet()
	old(p, v, "fetch")(shmem.AtomicFetch(a, 1, to))
	old(p, v, "swap")(shmem.AtomicSwap(a, 1, v+d, to))
	old(p, v+d, "compare swap of another value")(shmem.AtomicCompareSwap(a, 1, v, 0, to))
	old(p, v+d, "compare swap")(shmem.AtomicCompareSwap(a, 1, v+d, v, to))
	old(p, v, "fetch inc")(shmem.AtomicFetchInc(a, 1, to))
	p.ok(shmem.AtomicInc(a, 1, to))
	p.quiet()
	old(p, v+2, "fetch add")(shmem.AtomicFetchAdd(a, 1, d, to))
	p.ok(shmem.AtomicAdd(a, 1, d, to))
	p.barrier()
	same(p, [3]T(local(p, a)), [3]T{0, v + 2 + d + d, 0}, "%T: word and its neighbours", v)
}

// wraps: an increment of the largest value gives the smallest.
func wraps[T shmem.AtomicInteger](p *pe, largest, smallest T) {
	p.Helper()
	a := alloc[T](p, 1)
	p.ok(shmem.AtomicSet(a, 0, largest, p.next()))
	p.quiet()
	old(p, largest, "fetch inc of the largest value")(shmem.AtomicFetchInc(a, 0, p.next()))
	p.barrier()
	same(p, at(p, a, 0), smallest, "%T after the largest value", largest)
}

func atomicBits(p *pe) {
	bits(p, int32(-0x55555556), 0x33333333)
	bits(p, int64(-0x5555555555555556), 0x3333333333333333)
	bits(p, uint(0xaaaaaaaaaaaaaaaa), 0x3333333333333333)
	bits(p, uint32(0xaaaaaaaa), 0x33333333)
	bits(p, uint64(0xaaaaaaaaaaaaaaaa), 0x3333333333333333)
}

func bits[T shmem.AtomicBits](p *pe, v, mask T) {
	p.Helper()
	a, to := alloc[T](p, 3), p.next()
	p.ok(shmem.AtomicSet(a, 1, v, to))
	p.quiet()
	old(p, v, "fetch and")(shmem.AtomicFetchAnd(a, 1, mask, to))
	old(p, v&mask, "fetch xor")(shmem.AtomicFetchXor(a, 1, ^T(0), to))
	old(p, ^(v & mask), "fetch or")(shmem.AtomicFetchOr(a, 1, mask, to))
	want := ^(v & mask) | mask
	p.ok(shmem.AtomicAnd(a, 1, v, to))
	p.fence()
	p.ok(shmem.AtomicXor(a, 1, mask, to))
	p.fence()
	p.ok(shmem.AtomicOr(a, 1, 1, to))
	p.barrier()
	same(p, [3]T(local(p, a)), [3]T{0, (want&v ^ mask) | 1, 0}, "%T: word and its neighbours", v)
}

func atomicFloats(p *pe) {
	float(p, float32(-1.75))
	float(p, float64(-1.75))
	float(p, float32(1<<40))
	float(p, float64(1<<52+1))
}

func float[T float32 | float64](p *pe, v T) {
	p.Helper()
	a, to := alloc[T](p, 3), p.next()
	p.ok(shmem.AtomicSet(a, 1, v, to))
	p.quiet()
	old(p, v, "fetch")(shmem.AtomicFetch(a, 1, to))
	old(p, v, "swap")(shmem.AtomicSwap(a, 1, 0.125, to))
	old(p, T(0.125), "fetch add")(shmem.AtomicFetchAdd(a, 1, v, to))
	p.ok(shmem.AtomicAdd(a, 1, -0.5, to))
	p.barrier()
	same(p, [3]T(local(p, a)), [3]T{0, 0.125 + v - 0.5, 0}, "%T: word and its neighbours", v)
}

func increments(p *pe) {
	incrementsOf[int64](p, p.often(100000))
	incrementsOf[int](p, 1000)
	incrementsOf[int32](p, 5000)
	incrementsOf[uint](p, 1000)
	incrementsOf[uint32](p, 1000)
	incrementsOf[uint64](p, 1000)
	incrementsOf[uintptr](p, 1000)
}

// incrementsOf has all PEs increment one word of PE 0, in both forms.
func incrementsOf[T shmem.AtomicInteger](p *pe, most int) {
	p.Helper()
	k := p.fewer(most)
	a := alloc[T](p, 1)
	p.crowd(k, func(i int) error {
		if i%8 != 0 {
			return shmem.AtomicInc(a, 0, 0)
		}
		_, err := shmem.AtomicFetchInc(a, 0, 0)
		return err
	})
	p.barrier()
	same(p, g(p, a, 0, 0), T(p.n*k), "%T after %d PEs x %d increments", T(0), p.n, k)
}

// distinctTickets: no two PEs fetch the same value of a counter, and a PE's own
// values rise.
func distinctTickets(p *pe) {
	const k = 2000
	counter, taken := alloc[int64](p, 1), alloc[uint32](p, p.n*k)
	last := int64(-1)
	p.crowd(k, func(int) error {
		ticket, err := shmem.AtomicFetchAdd(counter, 0, 1, 0)
		if err == nil && (ticket <= last || ticket >= int64(p.n*k)) {
			return fmt.Errorf("ticket %d after %d", ticket, last)
		}
		last = ticket
		return errors.Join(err, shmem.AtomicInc(taken, int(ticket), 0))
	})
	p.barrier()
	if p.me == 0 {
		sameAll(p, local(p, taken), func(int) uint32 { return 1 }, "how often each ticket was taken")
	}
}

// casLoops builds other operations from compare and swap.
func casLoops(p *pe) {
	const k = 3000
	a := alloc[uint64](p, 1)
	p.crowd(k, func(i int) error {
		seen, err := shmem.AtomicFetch(a, 0, 0)
		for err == nil {
			var was uint64
			was, err = shmem.AtomicCompareSwap(a, 0, seen, seen+uint64(i), 0)
			if was == seen {
				break
			}
			seen = was
		}
		return err
	})
	p.barrier()
	same(p, g(p, a, 0, 0), uint64(p.n*k*(k-1)/2), "sum by compare and swap")
}

// casLock guards two words that are moved with ordinary puts and gets.
func casLock(p *pe) {
	const k = 40
	lock, words := alloc[int64](p, 1), alloc[uint64](p, 2)
	for range k {
		for i := 0; ; i++ {
			was, err := shmem.AtomicCompareSwap(lock, 0, 0, int64(p.me+1), 0)
			p.ok(err)
			if was == 0 {
				break
			}
			idle(p, lock, i)
		}
		a, b := g(p, words, 0, 0), g(p, words, 1, 0)
		same(p, b, a*3, "second word under the lock")
		p.ok(words.P(0, a+1, 0))
		p.ok(words.P(1, (a+1)*3, 0))
		p.quiet()
		was, err := shmem.AtomicSwap(lock, 0, 0, 0)
		p.ok(err)
		same(p, was, int64(p.me+1), "holder of the lock at its release")
	}
	p.barrier()
	same(p, g(p, words, 0, 0), uint64(p.n*k), "increments under the lock")
}

// swapRing passes a token that grows at each PE; a swap takes it away.
func swapRing(p *pe) {
	token := alloc[uint64](p, 1)
	for round := range 40 {
		if p.me == 0 {
			old(p, uint64(0), "swap into an empty place")(shmem.AtomicSwap(token, 0, uint64(round+1)<<32, p.next()))
		}
		p.ok(shmem.WaitUntil(p.ctx, token, 0, shmem.NE, 0))
		hops := uint64((p.me + p.n - 1) % p.n)
		old(p, uint64(round+1)<<32+hops, "swap of the token")(shmem.AtomicSwap(token, 0, 0, p.me))
		if p.me != 0 {
			old(p, uint64(0), "swap into an empty place")(shmem.AtomicSwap(token, 0, uint64(round+1)<<32+hops+1, p.next()))
		}
	}
}

// swapsConserve has each PE swap what it holds into one of two words over and
// over: in the end everything that there was is still somewhere, once.
func swapsConserve(p *pe) {
	const k = 3000
	words, held := alloc[uint64](p, 2), alloc[uint64](p, p.n)
	mine := uint64(p.me + 1)
	p.crowd(k, func(i int) (err error) {
		mine, err = shmem.AtomicSwap(words, i%2, mine, 0)
		return err
	})
	p.ok(held.P(p.me, mine, 0))
	p.barrier()
	if p.me == 0 {
		all := append(slices.Clone(local(p, held)), local(p, words)...)
		slices.Sort(all)
		sameAll(p, all, func(i int) uint64 { return uint64(max(i-1, 0)) }, "what the PEs and the words hold")
	}
}

// ownBit has each PE set, flip and clear one bit of a shared word many times.
func ownBit(p *pe) {
	ownBitOf[uint64](p, 64)
	ownBitOf[int64](p, 64)
	ownBitOf[uint](p, 64)
	ownBitOf[uint32](p, 32)
	ownBitOf[int32](p, 32)
}

func ownBitOf[T shmem.AtomicBits](p *pe, width int) {
	p.Helper()
	a := alloc[T](p, 2)
	bit := T(1) << (p.me % width)
	p.crowd(p.often(1000), func(int) error {
		if p.me >= width {
			return nil
		}
		setErr := errors.Join(shmem.AtomicOr(a, 0, bit, 0), p.w.Fence())
		set, clearErr := shmem.AtomicFetchAnd(a, 0, ^bit, 0)
		cleared, err := shmem.AtomicFetchXor(a, 0, bit, 0)
		if set&bit == 0 || cleared&bit != 0 {
			err = fmt.Errorf("%T: own bit %#x was not set in %#x or not cleared in %#x", bit, bit, set, cleared)
		}
		return errors.Join(setErr, clearErr, err)
	})
	p.barrier()
	var all T
	for pe := range min(p.n, width) {
		all |= 1 << pe
	}
	same(p, g(p, a, 0, 0), all, "%T: bits of all PEs", bit)
	p.barrier()
}

func floatSums(p *pe) {
	const k = 5000
	a, b := alloc[float32](p, 1), alloc[float64](p, 1)
	p.crowd(k, func(int) error {
		_, err := shmem.AtomicFetchAdd(b, 0, -0.125, 0)
		return errors.Join(err, shmem.AtomicAdd(a, 0, 0.25, 0))
	})
	p.barrier()
	same(p, g(p, a, 0, 0), float32(p.n*k)/4, "sum of quarters")
	same(p, g(p, b, 0, 0), -float64(p.n*k)/8, "sum of negative eighths")
}

func manyGoroutines(p *pe) {
	const each, k = 32, 50
	a := alloc[uint64](p, 1)
	var wg sync.WaitGroup
	errs := make([]error, each)
	for i := range each {
		wg.Go(func() {
			for j := 0; j < k && errs[i] == nil; j++ {
				errs[i] = shmem.AtomicInc(a, 0, p.next())
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		p.ok(err)
	}
	p.barrier()
	same(p, at(p, a, 0), each*k, "increments by %d goroutines", each)
}

// neighbouringWords has two PEs work on two words of one aligned pair.
func neighbouringWords(p *pe) {
	const k = 2000
	a := alloc[uint32](p, 2)
	mine := p.me % 2
	p.crowd(k, func(int) error { return shmem.AtomicAdd(a, mine, 3, 0) })
	p.barrier()
	same(p, g(p, a, 0, 0), uint32((p.n+1)/2*k*3), "first word")
	same(p, g(p, a, 1, 0), uint32(p.n/2*k*3), "second word")
}
