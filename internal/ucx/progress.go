package ucx

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/yield"
)

// How waiting goes: first without a pause, then giving the processor to others between
// looks, then asleep until UCX has an event, or it is time to look anyway: memory can
// change without one.
const (
	spinFor   = 50 * time.Microsecond
	yieldFor  = time.Millisecond
	lookFor   = time.Millisecond       // how long a waiter sleeps at most
	busyFor   = 100 * time.Microsecond // how long the Worker's goroutine keeps away from who spins
	busyLooks = 20                     // how often it does, before it is for busyLong
	busyLong  = time.Millisecond
)

// turn has the library go on, and returns how much there was to do. The lock is held.
func (w *Worker) turn() int {
	n := int(uint32(w.line.Call(w.lib.progress, w.worker, 0, 0, 0, 0, 0)))
	if n > 0 {
		w.obey()
	}
	if len(w.leaving) > 0 {
		w.reap()
	}
	return n
}

// goOn is turn for who starts operations or waits for them, and hands out no messages: the
// Worker's goroutine does, which may sleep through what has come in here. The lock is held.
func (w *Worker) goOn() {
	w.turns++
	if w.turn() > 0 {
		w.rouse()
	}
}

// Progress does what there is to do without waiting: for whoever waits for memory to
// change, and looks at it between calls. It says whether there was anything.
func (w *Worker) Progress() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.turns++
	n := w.turn()
	if n > 0 {
		w.deliver()
	}
	return n > 0
}

// Wait makes progress until ready says true, which is asked again whenever something has
// come in, and each millisecond; or until ctx is over or the Worker closed. It spins
// first, then sleeps. ready looks at memory; it must not call anything of this package.
func (w *Worker) Wait(ctx context.Context, ready func() bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inside++
	defer func() { w.inside-- }()
	var p pause
	for !ready() {
		if w.closed {
			return fmt.Errorf("ucx: wait: %w", ErrClosed)
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if p.next(w) {
			w.deliver()
		}
	}
	return nil
}

// pause is where a waiter is.
type pause struct {
	rounds int
	since  time.Time // of the last time that there was anything to do
}

// next makes progress once, says whether there was anything to do, and pauses for as long
// as it seems right. The lock is held, and given up on the way.
func (p *pause) next(w *Worker) bool {
	n := w.turn()
	if n > 0 {
		p.rounds = 0
	}
	p.rounds++
	var idle time.Duration
	switch {
	case p.rounds == 1:
		p.since = time.Time{}
	case p.rounds%16 != 0:
	case p.since.IsZero():
		p.since = time.Now()
	default:
		idle = time.Since(p.since)
	}
	if idle > yieldFor {
		w.sleep(lookFor)
		return n > 0
	}
	w.turns++
	w.mu.Unlock()
	if idle > spinFor {
		runtime.Gosched() // for goroutines of this process
		yield.Core()      // for other processes
	}
	w.mu.Lock()
	return n > 0
}

// sleep waits for an event of UCX's, but no longer than that. The lock is held, and
// given up on the way.
func (w *Worker) sleep(longest time.Duration) {
	if w.closed || status(dl.Call(w.lib.arm, w.worker)) != ucx.UCS_OK {
		return
	}
	w.asleep++
	w.mu.Unlock()
	sleepOn(w.events, longest)
	w.mu.Lock()
	w.asleep--
}

// await waits until a request is over. The lock is held, and given up on the way.
func (p *Peer) await(ctx context.Context, doing string, request uintptr) error {
	w := p.w
	w.inside++
	defer func() { w.inside-- }()
	var wait pause
	var end time.Time
	for looks := 1; ; looks++ {
		s := status(w.line.Call(w.lib.check, request, 0, 0, 0, 0, 0))
		if s != ucx.UCS_INPROGRESS {
			dl.Call(w.lib.free, request)
			return p.outcome(doing, s)
		}
		if p.stuck || ctx.Err() != nil {
			dl.Call(w.lib.free, request)
			return cmp.Or(p.usable(), context.Cause(ctx))
		}
		if wait.next(w) {
			w.rouse() // see goOn
		}
		if looks%256 == 0 {
			end = p.patience(doing, end)
		}
	}
}

// patience gives the peer up once end has come, if it has not been heard of meanwhile.
func (p *Peer) patience(doing string, end time.Time) time.Time {
	longest := p.w.config.timeout()
	if p.err() != nil {
		p.drop() // what UCX has not ended ends with this
	}
	switch now := time.Now(); {
	case end.IsZero(), now.After(end) && now.Sub(p.heard) < longest:
		return now.Add(longest)
	case now.After(end):
		p.lose(fmt.Errorf("ucx: %s: %w: %s was not over in %v", p.name, ErrUnreachable, doing, longest))
		p.drop()
	}
	return end
}

// serve is the goroutine of a Worker: it makes progress when nobody else does.
func (w *Worker) serve() {
	defer close(w.ended)
	var seen uint64
	for kept := 0; ; kept++ { // looks in a row that have found somebody else at it
		if !w.enter(kept) {
			keepAway(kept)
			continue
		}
		if w.closed {
			w.mu.Unlock()
			return
		}
		w.speak()
		w.deliver()
		if w.turns != seen { // somebody looks by himself: he would be kept from it
			seen = w.turns
			w.mu.Unlock()
			keepAway(kept)
			continue
		}
		kept = -1
		w.once()
	}
}

// enter takes the lock if it is free: who has it is at work, and waiting for it would have
// him wake us. Now and then it waits nevertheless, as there is more to do than progress.
func (w *Worker) enter(kept int) bool {
	if kept%8 == 7 {
		w.mu.Lock()
		return true
	}
	return w.mu.TryLock()
}

// keepAway leaves the processor to who makes progress: a thread that wakes every now and
// then, and the one with which Go watches those that are in system calls, take a fifth of
// what two processors can move. Who goes on for long is looked at less often.
func keepAway(kept int) {
	if kept < busyLooks {
		nap(busyFor)
	} else {
		time.Sleep(busyLong)
	}
}

// once makes progress, and sleeps if there was nothing to do. The lock is held, and
// given up.
func (w *Worker) once() {
	if w.turn() == 0 {
		w.sleep(w.config.interval())
	}
	w.deliver()
	w.mu.Unlock()
}

// rouse wakes that goroutine, because something was started that nobody waits for. The
// lock is held.
func (w *Worker) rouse() {
	if w.asleep > 0 {
		dl.Call(w.lib.signal, w.worker)
	}
}
