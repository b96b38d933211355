package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/shmem"
)

// halting is a heap that lets others run before and after an atomic, now and then: so
// the steps of the lock fall between each other in many ways. Atomics come to it in
// checked mode only.
type halting struct{ engine.Heap }

func (h halting) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	halt()
	defer halt()
	return h.Heap.Atomic(pe, at, op)
}

func halt() {
	for range rand.IntN(4) {
		runtime.Gosched()
	}
}

// TestLockSteps runs the checks of locks over heaps that halt between their steps.
func TestLockSteps(t *testing.T) {
	o := roomy
	o.Check = shmem.CheckOn
	o = shmem.WithHeap(o, func(h engine.Heap) engine.Heap { return halting{h} })
	checks := conformance.Named(conformance.All(), "lock: two goroutines of each PE", "lock: waiters that give up", "lock: polling with test")
	for _, n := range []int{2, 3, 8} {
		for range 5 {
			for _, c := range checks {
				if err := recorded(t, n, o, c.Run); err != nil {
					t.Fatalf("%d PEs: %v", n, err)
				}
			}
		}
	}
}

// late is a heap on which something happens between the end of a wait that has failed
// and the moment at which its caller learns of that.
type late struct {
	engine.Heap
	happens *func()
}

func (h late) Wait(ctx context.Context, call engine.Call, ready func() bool) error {
	err := h.Heap.Wait(ctx, call, ready)
	if err != nil {
		(*h.happens)()
	}
	return err
}

// TestLockComesLate hands the lock to a waiter that is about to give up: to a goroutine
// of the same PE, and to another PE. It has the lock then.
func TestLockComesLate(t *testing.T) {
	var happens func()
	var locks [2]*shmem.Lock
	o := shmem.WithHeap(badOptions(), func(h engine.Heap) engine.Heap { return late{h, &happens} })
	must(t, shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
		locks[w.MyPE()] = must1(shmem.AllocLock(ctx, w))(t)
		must(t, w.Barrier(ctx))
		if w.MyPE() == 0 {
			over, cancel := context.WithCancel(ctx)
			cancel()
			for _, waiter := range locks {
				must(t, locks[0].Set(ctx))
				times := 0
				happens = func() { times++; must(t, locks[0].Clear(ctx)) }
				must(t, waiter.Set(over))
				must(t, waiter.Clear(ctx))
				if times != 1 {
					t.Errorf("the lock was handed over %d times", times)
				}
			}
		}
		return w.Barrier(ctx)
	}))
}

// TestLockOrder: PEs that ask one after the other get the lock in this order.
func TestLockOrder(t *testing.T) {
	const n = 6
	var mu sync.Mutex
	var order []int
	must(t, shmem.RunLocal(t.Context(), n, badOptions(), func(ctx context.Context, w *shmem.World) error {
		l := must1(shmem.AllocLock(ctx, w))(t)
		if w.MyPE() == 0 {
			must(t, l.Set(ctx))
		}
		must(t, w.Barrier(ctx))
		mine := (w.MyPE()*5 + n - 1) % n // in an order that is not that of the numbers
		if w.MyPE() == 0 {
			for must1(shmem.LockTickets(l))(t) < n-1 {
				runtime.Gosched()
			}
			return l.Clear(ctx)
		}
		for must1(shmem.LockTickets(l))(t) != uint64(mine) {
			runtime.Gosched()
		}
		must(t, l.Set(ctx))
		mu.Lock()
		order = append(order, mine)
		mu.Unlock()
		return l.Clear(ctx)
	}))
	if got := fmt.Sprint(order); got != "[0 1 2 3 4]" {
		t.Errorf("the PEs got the lock in the order %s", got)
	}
}

// TestLockHeldAtFinalize: what is held then is logged, with the line of the allocation.
func TestLockHeldAtFinalize(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	o := badOptions()
	o.Logf = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, fmt.Sprintf(format, args...))
	}
	line := ""
	must(t, shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
		l, err := shmem.AllocLock(ctx, w)
		if w.MyPE() == 1 {
			line = here(-2)
			err = errors.Join(err, l.Set(ctx))
		}
		return err
	}))
	want := "shmem: finalize: still held: the lock of alloc #1 (" + line + ")"
	if strings.Count(strings.Join(lines, "\n"), want) != 1 {
		t.Errorf("logged:\n%s\nwant once: %s", strings.Join(lines, "\n"), want)
	}
}

// stuck is a heap whose waits for the lock end at once, and on which one that hands a
// lock over stops between the decision, a compare-and-swap of an ask, and the rest.
type stuck struct {
	engine.Heap
	s *stuckLock
}

type stuckLock struct {
	armed, decided atomic.Bool
	goOn           chan struct{}
	waits          int
	hand           func() // the holder begins to hand over
	last           func() // before the second wait fails
}

func (h stuck) Wait(ctx context.Context, call engine.Call, ready func() bool) error {
	if call.Kind != engine.KindLock || !h.s.armed.Load() {
		return h.Heap.Wait(ctx, call, ready)
	}
	if h.s.waits++; h.s.waits == 1 {
		h.s.hand()
	} else {
		h.s.last()
	}
	return engine.ErrTimeout
}

func (h stuck) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	old, err := h.Heap.Atomic(pe, at, op)
	if h.s.armed.Load() && op.Kind == engine.AMOCompareSwap && op.Value == 0 && old == op.Cond && h.s.decided.CompareAndSwap(false, true) {
		<-h.s.goOn
	}
	return old, err
}

// TestLockHandedOn: a PE whose time is over while the lock is on its way to it has not
// got it, nor keeps it from the others: who hands it over hands it on. It has got it if it
// comes this moment.
func TestLockHandedOn(t *testing.T) {
	for _, comes := range []bool{false, true} {
		s := &stuckLock{goOn: make(chan struct{})}
		var locks [2]*shmem.Lock
		o := shmem.WithHeap(checkedOptions(), func(h engine.Heap) engine.Heap { return stuck{h, s} })
		must(t, shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
			locks[w.MyPE()] = must1(shmem.AllocLock(ctx, w))(t)
			must(t, w.Barrier(ctx))
			if w.MyPE() == 0 {
				s.handOver(t, ctx, locks, comes)
				for _, l := range []*shmem.Lock{locks[0], locks[1], locks[0]} {
					if got, err := l.Test(); !got || err != nil {
						t.Fatalf("comes %v: nobody holds the lock, but test says %v, %v", comes, got, err)
					}
					must(t, l.Clear(ctx))
				}
			}
			return w.Barrier(ctx)
		}))
	}
}

// handOver has PE 0 hand the lock to PE 1, which gives up meanwhile.
func (s *stuckLock) handOver(t *testing.T, ctx context.Context, locks [2]*shmem.Lock, comes bool) {
	must(t, locks[0].Set(ctx))
	cleared := make(chan error, 1)
	s.hand = func() {
		go func() { cleared <- locks[0].Clear(ctx) }()
		for !s.decided.Load() {
			runtime.Gosched()
		}
	}
	s.last = func() {
		if comes {
			close(s.goOn)
			must(t, <-cleared)
		}
	}
	s.armed.Store(true)
	err := locks[1].Set(ctx)
	s.armed.Store(false)
	if s.waits != 2 || (err == nil) != comes || err != nil && !errors.Is(err, shmem.ErrTimeout) {
		t.Errorf("comes %v: after %d waits: %v", comes, s.waits, err)
	}
	if comes {
		must(t, locks[1].Clear(ctx))
		return
	}
	close(s.goOn)
	must(t, <-cleared)
}

// TestLockHeldSince: who waits for its own PE in vain learns where that got the lock,
// not where others have looked at it since.
func TestLockHeldSince(t *testing.T) {
	checkedWorld(t, 2, checkedOptions(), func(t *testing.T, ctx context.Context, w *shmem.World) {
		l := must1(shmem.AllocLock(ctx, w))(t)
		if w.MyPE() == 0 {
			over, cancel := context.WithCancel(ctx)
			cancel()
			line := here(1)
			must(t, l.Set(ctx))
			for range 2 {
				text := "this PE holds the lock itself, since its lock #1 (" + line + "): "
				wrong{is: context.Canceled, op: "lock set", peer: -1, text: text}.in(w).check(t, l.Set(over))
			}
			must(t, l.Clear(ctx))
		}
		must(t, w.Barrier(ctx))
	})
}
