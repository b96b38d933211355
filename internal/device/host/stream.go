package host

import (
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/device"
)

const (
	firstRoom = 32   // operations that a queue has room for at first
	mostRoom  = 4096 // and at most: then the caller waits, as on a GPU
)

// stream is an ordered queue of operations. A goroutine works on it while there are
// any, and ends with the last one.
type stream struct {
	dev      int
	standing bool // a default stream
	queues   *queues
	run      func() // work, as a value that costs nothing to start
	crew     crew

	mu      sync.Mutex    // taken with Lock
	use     atomic.Uint32 // resting, lent, locked
	moved   sync.Cond     // an operation is done
	ring    []op
	head    int
	count   int
	done    uint64 // operations done since the beginning
	working bool
	inline  bool // at a task that is not in the queue
	closed  bool
	fault   error
	owed    error    // the fault of a task that nobody has been told of
	heard   bool     // somebody has been told of the fault
	capture *capture // where operations go instead
}

func newStream(dev int, q *queues) *stream {
	s := &stream{dev: dev, queues: q}
	s.moved.L = s
	s.run = s.work
	s.crew.help = s.crew.work
	q.add(s)
	return s
}

func (s *stream) home() int { return s.dev }

// add appends an operation and returns its number, 0 for one that is captured. It
// waits while the queue is full.
func (s *stream) add(call string, o *op, args []uint64) (uint64, error) {
	s.Lock()
	defer s.Unlock()
	switch err := s.accepts(call); {
	case err != nil:
		return 0, err
	case s.capture != nil:
		return 0, s.capture.add(call, s, o, args)
	}
	s.append(o, args)
	return s.last(), nil
}

// accepts says why nothing can be appended, when there is room.
func (s *stream) accepts(call string) error {
	for s.capture == nil && !s.closed && s.count == mostRoom {
		s.moved.Wait()
	}
	if s.closed {
		return fail(s.dev, call, device.ErrClosed, "the stream is destroyed")
	}
	if p, ok := s.fault.(passing); ok {
		s.heard = true
		return p.error
	}
	return s.fault
}

// told returns the fault. That of a task is returned once, if it is still news.
func (s *stream) told() error {
	fault := s.fault
	if p, ok := fault.(passing); ok {
		s.heard, fault = true, p.error
	} else if fault == nil {
		fault, s.owed = s.owed, nil
	}
	if old, ok := fault.(interface{ Stale() bool }); ok && old.Stale() {
		return nil
	}
	return fault
}

// note keeps the first fault.
func (s *stream) note(err error) {
	if s.fault == nil {
		s.fault = err
	}
}

// append puts an operation into the queue, which has or gets room.
func (s *stream) append(o *op, args []uint64) {
	if s.count == len(s.ring) {
		s.grow()
	}
	switch o.kind {
	case opRecord:
		o.record = o.event.start()
	case opWait:
		o.record = o.event.latest()
	}
	s.ring[(s.head+s.count)%len(s.ring)].set(o, args)
	s.count++
	if !s.working {
		s.working = true
		go s.run()
	}
}

func (s *stream) grow() {
	ring := make([]op, max(firstRoom, 2*len(s.ring)))
	n := copy(ring, s.ring[s.head:])
	copy(ring[n:], s.ring[:s.head])
	s.ring, s.head = ring, 0
}

// work does what is in the queue, in its order.
func (s *stream) work() {
	s.Lock()
	defer s.Unlock()
	for s.count > 0 {
		o := &s.ring[s.head]
		fault := s.fault
		s.Unlock()
		err := o.do(s, fault)
		s.Lock()
		s.note(err)
		s.pop()
	}
	s.rest()
}

// rest is the end of the work that there was.
func (s *stream) rest() {
	s.working = false
	if p, ok := s.fault.(passing); ok { // what was behind it is dropped; what comes now is not
		if !s.heard {
			s.owed = p.error
		}
		s.fault, s.heard = nil, false
	}
	if s.closed {
		s.queues.drop(s)
	}
}

// pop leaves the slot's memory for arguments to the next operation in it.
func (s *stream) pop() {
	s.ring[s.head].set(&op{}, nil)
	s.head = (s.head + 1) % len(s.ring)
	s.count--
	s.done++
	s.moved.Broadcast()
}

// finish waits until an operation is done.
func (s *stream) finish(number uint64) error {
	s.Lock()
	defer s.Unlock()
	for s.done < number {
		s.moved.Wait()
	}
	return s.told()
}

// idle says whether all is done. During a capture that is no question to ask.
func (s *stream) idle(call string) (bool, error) {
	if s.use.Load() == resting {
		return true, nil
	}
	s.Lock()
	defer s.Unlock()
	if s.capture != nil {
		return false, s.capture.spoil(call, s.dev)
	}
	return s.last() == s.done, s.told()
}

// close has the stream take nothing more; what is queued will be done. A capture that
// began in it is dropped.
func (s *stream) close() error {
	s.Lock()
	s.closed = true
	s.moved.Broadcast()
	if !s.working {
		s.queues.drop(s)
	}
	c, fault := s.capture, s.fault
	s.Unlock()
	if c != nil && c.origin == s {
		_, _ = c.finish()
	}
	return fault
}
