package ucx

import (
	"context"
	"fmt"
	"time"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// How waiting goes: first without a pause, then giving the processor to others between
// looks, then asleep until the goroutine of the Worker has news.
const (
	spinFor  = 50 * time.Microsecond
	yieldFor = time.Millisecond
	lookFor  = time.Millisecond // how long a sleeper waits before he looks by himself
	busyFor  = 100 * time.Microsecond
	longest  = 500 * time.Millisecond // how long the goroutine sleeps at most
)

// turn has the library go on, and hands out messages. It returns how much there was to
// do. The lock is held, but not while a message is handled.
func (w *Worker) turn() int {
	n := int(uint32(dl.Call(w.lib.progress, w.worker)))
	if n > 0 {
		w.deliver()
	}
	return n
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
	return w.turn() > 0
}

// Wait makes progress until ready says true, which is asked again whenever something has
// come in, and each millisecond; or until ctx is over or the Worker closed. It spins
// first, then sleeps.
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
		p.next(w)
	}
	return nil
}

// pause is where a waiter is.
type pause struct {
	rounds int
	since  time.Time // of the last time that there was anything to do
}

// next makes progress once, and pauses for as long as it seems right. The lock is held,
// and given up on the way.
func (p *pause) next(w *Worker) {
	w.turns++
	if w.turn() > 0 {
		p.rounds = 0
	}
	p.rounds++
	switch {
	case p.rounds == 1:
		p.since = time.Time{}
	case p.rounds%16 == 0 && p.since.IsZero():
		p.since = time.Now()
	case p.rounds%16 == 0 && time.Since(p.since) > yieldFor:
		w.sleep()
		return
	}
	w.mu.Unlock()
	if p.rounds%16 == 0 && time.Since(p.since) > spinFor {
		yield()
	}
	w.mu.Lock()
}

// sleep waits for news, or until it is time to look. The lock is given up.
func (w *Worker) sleep() {
	news := w.news
	w.listeners++
	w.mu.Unlock()
	timer := time.NewTimer(lookFor)
	select {
	case <-news:
	case <-timer.C:
	}
	timer.Stop()
	w.mu.Lock()
	w.listeners--
}

// tell wakes the sleepers. The lock is held.
func (w *Worker) tell() {
	if w.listeners > 0 {
		close(w.news)
		w.news = make(chan struct{})
	}
}

// await waits until a request is over. The lock is held, and given up on the way.
func (p *Peer) await(doing string, request uintptr) error {
	w := p.w
	w.inside++
	defer func() { w.inside-- }()
	var wait pause
	var end time.Time
	for {
		s := status(dl.Call(w.lib.check, request))
		if s != ucx.UCS_INPROGRESS {
			dl.Call(w.lib.free, request)
			return p.outcome(doing, s)
		}
		if w.closed && p.ep == 0 {
			dl.Call(w.lib.free, request)
			return p.usable()
		}
		wait.next(w)
		if wait.rounds%1024 == 0 {
			end = p.patience(doing, end)
		}
	}
}

// patience gives the peer up once end has come.
func (p *Peer) patience(doing string, end time.Time) time.Time {
	switch {
	case end.IsZero():
		return time.Now().Add(p.w.config.timeout())
	case time.Now().After(end):
		p.lose(fmt.Errorf("ucx: %s: %w: %s was not over in %v", p.name, ErrUnreachable, doing, p.w.config.timeout()))
		p.drop()
	}
	return end
}

// serve is the goroutine of a Worker: it makes progress when nobody else does.
func (w *Worker) serve() {
	defer close(w.ended)
	var seen uint64
	for {
		w.mu.Lock()
		if w.closed {
			w.mu.Unlock()
			return
		}
		if w.turns != seen { // somebody looks by himself: he would be kept from it
			seen = w.turns
			w.mu.Unlock()
			time.Sleep(busyFor)
			continue
		}
		w.once()
	}
}

// once makes progress, and sleeps if there was nothing to do. The lock is held, and
// given up.
func (w *Worker) once() {
	if w.turn() > 0 {
		w.tell()
		w.mu.Unlock()
		return
	}
	w.asleep = !w.closed && status(dl.Call(w.lib.arm, w.worker)) == ucx.UCS_OK
	asleep := w.asleep
	w.mu.Unlock()
	if asleep {
		sleepOn(w.events, longest)
	}
}

// rouse wakes that goroutine, because something was started that nobody waits for. The
// lock is held.
func (w *Worker) rouse() {
	if w.asleep {
		w.asleep = false
		dl.Call(w.lib.signal, w.worker)
	}
}
