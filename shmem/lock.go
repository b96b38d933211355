package shmem

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/heap"
)

// Lock excludes PEs from each other: at most one of them holds it. A PE that waits
// gets it after those that have waited longer. Goroutines of one PE exclude each other
// as well, but hold it as that PE: any of them may clear it. OpenSHMEM: a symmetric
// long that shmem_set_lock knows.
type Lock struct {
	w     *World
	words Array[uint64] // see queue.go
	grant Array[uint64] // the ticket of this PE that has got the lock
	home  int           // the PE that has the words all share
	turns turns         // of this PE's goroutines, to hold the lock or wait for it
	held  atomic.Bool   // by this PE
}

// AllocLock makes a lock that nobody holds. Blocking, collective over the world.
func AllocLock(ctx context.Context, w *World) (*Lock, error) {
	n := 0 // refused with the rest
	if w != nil {
		n = askWords + w.NPEs()
	}
	words, err := Alloc[uint64](ctx, w, n)
	if err != nil {
		return nil, err
	}
	l := &Lock{w: w, words: words, grant: Array[uint64]{words.b, words.offset(grantWord), 1}}
	l.home = int(words.b.seq % uint64(w.NPEs()))
	l.turns.w = w
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mutexes = append(w.mutexes, l)
	return l, nil
}

// Set returns when this PE holds the lock. It waits for other goroutines of this PE as
// for other PEs, and does not know whether one that holds the lock will ever clear it.
// An error says who holds the lock, and since which of its calls; this PE has given up
// its place then. Blocking, not collective. OpenSHMEM: shmem_set_lock.
func (l *Lock) Set(ctx context.Context) error {
	err := l.usable()
	if err == nil {
		err = l.set(ctx, l.call())
	}
	return fail(l.world(), "lock set", noPeer, err)
}

func (l *Lock) set(ctx context.Context, call engine.Call) error {
	if err := l.turns.take(ctx, call); err != nil {
		return l.explain(err)
	}
	got, err := l.begin(call)
	if !got && err == nil {
		err = l.queue(ctx, call)
	}
	if err != nil {
		l.turns.pass()
		return err
	}
	l.held.Store(true)
	return nil
}

// Test makes this PE hold the lock if nobody does, and says whether it holds it now;
// C's shmem_test_lock returns 0 in that case. It never waits. OpenSHMEM: shmem_test_lock.
func (l *Lock) Test() (bool, error) {
	if err := l.usable(); err != nil {
		return false, fail(l.world(), "lock test", noPeer, err)
	}
	if !l.turns.try() {
		return false, nil
	}
	got, err := l.begin(l.call())
	l.held.Store(got)
	if !got {
		l.turns.pass()
	}
	return got, fail(l.w, "lock test", noPeer, err)
}

// Clear completes all puts and atomics of this PE, as Quiet does and those through
// contexts as well, and gives the lock to the PE that has waited longest. If it cannot
// complete them the lock stays held, and Clear may be called again. Blocking, not
// collective. OpenSHMEM: shmem_clear_lock.
func (l *Lock) Clear(ctx context.Context) error {
	err := l.usable()
	if err == nil {
		err = l.clear(ctx)
	}
	return fail(l.world(), "lock clear", noPeer, err)
}

func (l *Lock) clear(ctx context.Context) error {
	if !l.held.Load() {
		return l.notHeld()
	}
	if err := l.w.quietAll(ctx); err != nil {
		return err
	}
	if !l.held.CompareAndSwap(true, false) { // another goroutine has been faster
		return l.notHeld()
	}
	defer l.turns.pass()
	return l.release()
}

func (l *Lock) notHeld() error {
	text := "this PE does not hold the lock"
	if who := l.holder(); who != "" {
		text += ": " + who
	}
	return problem(ErrArgument, "%s", text)
}

// Free gives the memory of the lock back. A PE that holds it is refused, and so are
// the others then. Blocking, collective over the world.
func (l *Lock) Free(ctx context.Context) error {
	if l == nil {
		return fail(nil, "free", noPeer, l.usable())
	}
	if l.held.Load() && l.usable() == nil {
		return l.w.refuse(ctx, "free", engine.KindFree, problem(ErrArgument, "this PE holds the lock: Clear it first"))
	}
	err := l.words.Free(ctx)
	if err == nil {
		l.w.mu.Lock()
		defer l.w.mu.Unlock()
		l.w.mutexes = slices.DeleteFunc(l.w.mutexes, func(other *Lock) bool { return other == l })
	}
	return err
}

func (l *Lock) usable() error {
	if l == nil {
		return problem(ErrArgument, "the lock is nil: use AllocLock")
	}
	return l.words.usable()
}

func (l *Lock) world() *World {
	if l == nil {
		return nil
	}
	return l.w
}

// call numbers a call that asks for a lock.
func (l *Lock) call() engine.Call {
	return engine.Call{Kind: engine.KindLock, Seq: l.w.locks.Add(1)}
}

// explain adds to the error of a wait who holds the lock.
func (l *Lock) explain(err error) error {
	if who := l.holder(); who != "" {
		return fmt.Errorf("%s: %w", who, err)
	}
	return err
}

// holder says who holds the lock, "" if that cannot be found out.
func (l *Lock) holder() string {
	state, err := AtomicFetch(l.words, stateWord, l.home)
	if err != nil {
		return ""
	}
	pe := holderOf(state)
	if pe < 0 {
		return "nobody holds the lock"
	}
	seq, err := AtomicFetch(l.words, sinceWord, pe)
	if err != nil {
		return ""
	}
	who := fmt.Sprintf("PE %d holds the lock", pe)
	if pe == l.w.rank {
		who = "this PE holds the lock itself"
	}
	return fmt.Sprintf("%s, since its %v%s", who, engine.Call{Kind: engine.KindLock, Seq: seq}, l.siteOf(pe))
}

// siteOf is where a PE got the lock; "" out of checked mode. What has only looked at the
// lock since, as holder does, counts for nothing.
func (l *Lock) siteOf(pe int) string {
	if !l.w.info.Checked {
		return ""
	}
	at := l.words.offset(stateWord)
	for _, r := range slices.Backward(l.w.heap.Records(pe)) {
		if r.Deed == engine.DeedAtomic && r.Peer == l.home && r.At == at {
			return " (" + r.Site + ")"
		}
	}
	return ""
}

// reportLocks logs the locks that this PE still holds.
func (w *World) reportLocks() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.mutexes {
		if l.held.Load() {
			w.logf("shmem: finalize: still held: the lock of alloc #%d (%s)", l.words.b.seq, l.words.b.site)
		}
	}
}

// The words of a lock. Those before grantWord, and those from askWords on, are used
// on the home PE; the others, a cache line apart, on each PE for itself.
const (
	stateWord  = 0                  // who holds it, and how often others have asked since
	ticketWord = 1                  // the highest ticket so far
	grantWord  = heap.Grain / 8     // what Lock.grant is
	sinceWord  = grantWord + 1      // the number of the call in which this PE has last tried to get it
	askWords   = 2 * heap.Grain / 8 // of each PE: its ticket if it waits, else 0
)
