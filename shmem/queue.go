package shmem

import (
	"cmp"
	"context"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// How PEs get a lock from each other. The state word says who holds it; only the
// holder takes it out of a PE's hands. Who finds it held draws a ticket, writes it
// where the holder will look (asks), and then counts one up in the state word: so a
// holder that clears the lock, and finds the count as it was, knows of every ask.
// It gives the lock to the lowest ticket, by a compare-and-swap of the ask, with which
// a waiter that gives up competes: whoever is first has decided. A waiter that comes
// too late for that, and gives up before the lock has come, competes once more, for its
// grant word. All atomics are fetching ones, which are complete when they return.

// The state word: the holder's number and 1, or 0, in the low half, the count of
// those who have asked in the high half.
const oneAsk = 1 << 32

// holderOf is who holds the lock in a state, noPeer if nobody does.
func holderOf(state uint64) int { return int(uint32(state)) - 1 }

// heldBy is the state of a lock that a PE holds and nobody has asked for since.
func heldBy(pe int) uint64 { return uint64(pe) + 1 }

// begin notes the call for others to read, and takes the lock if nobody holds it.
func (l *Lock) begin(call engine.Call) (bool, error) {
	if err := l.words.Set(sinceWord, call.Seq); err != nil {
		return false, err
	}
	return l.take(0)
}

// take makes this PE the holder if there is none. state is a guess.
func (l *Lock) take(state uint64) (bool, error) {
	for holderOf(state) == noPeer {
		old, err := AtomicCompareSwap(l.words, stateWord, state, heldBy(l.w.rank), l.home)
		if err != nil || old == state {
			return err == nil, err
		}
		state = old
	}
	return false, nil
}

// queue waits until the holder, or one after it, hands the lock to this PE.
func (l *Lock) queue(ctx context.Context, call engine.Call) error {
	ticket, err := AtomicFetchAdd(l.words, ticketWord, 1, l.home)
	if err != nil {
		return err
	}
	ticket++
	if _, err := AtomicSwap(l.words, l.ask(), ticket, l.home); err != nil {
		return err
	}
	got, err := l.announce()
	if err == nil && !got {
		err = l.await(ctx, call, ticket)
	}
	if err == nil && !got {
		return nil
	}
	withdrawn, failed := l.withdraw(ticket)
	if failed != nil || got {
		return failed
	}
	if withdrawn {
		return l.explain(err)
	}
	// It is being handed over.
	return l.abandon(ticket, l.await(context.WithoutCancel(orBackground(ctx)), call, ticket))
}

// abandon gives up the lock that has not come, err, though it is on its way: whoever
// hands it over passes it on. It may have come this moment, which is no error.
func (l *Lock) abandon(ticket uint64, err error) error {
	if err == nil {
		return nil
	}
	old, failed := AtomicSwap(l.words, grantWord, ticket|abandoned, l.w.rank)
	if failed == nil && old == ticket {
		return nil
	}
	return l.explain(err)
}

// abandoned is set in the grant word of a PE that no longer waits for the ticket there.
const abandoned = 1 << 63

// ask is the word in which this PE asks.
func (l *Lock) ask() int { return askWords + l.w.rank }

// announce tells the holder that this PE has asked. If there is none, this PE tries to
// become it; if it comes too late for that, the next holder must be told as well.
func (l *Lock) announce() (got bool, err error) {
	for {
		state, err := AtomicFetchAdd(l.words, stateWord, oneAsk, l.home)
		if err != nil || holderOf(state) != noPeer {
			return false, err
		}
		if got, err := l.take(state + oneAsk); got || err != nil {
			return got, err
		}
	}
}

// await returns when the lock has been handed to this PE.
func (l *Lock) await(ctx context.Context, call engine.Call, ticket uint64) error {
	if l.grant.b.far != nil {
		return l.awaitFar(ctx, call, ticket)
	}
	p := l.grant.here()
	for n, pause := l.w.heap.Spin(); n > 0; n-- {
		if mem.Load64(p) == ticket {
			return nil
		}
		if pause {
			mem.Pause()
		}
	}
	return l.w.heap.Wait(orBackground(ctx), call, func() bool { return mem.Load64(p) == ticket })
}

// awaitFar is await where the grant word is on a device.
func (l *Lock) awaitFar(ctx context.Context, call engine.Call, ticket uint64) error {
	var failed error
	err := l.w.heap.Wait(orBackground(ctx), call, func() bool {
		var granted uint64
		granted, failed = word[uint64](l.grant.b.far, l.grant.off)
		return failed != nil || granted == ticket
	})
	return cmp.Or(failed, err)
}

// withdraw takes this PE's ask back. It is false if the lock is on its way.
func (l *Lock) withdraw(ticket uint64) (bool, error) {
	old, err := AtomicCompareSwap(l.words, l.ask(), ticket, 0, l.home)
	return old == ticket, err
}

// release gives the lock to who has waited longest, or to nobody. That nobody asks
// counts only if nobody has announced an ask since before they were looked at.
func (l *Lock) release() error {
	holder := l.w.rank // then whoever was to have it, but does not want it any more
	for state := heldBy(holder); ; {
		old, err := AtomicCompareSwap(l.words, stateWord, state, 0, l.home)
		if err != nil || old == state {
			return err
		}
		state = old
		next, taken, err := l.handOver(holder)
		if taken || err != nil {
			return err
		}
		state += heldBy(next) - heldBy(holder)
		holder = next
	}
}

// handOver makes the PE with the lowest ticket the holder, if any waits, and says
// whether it has taken the lock: if not, the holder is next, who will not clear it.
func (l *Lock) handOver(holder int) (next int, taken bool, err error) {
	for {
		pe, ticket, err := l.longest()
		if err != nil || pe == noPeer {
			return holder, false, err
		}
		old, err := AtomicCompareSwap(l.words, askWords+pe, ticket, 0, l.home)
		if err != nil {
			return holder, false, err
		}
		if old != ticket { // it has given up
			continue
		}
		// The difference leaves the count alone, which may go up at this moment.
		if _, err := AtomicFetchAdd(l.words, stateWord, heldBy(pe)-heldBy(holder), l.home); err != nil {
			return holder, false, err
		}
		taken, err := l.grantTo(pe, ticket)
		return pe, taken, err
	}
}

// grantTo tells a PE that it holds the lock, and says whether it still wants it.
func (l *Lock) grantTo(pe int, ticket uint64) (bool, error) {
	old, err := AtomicSwap(l.words, grantWord, ticket, pe)
	l.w.heap.Ring(pe)
	return old != ticket|abandoned, err
}

// longest is who has waited longest, and its ticket.
func (l *Lock) longest() (pe int, ticket uint64, err error) {
	pe = noPeer
	for other := range l.w.bases {
		t, err := AtomicFetch(l.words, askWords+other, l.home)
		if err != nil {
			return noPeer, 0, err
		}
		if t != 0 && (pe == noPeer || t < ticket) {
			pe, ticket = other, t
		}
	}
	return pe, ticket, nil
}
