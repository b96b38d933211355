//go:build race

package network

import (
	"bytes"
	"runtime"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// queue is the bookkeeping of a lane. The detector sees neither its lock nor what the
// lock guards: operations of several goroutines of a PE are not ordered by having gone
// through the same lane. That is why the functions are not instrumented, and neither copy slices
// nor use maps, which tell the detector by themselves.
type queue struct {
	mu     sync.Mutex
	issued uint64
	open   []*operation // that no quiet has completed, in the order of issue
	alive  []*operation // whose goroutines are kept
	fences []fence
	ended  bool
	sum    byte // where the detector keeps what was done so far
}

// operation is one that has a goroutine of its own.
type operation struct {
	pe      int
	number  uint64
	by      string        // the goroutine, if that had called fence; "": nothing was before it
	stores  bool          // a fence orders it
	hurried bool          // hurry is closed
	hurry   chan struct{} // closed when something waits for it
	done    chan struct{} // closed by its goroutine
	end     chan struct{} // closed to let the goroutine end
}

// fence orders what its goroutine issues after it.
type fence struct {
	by    string
	upTo  uint64 // the last operation that was issued before it
	after uint64 // the last one before the fence before it
}

// maxOpen operations are kept track of. With more, the oldest are completed: a program
// that never calls quiet keeps its memory, and is taken to have called it for those.
const maxOpen = 8192

// issue has do done by a goroutine of its own.
func (q *lane) issue(pe int, stores bool, do func()) {
	o := &operation{pe: pe, stores: stores, hurry: make(chan struct{}), done: make(chan struct{}), end: make(chan struct{})}
	var before []chan struct{}
	if stores {
		o.by, before = q.fenced(pe)
	}
	q.enqueue(o)
	go o.run(q, before, do)
	if o := q.overdue(); o != nil {
		<-o.done
		q.completed(o.number)
	}
	q.thin(q.h.net.kept)
}

// run carries the operation out, some time later. Then the goroutine stays for a while:
// of goroutines that have ended long ago the detector knows no stack, and does not
// report what it cannot tell.
//
// What it did is told to each later quiet, also to one that no longer finds it among the
// open ones, because another goroutine's quiet has completed it.
func (o *operation) run(q *lane, before []chan struct{}, do func()) {
	done, end := o.done, o.end
	for _, done := range before {
		<-done
	}
	q.late.await(o.number, o.hurry)
	do()
	runtime.RaceReleaseMerge(unsafe.Pointer(&q.sum))
	close(done)
	mem.Untrack()
	<-end
}

//go:norace
func (q *queue) lock() {
	mem.Untrack()
	q.mu.Lock()
}

//go:norace
func (q *queue) unlock() {
	q.mu.Unlock()
	mem.Track()
}

//go:norace
func (q *queue) enqueue(o *operation) {
	q.lock()
	defer q.unlock()
	q.issued++
	o.number = q.issued
	q.open = append(q.open, o)
	q.alive = append(q.alive, o)
}

// fenced returns the calling goroutine, if there are fences, and what must be done on pe
// before what it issues now.
//
//go:norace
func (q *queue) fenced(pe int) (me string, dones []chan struct{}) {
	q.lock()
	defer q.unlock()
	if len(q.fences) == 0 {
		return "", nil
	}
	me = goroutine()
	for i := range q.fences {
		if f := &q.fences[i]; f.by == me {
			return me, q.between(f, pe)
		}
	}
	return me, nil
}

// between returns what tells that all operations on pe before a fence are done. Those from
// before the fence before it are, if one of this goroutine is that came in between.
//
//go:norace
func (q *queue) between(f *fence, pe int) (dones []chan struct{}) {
	waited := false
	for i := len(q.open) - 1; i >= 0; i-- {
		o := q.open[i]
		if waited && o.number <= f.after {
			break
		}
		if o.number <= f.upTo && o.pe == pe && o.stores {
			dones = append(dones, o.done)
			waited = waited || o.number > f.after && o.by == f.by
		}
	}
	return dones
}

// fence orders what this goroutine issues from now on after what was issued before, for
// each PE. Another goroutine would have to know of the fence, which the detector cannot
// be asked.
//
//go:norace
func (q *queue) fence() {
	q.lock()
	defer q.unlock()
	if len(q.open) == 0 {
		return
	}
	me := goroutine()
	for i := range q.fences {
		if q.fences[i].by == me {
			if q.fences[i].upTo < q.issued {
				q.fences[i].after, q.fences[i].upTo = q.fences[i].upTo, q.issued
			}
			return
		}
	}
	q.fences = append(q.fences, fence{by: me, upTo: q.issued})
}

// goroutine returns the number of the calling goroutine, which only a stack trace tells.
func goroutine() string {
	var trace [32]byte
	number, _, _ := bytes.Cut(bytes.TrimPrefix(trace[:runtime.Stack(trace[:], false)], []byte("goroutine ")), []byte(" "))
	return string(number)
}

// quick hurries an operation. The caller has the lock of its lane.
//
//go:norace
func (o *operation) quick() {
	if !o.hurried {
		o.hurried = true
		close(o.hurry)
	}
}

// pending hurries the open operations. It returns what tells that they are done, and the
// last of them. Those that are no longer open are before what follows.
//
//go:norace
func (q *queue) pending() (dones []chan struct{}, upTo uint64) {
	q.lock()
	defer q.unlock()
	for _, o := range q.open {
		o.quick()
		dones = append(dones, o.done)
	}
	mem.Track()
	runtime.RaceAcquire(unsafe.Pointer(&q.sum)) // with the lock: of nothing that is issued later
	mem.Untrack()
	return dones, q.issued
}

// completed forgets operations that are done.
//
//go:norace
func (q *queue) completed(upTo uint64) {
	q.lock()
	defer q.unlock()
	n := 0
	for n < len(q.open) && q.open[n].number <= upTo {
		n++
	}
	q.open = q.open[n:]
	if len(q.open) == 0 {
		q.open, q.fences = nil, nil
	}
}

// overdue returns and hurries the oldest operation if there are too many.
//
//go:norace
func (q *queue) overdue() *operation {
	q.lock()
	defer q.unlock()
	if len(q.open) <= maxOpen {
		return nil
	}
	o := q.open[0]
	o.quick()
	return o
}

// thin lets all goroutines end but the latest that are to be kept, once they are done.
//
//go:norace
func (q *queue) thin(keep int) {
	q.lock()
	defer q.unlock()
	if q.ended {
		keep = 0
	}
	n := max(0, len(q.alive)-keep)
	for _, o := range q.alive[:n] {
		o.quick()
		<-o.done
		close(o.end)
	}
	q.alive = q.alive[n:]
}

// end lets all goroutines end, now and later.
//
//go:norace
func (q *queue) end() {
	q.lock()
	q.ended = true
	q.unlock()
	q.thin(0)
}
