package ipc

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// tick is soon enough for who waits, and seldom enough for who would be disturbed.
const (
	tick      = 20 * time.Millisecond
	drainTime = 10 * time.Second // for streams to end after their release
)

// watch looks, while streams wait for other PEs, whether the world is still well and how
// long they have waited. If it is not, or for too long, it has them go on: it writes what
// they wait for. Nobody else can: a stream does not look by itself.
type watch struct {
	p    *plane
	lane *lane
	on   atomic.Bool // it runs
	// always: waits have been captured, and may be replayed at any time.
	always   atomic.Bool
	launched atomic.Uint64         // blocks of kernels that meet others
	latest   atomic.Pointer[group] // whose kernel was launched last; nil: it was none that meets

	mu     sync.Mutex
	closed bool
	stop   chan struct{}
	ended  sync.WaitGroup
	lanes  []*lane

	waitsMu sync.Mutex
	waits   []pending
	spare   []device.Handle // events

	slots  [maxTeams]mark
	blocks mark
	image  []uint64 // of the words from the head to the flags
}

// pending is a wait of a stream for a word of the program.
type pending struct {
	event device.Handle // happens when it is over
	at    engine.Offset
	v     uint64
	since time.Time
}

// mark is how far something had come, and since when it is no further.
type mark struct {
	sum   uint64
	since time.Time
}

// stuck says for how long something that is not done is at sum.
func (m *mark) stuck(now time.Time, sum uint64) time.Duration {
	if m.since.IsZero() || m.sum != sum {
		m.sum, m.since = sum, now
	}
	return now.Sub(m.since)
}

// verdict lets the watch come to the same end as a wait for a stream whose time is over:
// it began to look a little later, and knows who is absent.
func (w *watch) verdict() {
	for range 4 {
		if !w.on.Load() || w.p.broken() != nil {
			return
		}
		time.Sleep(tick)
	}
}

// keep has a lane closed at the end.
func (w *watch) keep(l *lane) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lanes = append(w.lanes, l)
}

// wake has it look: streams have got something to wait for.
func (w *watch) wake() {
	if w.on.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.on.Load() {
		return
	}
	w.on.Store(true)
	w.stop = make(chan struct{})
	w.ended.Add(1)
	go w.run(w.stop)
}

// run looks until nothing waits. It looks once more after it has said that it ends: who
// has something to wait for either is seen then, or has seen that and starts another.
func (w *watch) run(stop <-chan struct{}) {
	defer w.ended.Done()
	timer := time.NewTicker(tick)
	defer timer.Stop()
	for {
		select {
		case <-stop:
			return
		case <-timer.C:
		}
		if w.turn() {
			continue
		}
		w.mu.Lock()
		w.on.Store(false)
		again := !w.closed && w.turn()
		w.on.Store(again)
		w.mu.Unlock()
		if !again {
			return
		}
	}
}

// turn looks once, and says whether anything waits.
func (w *watch) turn() bool {
	p := w.p
	if err := w.read(); err != nil { // a fault of the device: nothing can be released
		p.spoil(err)
		return false
	}
	now := time.Now()
	broken := p.broken()
	busy, late := w.flags(now, broken != nil)
	for _, look := range []func(time.Time, bool) (bool, error){w.kernels, w.words} {
		more, err := look(now, broken != nil)
		busy = busy || more
		if late == nil {
			late = err
		}
	}
	switch {
	case broken != nil:
		p.spoil(broken)
	case late != nil:
		p.give(late)
	}
	return busy || w.always.Load()
}

// read reads the words of the head and the flags.
func (w *watch) read() error {
	p := w.p
	n := p.flags + maxTeams*p.pes*word - p.head
	if w.image == nil {
		w.image = make([]uint64, n/word)
	}
	if p.reach {
		for i := range w.image {
			w.image[i] = mem.Load64(pointer(p.at(p.rank, p.head+engine.Offset(i)*word)))
		}
		return nil
	}
	return p.driver.CopyOut(p.dev, unsafe.Pointer(&w.image[0]), p.at(p.rank, p.head), n, w.lane.stream)
}

// seen is a word of the image.
func (w *watch) seen(at engine.Offset) uint64 { return w.image[(at-w.p.head)/word] }

// flags looks at the barriers of all slots, and releases those that wait if asked.
func (w *watch) flags(now time.Time, release bool) (busy bool, late error) {
	p := w.p
	for s := range maxTeams {
		var absent []int
		var sum uint64
		for pe := range p.n {
			want, is := p.come[s*p.n+pe].Load(), w.seen(p.flag(s, pe))
			sum += is
			if int64(is-want) >= 0 {
				continue
			}
			absent = append(absent, pe)
			if release {
				w.free(p.flag(s, pe), want)
			}
		}
		if absent == nil {
			w.slots[s].since = time.Time{}
			continue
		}
		busy = true
		if d := w.slots[s].stuck(now, sum); d > p.timeout && late == nil {
			late = p.stall(d, absent)
		}
	}
	return busy, late
}

// kernels looks at those that wait for others.
func (w *watch) kernels(now time.Time, release bool) (busy bool, late error) {
	p := w.p
	entered, left := w.seen(p.head+headEntered), w.seen(p.head+headLeft)
	if release && w.seen(p.head+headAbort) == 0 {
		w.free(p.head+headAbort, 1)
	}
	if left >= w.launched.Load() && entered == left {
		w.blocks.since = time.Time{}
		return false, nil
	}
	if d := w.blocks.stuck(now, left); d > p.timeout {
		late = p.stall(d, w.missing())
	}
	return true, late
}

// missing is who has not come to the meeting in which the latest kernel is. It is nobody
// if that cannot be told: then all have come to a first meeting of it.
func (w *watch) missing() (list []int) {
	g := w.latest.Load()
	if g == nil || w.always.Load() { // what is replayed is not known
		return nil
	}
	for i := range g.size {
		pe := g.pe(i)
		came, err := w.look(g.job().came + uint64(pe)*word)
		sent, failed := w.look(g.job().sent + uint64(pe)*word)
		if i != g.me && err == nil && failed == nil && int64(came-sent) <= 0 {
			list = append(list, pe)
		}
	}
	return list
}

// look reads a word of the own memory.
func (w *watch) look(at uint64) (v uint64, err error) {
	p := w.p
	err = p.driver.CopyOut(p.dev, unsafe.Pointer(&v), p.at(p.rank, engine.Offset(at)), word, w.lane.stream)
	return v, err
}

// words looks at the waits for words of the program.
func (w *watch) words(now time.Time, release bool) (busy bool, late error) {
	p := w.p
	w.waitsMu.Lock()
	defer w.waitsMu.Unlock()
	kept := w.waits[:0]
	for _, x := range w.waits {
		done, err := p.driver.EventDone(p.dev, x.event)
		if done || err != nil { // whoever waits for the stream gets its fault
			w.spare = append(w.spare, x.event)
			continue
		}
		kept = append(kept, x)
		if d := now.Sub(x.since); d > p.timeout {
			late = p.stall(d, nil)
		}
		if release {
			w.free(x.at, x.v)
		}
	}
	w.waits = kept
	return len(kept) > 0, late
}

// wait has a wait for a word of the program watched, which has just been queued.
func (w *watch) wait(s device.Handle, at engine.Offset, v uint64) error {
	e, err := w.event()
	if err != nil {
		return err
	}
	if err := w.p.driver.Record(w.p.dev, e, s); err != nil {
		return errors.Join(err, w.p.driver.DestroyEvent(w.p.dev, e))
	}
	w.waitsMu.Lock()
	w.waits = append(w.waits, pending{event: e, at: at, v: v, since: time.Now()})
	w.waitsMu.Unlock()
	w.wake()
	return nil
}

// event is one that is not in use.
func (w *watch) event() (device.Handle, error) {
	w.waitsMu.Lock()
	defer w.waitsMu.Unlock()
	if n := len(w.spare); n > 0 {
		e := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return e, nil
	}
	return w.p.driver.NewEvent(w.p.dev, false)
}

// free writes what a stream waits for. An error is that of the device, which nothing can
// release any more.
func (w *watch) free(at engine.Offset, v uint64) {
	p := w.p
	if p.reach {
		mem.Store(pointer(p.at(p.rank, at)), v)
		return
	}
	_ = p.driver.CopyIn(p.dev, p.at(p.rank, at), unsafe.Pointer(&v), word, w.lane.stream)
}

// stall is the error of a stream that has waited too long.
func (p *plane) stall(d time.Duration, absent []int) error {
	s := &engine.Stall{Cause: engine.ErrTimeout, After: d, Absent: absent, Limit: " on a stream (GOSHMEM_TIMEOUT or Options.Timeout)"}
	for pe := range p.n {
		s.PEs = append(s.PEs, p.control.Progress(pe))
	}
	return s
}

// give gives the world up: this PE's streams are not where they should be any more.
func (p *plane) give(err error) {
	p.spoil(err)
	p.control.Fail(err.Error(), engine.Stays)
}

// end ends the watch when streams have ended that the end of the world has released, and
// gives back what lanes and it have.
func (w *watch) end() error {
	w.mu.Lock()
	w.closed = true
	if w.on.Load() {
		close(w.stop)
	}
	w.mu.Unlock()
	w.ended.Wait()
	w.always.Store(false)
	for begun := time.Now(); w.p.broken() != nil && w.turn(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > drainTime {
			return fmt.Errorf("the memory of PE %d is not given back: a stream still waits, %v after its release", w.p.rank, drainTime)
		}
	}
	var errs []error
	for _, x := range w.waits {
		w.spare = append(w.spare, x.event)
	}
	for _, e := range w.spare {
		errs = append(errs, w.p.driver.DestroyEvent(w.p.dev, e))
	}
	for _, l := range w.lanes {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}
