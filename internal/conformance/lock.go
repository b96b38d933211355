package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

func lockChecks() []Check {
	return []Check{
		check("lock: a counter that all add to", 1, lockCounter),
		check("lock: a block that all change", 1, lockBlock),
		check("lock: two goroutines of each PE", 1, lockGoroutines),
		check("lock: polling with test", 1, lockPolling),
		check("lock: the next holder sees what was put", 2, lockSeen),
		check("lock: the next holder sees what went through a context", 2, lockContext),
		check("lock: waiters that give up", 1, lockGiveUp),
		check("lock: many locks, one inside the other", 1, lockNested),
		check("lock: who holds it", 1, lockHolder),
		check("lock: a goroutine waits for another of its PE", 1, lockOwn),
	}
}

// allocLock makes a lock that is freed when the check is over.
func allocLock(p *pe) *shmem.Lock {
	p.Helper()
	l, err := shmem.AllocLock(p.ctx, p.w)
	p.ok(err)
	p.frees = append(p.frees, l.Free)
	return l
}

// bump adds one to a counter on PE 0 in two steps, which only a lock makes one. It
// lets others run in between.
func bump(a shmem.Array[uint64]) error {
	v, err := a.G(0, 0)
	if err != nil {
		return err
	}
	runtime.Gosched()
	return a.P(0, v+1, 0)
}

// under runs f while the lock is held.
func under(ctx context.Context, l *shmem.Lock, f func() error) error {
	if err := l.Set(ctx); err != nil {
		return err
	}
	return errors.Join(f(), l.Clear(ctx))
}

// counted holds the counter on PE 0 to its value when all have come.
func counted(p *pe, a shmem.Array[uint64], want int) {
	p.Helper()
	p.barrier()
	same(p, g(p, a, 0, 0), uint64(want), "counter")
	p.barrier()
}

func lockCounter(p *pe) {
	const k = 100
	l, a := allocLock(p), alloc[uint64](p, 1)
	p.crowd(k, func(int) error { return under(p.ctx, l, func() error { return bump(a) }) })
	counted(p, a, k*p.n)
}

// lockBlock: a block on a PE that changes is never seen half changed.
func lockBlock(p *pe) {
	const k = 30
	l, a, src := allocLock(p), alloc[uint64](p, 50), alloc[uint64](p, 50)
	for round := range k {
		on := round % p.n
		p.ok(under(p.ctx, l, func() error {
			p.ok(src.Get(a, on))
			change(p, src, func(own []uint64) {
				sameAll(p, own, func(int) uint64 { return own[0] }, "the block on PE %d", on)
				for i := range own {
					own[i]++
				}
			})
			return a.PutNBI(src, on)
		}))
	}
	p.barrier()
	total := 0
	for on := range p.n {
		total += int(g(p, a, 49, on))
	}
	same(p, total, k*p.n, "changes of all blocks")
	p.barrier()
}

// together runs f on so many goroutines of this PE, and ends the check if one fails.
func together(p *pe, goroutines int, f func() error) {
	p.Helper()
	done := make(chan error, goroutines)
	for range goroutines {
		go func() { done <- f() }()
	}
	for range goroutines {
		p.ok(<-done)
	}
}

func lockGoroutines(p *pe) {
	const k = 40
	l, a := allocLock(p), alloc[uint64](p, 1)
	inside := 0 // under the lock, as the counter is
	together(p, 2, func() error {
		for range k {
			if err := under(p.ctx, l, func() error { inside++; return bump(a) }); err != nil {
				return err
			}
		}
		return nil
	})
	same(p, inside, 2*k, "times that this PE has held the lock")
	counted(p, a, 2*k*p.n)
}

// lockPolling has one goroutine of each PE poll while another waits in Set.
func lockPolling(p *pe) {
	const k = 25
	l, a, words := allocLock(p), alloc[uint64](p, 1), alloc[uint64](p, 1)
	done := make(chan error, 1)
	go func() {
		for range k {
			if err := under(p.ctx, l, func() error { return bump(a) }); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range k {
		for i := 0; ; i++ {
			got, err := l.Test()
			p.ok(err)
			if got {
				break
			}
			idle(p, words, i)
		}
		p.ok(bump(a))
		p.ok(l.Clear(p.ctx))
	}
	p.ok(<-done)
	counted(p, a, 2*k*p.n)
}

// lockSeen: the next holder sees what was put under the lock.
func lockSeen(p *pe) {
	a := alloc[uint64](p, 8)
	seenByNext(p, a, a)
}

// lockContext is the same for puts that went through a context.
func lockContext(p *pe) {
	a := alloc[uint64](p, 8)
	c, err := p.w.NewContext(shmem.ContextOptions{})
	p.ok(err)
	via, err := a.Via(c)
	p.ok(err)
	seenByNext(p, a, via)
	p.ok(c.Destroy(p.ctx))
}

// seenByNext has one PE after the other put words under a lock, and then only poll, so
// that nothing but the lock can have made them arrive when the next one looks.
func seenByNext(p *pe, a, via shmem.Array[uint64]) {
	p.Helper()
	l, sigs := allocLock(p), allocSignals(p, 2)
	for round := uint64(1); round <= 40; round++ {
		from := int(round) % p.n
		to := (from + 1) % p.n
		switch p.me {
		case from:
			p.ok(l.Set(p.ctx))
			for i := range via.Len() {
				p.ok(via.P(i, hash64(i, round), to))
			}
			p.ok(l.Clear(p.ctx))
			p.ok(sigs[0].Set(round, to))
			poll(p, a, sigs[1], round)
		case to:
			poll(p, a, sigs[0], round)
			p.ok(l.Set(p.ctx))
			sameAll(p, local(p, a), func(i int) uint64 { return hash64(i, round) }, "round %d", round)
			p.ok(l.Clear(p.ctx))
			p.ok(sigs[1].Set(round, from))
		}
		p.barrier()
	}
}

// poll looks at a signal, without a wait, until it is v.
func poll(p *pe, words shmem.Array[uint64], s shmem.Signal, v uint64) {
	p.Helper()
	for i := 0; fetch(p, s) != v; i++ {
		idle(p, words, i)
	}
}

// lockGiveUp has waiters withdraw at all moments, also at that in which they are
// handed the lock. Whoever is told that it has the lock has it, and nobody else.
func lockGiveUp(p *pe) {
	const k = 30
	l, a, wins := allocLock(p), alloc[uint64](p, 1), alloc[uint64](p, 1)
	var mine atomic.Int64
	together(p, 2, func() error {
		for i := range k {
			limit := time.Duration(hash(p.me, i)%300) * time.Microsecond
			ctx, cancel := context.WithTimeout(p.ctx, limit)
			err := l.Set(ctx)
			cancel()
			if errors.Is(err, context.DeadlineExceeded) {
				continue
			}
			if err != nil {
				return err
			}
			mine.Add(1)
			if err := errors.Join(bump(a), l.Clear(p.ctx)); err != nil {
				return err
			}
		}
		return nil
	})
	p.ok(under(p.ctx, l, func() error { mine.Add(1); return bump(a) })) // the queue is whole
	p.ok(shmem.AtomicAdd(wins, 0, uint64(mine.Load()), 0))
	p.barrier()
	counted(p, a, int(g(p, wins, 0, 0)))
}

// lockNested takes as many locks as there are PEs, in one order, one inside the other.
func lockNested(p *pe) {
	const k = 8
	a := alloc[uint64](p, 1)
	locks := make([]*shmem.Lock, p.n)
	for i := range locks {
		locks[i] = allocLock(p)
	}
	for range k {
		for _, l := range locks {
			p.ok(l.Set(p.ctx))
		}
		p.ok(bump(a))
		for _, l := range locks {
			p.ok(l.Clear(p.ctx))
		}
	}
	counted(p, a, k*p.n)
}

// lockHolder: one PE holds the lock; the others cannot take or clear it, and are told
// who has it.
func lockHolder(p *pe) {
	l := allocLock(p)
	over, cancel := context.WithCancel(p.ctx)
	cancel()
	for holder := range p.n {
		who := fmt.Sprintf("PE %d holds the lock, since its lock #", holder)
		if p.me == holder {
			p.ok(l.Set(over)) // free locks need no waiting
			who = "this PE holds the lock itself, since its lock #"
		}
		p.barrier()
		got, err := l.Test()
		p.ok(err)
		same(p, got, false, "test of a lock that is held")
		err = l.Set(over)
		p.is(err, context.Canceled, "set with a context that is over")
		same(p, strings.HasPrefix(err.Error(), "shmem: lock set: "+who), true, "set ends with %v, want %s", err, who)
		if p.me != holder {
			err := l.Clear(p.ctx)
			p.is(err, shmem.ErrArgument, "clear of another PE's lock")
			same(p, strings.HasPrefix(err.Error(), "shmem: lock clear: this PE does not hold the lock: "+who), true, "clear ends with %v", err)
		}
		p.barrier()
		if p.me == holder {
			p.ok(l.Clear(over))
		}
		p.barrier()
	}
	err := l.Clear(p.ctx)
	p.is(err, shmem.ErrArgument, "clear of a free lock")
	const free = "shmem: lock clear: this PE does not hold the lock: nobody holds the lock"
	same(p, strings.HasPrefix(err.Error(), free), true, "clear of a free lock ends with %v", err)
}

// lockOwn hands the lock to and fro between goroutines of one PE, which may clear what
// another of them has set.
func lockOwn(p *pe) {
	const rounds = 20
	l, a := allocLock(p), alloc[uint64](p, 1)
	set, cleared := make(chan error), make(chan error)
	for range rounds {
		go func() { set <- l.Set(p.ctx) }()
		p.ok(<-set)
		go func() { set <- l.Set(p.ctx) }()
		p.ok(bump(a))
		go func() { cleared <- l.Clear(p.ctx) }()
		p.ok(<-cleared)
		p.ok(<-set)
		p.ok(l.Clear(p.ctx))
	}
	counted(p, a, rounds*p.n)
}
