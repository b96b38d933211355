package conformance

import (
	"context"
	"slices"

	"github.com/goshmem/goshmem/shmem"
)

func waitAnyChecks() []Check {
	return []Check{
		check("wait any: every type, every comparison", 1, anyTypes),
		check("wait any: a value for each element", 1, anyVector),
		check("wait any: nothing to wait for", 1, anyNothing),
		check("wait any: one after the other, by masks", 1, anyMasks),
		check("wait any: none is passed over", 1, anyTurns),
		check("wait any: another goroutine of this PE stores", 1, anyGoroutine),
		check("wait any: polling, each sender answered once", 2, anyPolling),
		check("wait any: waiting, each sender answered once", 2, anyServing),
		check("wait any: signals that are elements of one array", 1, anySignals),
		check("wait any: ends with its context", 1, anyContext),
	}
}

func anyTypes(p *pe) {
	anyOn(p, func(x int) int8 { return int8(x-5) * 20 })
	anyOn(p, func(x int) int16 { return int16(x-5) * 5000 })
	anyOn(p, func(x int) int32 { return int32(x-5) << 28 })
	anyOn(p, func(x int) int64 { return int64(x-5) << 60 })
	anyOn(p, func(x int) int { return (x - 5) << 60 })
	anyOn(p, func(x int) uint8 { return uint8(x) * 30 })
	anyOn(p, func(x int) uint16 { return uint16(x) << 13 })
	anyOn(p, func(x int) uint32 { return uint32(x) << 29 })
	anyOn(p, func(x int) uint64 { return uint64(x) << 61 })
	anyOn(p, func(x int) uint { return uint(x) << 61 })
	anyOn(p, func(x int) uintptr { return uintptr(x) << 29 })
	anyOn(p, func(x int) float32 { return float32(x-5) / 4 })
	anyOn(p, func(x int) float64 { return float64(x-5) / 4 })
}

// anyOn plays ping-pong with one of four elements, then exchanges two others, once for
// each comparison. The last element stays as it is.
func anyOn[T shmem.Waitable](p *pe, value func(int) T) {
	p.Helper()
	a := alloc[T](p, 6*4)
	other := p.partner()
	for cmp := shmem.EQ; cmp <= shmem.LE; cmp++ {
		before, operand := crossing(cmp)
		one, want := int(cmp)%3, value(operand)
		s := part(p, a, int(cmp)*4, int(cmp)*4+4)
		for i := range s.Len() {
			p.ok(s.Set(i, value(before)))
		}
		testedAny(p, s, nil, cmp, want, nil)
		p.barrier()
		if p.me <= other {
			p.ok(s.P(one, value(5), other))
		}
		i, err := shmem.WaitUntilAny(p.ctx, s, nil, cmp, want)
		p.ok(err)
		same(p, i, one, "%T, wait until any %v %v", want, cmp, want)
		if p.me > other {
			p.ok(s.P(one, value(5), other))
		}
		p.barrier()
		p.ok(s.P((one+1)%3, value(5), other))
		p.ok(s.P((one+2)%3, value(5), other))
		p.ok(shmem.WaitUntilAll(p.ctx, s, []bool{3: true}, cmp, want))
		testedAny(p, s, nil, cmp, want, []int{0, 1, 2})
		testedAny(p, s, []bool{3: true}, cmp, want, []int{0, 1, 2})
		testedAny(p, s, []bool{true, false, true, true}, cmp, want, []int{1})
		some, err := shmem.WaitUntilSome(p.ctx, s, nil, nil, cmp, want)
		p.ok(err)
		sameInts(p, some, []int{0, 1, 2}, "wait until some")
	}
	p.barrier()
}

// testedAny holds all tests of several elements to which of them compare.
func testedAny[T shmem.Waitable](p *pe, a shmem.Array[T], except []bool, cmp shmem.Cmp, v T, want []int) {
	p.Helper()
	some, err := shmem.TestSome(a, []int{99}, except, cmp, v)
	p.ok(err)
	sameInts(p, some, append([]int{99}, want...), "%T, test some %v %v", v, cmp, v)
	i, err := shmem.TestAny(a, except, cmp, v)
	p.ok(err)
	same(p, i >= 0, len(want) > 0, "%T, test any %v %v found %d", v, cmp, v, i)
	same(p, i < 0 || slices.Contains(want, i), true, "%T, test any %v %v found %d", v, cmp, v, i)
	all, err := shmem.TestAll(a, except, cmp, v)
	p.ok(err)
	counting := a.Len()
	for _, out := range except {
		if out {
			counting--
		}
	}
	same(p, all, len(want) == counting, "%T, test all %v %v", v, cmp, v)
}

// sameInts ends the check unless got is want.
func sameInts(p *pe, got, want []int, format string, args ...any) {
	if !slices.Equal(got, want) {
		p.Helper()
		p.Logf(format, args...)
		p.Fatalf("got %v, want %v", got, want)
	}
}

// anyVector: each element has a value of its own to come up to.
func anyVector(p *pe) {
	const n = 6
	a := alloc[int32](p, n)
	vs := []int32{10, 20, 30, 40, 50, 60}
	never := []int32{-1, -1, -1, 0, -1, -1} // element 3 alone is as it should be
	i, err := shmem.WaitUntilAnyVector(p.ctx, a, nil, shmem.EQ, never)
	p.ok(err)
	same(p, i, 3, "wait until any vector")
	i, err = shmem.TestAnyVector(a, nil, shmem.GE, vs)
	p.ok(err)
	same(p, i, -1, "test any vector of zeros")
	p.barrier()
	for i := range n {
		p.ok(a.P(i, vs[i], p.next()))
	}
	p.ok(shmem.WaitUntilAllVector(p.ctx, a, nil, shmem.EQ, vs))
	all, err := shmem.TestAllVector(a, nil, shmem.EQ, vs)
	p.ok(err)
	same(p, all, true, "test all vector")
	mixed := []int32{9, 20, 31, 39, 51, 0}
	all, err = shmem.TestAllVector(a, nil, shmem.GT, mixed)
	p.ok(err)
	same(p, all, false, "test all vector")
	some, err := shmem.TestSomeVector(a, nil, nil, shmem.GT, mixed)
	p.ok(err)
	sameInts(p, some, []int{0, 3, 5}, "test some vector")
	some, err = shmem.WaitUntilSomeVector(p.ctx, a, nil, []bool{3: true, 5: false}, shmem.GT, mixed)
	p.ok(err)
	sameInts(p, some, []int{0, 5}, "wait until some vector")
	i, err = shmem.TestAnyVector(a, []bool{true, true, true, false, true, true}, shmem.LE, vs)
	p.ok(err)
	same(p, i, 3, "test any vector")
}

// anyNothing: where no element counts, no call waits, not even with a context that is over.
func anyNothing(p *pe) {
	a := alloc[int64](p, 3)
	over, cancel := context.WithCancel(p.ctx)
	cancel()
	for _, c := range []struct {
		a      shmem.Array[int64]
		except []bool
	}{{part(p, a, 2, 2), nil}, {part(p, a, 3, 3), []bool{}}, {a, []bool{true, true, true}}} {
		vs := make([]int64, c.a.Len())
		for k, any := range []func() (int, error){
			func() (int, error) { return shmem.WaitUntilAny(over, c.a, c.except, shmem.NE, 0) },
			func() (int, error) { return shmem.WaitUntilAnyVector(over, c.a, c.except, shmem.NE, vs) },
			func() (int, error) { return shmem.TestAny(c.a, c.except, shmem.EQ, 0) },
			func() (int, error) { return shmem.TestAnyVector(c.a, c.except, shmem.EQ, vs) },
		} {
			i, err := any()
			p.ok(err)
			same(p, i, -1, "any of nothing, call %d", k)
		}
		p.ok(shmem.WaitUntilAll(over, c.a, c.except, shmem.NE, 0))
		p.ok(shmem.WaitUntilAllVector(over, c.a, c.except, shmem.NE, vs))
		some, err := shmem.WaitUntilSome(over, c.a, []int{7}, c.except, shmem.NE, 0)
		p.ok(err)
		sameInts(p, some, []int{7}, "some of nothing")
		testedAny(p, c.a, c.except, shmem.NE, 0, nil)
		testedAny(p, c.a, c.except, shmem.EQ, 0, nil)
	}
}

// anyMasks takes, from each PE, what it has put, each element once.
func anyMasks(p *pe) {
	const each = 3
	a := alloc[uint64](p, p.n*each)
	for round := uint64(1); round <= 20; round++ {
		for to := range p.n {
			for i := range each {
				p.ok(a.P(p.me*each+i, round, to))
			}
		}
		done := make([]bool, a.Len())
		for range done {
			i, err := shmem.WaitUntilAny(p.ctx, a, done, shmem.EQ, round)
			p.ok(err)
			same(p, done[i], false, "element %d was found already", i)
			done[i] = true
		}
		i, err := shmem.WaitUntilAny(p.ctx, a, done, shmem.EQ, round)
		p.ok(err)
		same(p, i, -1, "after the last element")
		p.barrier()
	}
}

// anyTurns: of elements that all compare each is found as often as any other.
func anyTurns(p *pe) {
	a := part(p, alloc[uint16](p, 7), 2, 7)
	for what, any := range map[string]func() (int, error){
		"wait until any": func() (int, error) { return shmem.WaitUntilAny(p.ctx, a, nil, shmem.EQ, 0) },
		"test any":       func() (int, error) { return shmem.TestAny(a, nil, shmem.EQ, 0) },
	} {
		found := make([]int, a.Len())
		for range 4 * len(found) {
			i, err := any()
			p.ok(err)
			found[i]++
		}
		sameAll(p, found, func(int) int { return 4 }, "%s, how often each is found", what)
	}
}

// anyGoroutine has two goroutines of one PE wake each other with local stores.
func anyGoroutine(p *pe) {
	a, back := alloc[uint64](p, 5), alloc[uint64](p, 2)
	const rounds = 30
	done := make(chan error, 1)
	go func() {
		done <- func() error {
			for round := uint64(1); round <= rounds; round++ {
				i, err := shmem.WaitUntilAny(p.ctx, a, nil, shmem.EQ, round)
				if err != nil {
					return err
				}
				if err := back.Set(i%2, round); err != nil {
					return err
				}
			}
			return nil
		}()
	}()
	for round := uint64(1); round <= rounds; round++ {
		p.ok(a.Set(int(round%5), round))
		some, err := shmem.WaitUntilSome(p.ctx, back, nil, nil, shmem.EQ, round)
		p.ok(err)
		sameInts(p, some, []int{int(round%5) % 2}, "round %d", round)
	}
	p.ok(<-done)
}

// anyPolling has PE 0 answer what the others ask, again and again, by TestSome.
func anyPolling(p *pe) {
	words := alloc[uint64](p, 1)
	i := 0
	serve(p, func(asks shmem.Array[uint64], indices []int) ([]int, error) {
		i++
		idle(p, words, i)
		return shmem.TestSome(asks, indices, nil, shmem.NE, 0)
	})
}

// anyServing is the same by WaitUntilSome.
func anyServing(p *pe) {
	serve(p, func(asks shmem.Array[uint64], indices []int) ([]int, error) {
		some, err := shmem.WaitUntilSome(p.ctx, asks, indices, nil, shmem.NE, 0)
		same(p, err != nil || len(some) > 0, true, "wait until some ends without any")
		return some, err
	})
}

// serve has every PE but 0 ask for the next number. PE 0 finds out who asks with look.
func serve(p *pe, look func(asks shmem.Array[uint64], indices []int) ([]int, error)) {
	p.Helper()
	const rounds = 30
	asks, answer := alloc[uint64](p, p.n), alloc[uint64](p, 1)
	if p.me != 0 {
		for round := range uint64(rounds) {
			p.ok(asks.P(p.me, hash(p.me, int(round)), 0))
			wait(p, answer, 0, round+1)
			same(p, at(p, answer, 0), round+1, "answers after ask %d", round)
		}
		p.barrier()
		return
	}
	var indices []int
	answered := make([]int, p.n)
	for open := (p.n - 1) * rounds; open > 0; open -= len(indices) {
		var err error
		indices, err = look(asks, indices[:0])
		p.ok(err)
		for _, from := range indices {
			same(p, at(p, asks, from), hash(from, answered[from]), "what PE %d asks", from)
			answered[from]++
			p.ok(asks.Set(from, 0))
			p.ok(shmem.AtomicInc(answer, 0, from))
		}
	}
	p.barrier()
	sameAll(p, answered[1:], func(int) int { return rounds }, "answers")
}

// anySignals: whoever sees one of several signals sees the data that came with it.
func anySignals(p *pe) {
	const k = 9
	words, slots, src := alloc[uint64](p, p.n), alloc[uint64](p, p.n*k), alloc[uint64](p, k)
	mine, err := shmem.SignalAt(words, p.me)
	p.ok(err)
	for round := uint64(1); round <= 25; round++ {
		p.ok(src.Fill(hash64(p.me, round)))
		for to := range p.n {
			p.ok(part(p, slots, p.me*k, p.me*k+k).PutSignal(src, to, mine, shmem.SignalAdd, 1))
		}
		seen := make([]bool, p.n)
		for range seen {
			from, err := shmem.WaitUntilAny(p.ctx, words, seen, shmem.GE, round)
			p.ok(err)
			seen[from] = true
			sameAll(p, local(p, part(p, slots, from*k, from*k+k)), func(int) uint64 { return hash64(from, round) }, "from PE %d", from)
		}
		p.barrier()
	}
}

// anyContext: a wait that is given up says so, and the world goes on.
func anyContext(p *pe) {
	a := alloc[uint64](p, 4)
	over, cancel := context.WithCancel(p.ctx)
	cancel()
	i, err := shmem.WaitUntilAny(over, a, nil, shmem.EQ, 1)
	p.is(err, context.Canceled, "wait until any with a context that is over")
	same(p, i, -1, "what was found")
	p.is(shmem.WaitUntilAll(over, a, nil, shmem.EQ, 1), context.Canceled, "wait until all with a context that is over")
	some, err := shmem.WaitUntilSome(over, a, []int{8}, nil, shmem.EQ, 1)
	p.is(err, context.Canceled, "wait until some with a context that is over")
	sameInts(p, some, []int{8}, "what was found")
	p.barrier()
	for i := range a.Len() {
		p.ok(a.P(i, 1, p.next()))
	}
	p.ok(shmem.WaitUntilAll(over, part(p, a, 1, 1), nil, shmem.EQ, 1))
	p.ok(shmem.WaitUntilAll(p.ctx, a, nil, shmem.EQ, 1))
}
