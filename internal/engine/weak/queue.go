package weak

import (
	"slices"
	"sync"
	"time"
)

// Bounds of a queue. What is beyond them is delivered at once.
const (
	maxQueue = 64      // items
	maxBytes = 4 << 20 // of their data
)

// item is something that has not happened yet.
type item struct {
	pe     int
	n      uintptr
	free   bool // no fence holds it: a get
	atomic bool // on word
	word   uintptr
	after  [2]*item // what must be there before
	happen func() error

	seq   int64 // its number among those of the queue
	due   int64 // its place in the order of arrival
	epoch int64 // how many fences were before it
	born  time.Time
	done  bool
}

// queue is what a lane has not delivered yet.
type queue struct {
	mu      sync.Mutex // guards what follows, and orders deliveries
	luck    luck
	items   []*item // in the order of issue
	bytes   uintptr
	count   int64 // items so far
	epoch   int64 // fences so far
	ticks   bool  // the clock is going to call tick
	pausing int   // quiets that pause now
	broken  error // a delivery that failed, until somebody is told
}

// add queues an item and delivers those whose number has come.
func (q *queue) add(it *item) {
	it.seq, it.epoch, it.born = q.count, q.epoch, time.Now()
	it.due = q.luck.due(q.count, it.pe)
	q.count++
	q.items, q.bytes = append(q.items, it), q.bytes+it.n
	for len(q.items) > 0 {
		i := q.next()
		if q.items[i].due > q.count && q.items[i].seq > q.count-patient && len(q.items) <= maxQueue && q.bytes <= maxBytes {
			break
		}
		q.take(i)
	}
	if len(q.items) > 0 && !q.ticks {
		q.ticks = true
		time.AfterFunc(q.luck.wait(), q.tick)
	}
}

// next is the place of the item that goes next: the first in the order of arrival of
// those that nothing holds, unless one has been held too long.
func (q *queue) next() int {
	best := -1
	for i, it := range q.items {
		switch {
		case q.held(i):
		case it.seq < q.count-patient:
			return i
		case best < 0 || it.due < q.items[best].due:
			best = i
		}
	}
	return best // something always may go: what was issued first is held by nothing
}

// held says whether an item must come after another one.
func (q *queue) held(i int) bool {
	it := q.items[i]
	for _, before := range it.after {
		if before != nil && !before.done {
			return true
		}
	}
	if it.free {
		return false
	}
	for _, before := range q.items[:i] {
		if before.epoch == it.epoch {
			return false
		}
		if before.pe == it.pe && !before.free {
			return true
		}
	}
	return false
}

// take makes the item at place i happen.
func (q *queue) take(i int) {
	it := q.items[i]
	q.items = append(q.items[:i], q.items[i+1:]...)
	q.bytes -= it.n
	it.done = true
	if err := it.happen(); err != nil && q.broken == nil {
		q.broken = err
	}
}

// tick delivers by the clock, a part at a time, until nothing is left: this PE may be
// waiting, or compute.
func (q *queue) tick() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.ticks = false
		return
	}
	if q.pausing > 0 { // who pauses delivers the rest
		time.AfterFunc(q.luck.gap, q.tick)
		return
	}
	if time.Since(q.items[0].born) > overdue {
		q.take(0)
	}
	for n := (len(q.items) + 3) / 4; n > 0; n-- {
		q.take(q.next())
	}
	time.AfterFunc(q.luck.gap, q.tick)
}

// last is the latest atomic on a word of pe; nil if there is none.
func (q *queue) last(pe int, word uintptr) *item {
	for _, it := range slices.Backward(q.items) {
		if it.on(pe, word) {
			return it
		}
	}
	return nil
}

// on says whether the item is an atomic on a word of pe.
func (it *item) on(pe int, word uintptr) bool { return it.atomic && it.pe == pe && it.word == word }

// some delivers a part, drawn anew each time.
func (q *queue) some() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return
	}
	for n := q.luck.pauses.IntN(len(q.items) + 1); n > 0; n-- {
		q.take(q.next())
	}
}

// hasten delivers what comes before an atomic on a word of pe that happens now: what
// fences have put before it, and atomics on that word, with what they come after.
func (q *queue) hasten(pe int, word uintptr) {
	for i := 0; i < len(q.items); {
		it := q.items[i]
		if it.pe == pe && !it.free && it.epoch < q.epoch || it.on(pe, word) && !q.held(i) {
			q.take(i) // in the order of issue, which no fence is against
			continue
		}
		i++
	}
}

// maxPauses is how often a quiet pauses at most.
const maxPauses = 2

// drain delivers what is there now, with pauses in which others may look.
func (q *queue) drain(pause func(time.Duration)) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	upTo, pauses := q.count, 0
	for len(q.items) > 0 && q.items[0].seq < upTo {
		q.take(q.next())
		if pauses < maxPauses && len(q.items) > 0 && q.luck.pause() {
			pauses++
			q.pausing++
			q.mu.Unlock()
			pause(q.luck.gap)
			q.mu.Lock()
			q.pausing--
		}
	}
	err := q.broken
	q.broken = nil
	return err
}
