package host

import (
	"sync"

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

	mu      sync.Mutex
	moved   sync.Cond // an operation is done
	ring    []op
	head    int
	count   int
	done    uint64 // operations done since the beginning
	working bool
	closed  bool
	fault   error
	capture *capture // where operations go instead
}

func newStream(dev int, q *queues) *stream {
	s := &stream{dev: dev, queues: q}
	s.moved.L = &s.mu
	s.run = s.work
	s.crew.help = s.crew.work
	q.add(s)
	return s
}

func (s *stream) home() int { return s.dev }

// add appends an operation and returns its number, 0 for one that is captured. It
// waits while the queue is full.
func (s *stream) add(call string, o *op, args []uint64) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.capture == nil && !s.closed && s.count == mostRoom {
		s.moved.Wait()
	}
	switch {
	case s.closed:
		return 0, fail(s.dev, call, device.ErrClosed, "the stream is destroyed")
	case s.fault != nil:
		return 0, s.fault
	case s.capture != nil:
		return 0, s.capture.add(call, s, o, args)
	}
	s.append(o, args)
	return s.done + uint64(s.count), nil
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
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.count > 0 {
		o := &s.ring[s.head]
		fault := s.fault
		s.mu.Unlock()
		err := o.do(s, fault)
		s.mu.Lock()
		if s.fault == nil {
			s.fault = err
		}
		s.pop()
	}
	s.working = false
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
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.done < number {
		s.moved.Wait()
	}
	return s.fault
}

// idle says whether all is done. During a capture that is no question to ask.
func (s *stream) idle(call string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.capture != nil {
		return false, s.capture.spoil(call, s.dev)
	}
	return s.count == 0, s.fault
}

// close has the stream take nothing more; what is queued will be done. A capture that
// began in it is dropped.
func (s *stream) close() error {
	s.mu.Lock()
	s.closed = true
	s.moved.Broadcast()
	if !s.working {
		s.queues.drop(s)
	}
	c, fault := s.capture, s.fault
	s.mu.Unlock()
	if c != nil && c.origin == s {
		_, _ = c.finish()
	}
	return fault
}

// stream finds a stream of the device dev; 0 is the default one.
func (d *Driver) stream(dev int, call string, h device.Handle) (*stream, error) {
	if err := d.device(dev, call); err != nil || h == 0 {
		if err != nil {
			return nil, err
		}
		return d.defaults[dev], nil
	}
	return own[*stream](d, dev, call, "stream", h)
}

// queue appends an operation to a stream of the device dev.
func (d *Driver) queue(dev int, call string, h device.Handle, o *op) error {
	s, err := d.stream(dev, call, h)
	if err != nil {
		return err
	}
	_, err = s.add(call, o, nil)
	return err
}

// NewStream makes a stream; there is one priority.
func (d *Driver) NewStream(dev, _ int) (device.Handle, error) {
	if err := d.device(dev, "NewStream"); err != nil {
		return 0, err
	}
	return d.objects.add(newStream(dev, &d.memory.queues)), nil
}

// Priorities are 0 and 0: goroutines have none.
func (d *Driver) Priorities(dev int) (least, greatest int, err error) {
	return 0, 0, d.device(dev, "Priorities")
}

// DestroyStream lets what is queued run to its end, and brings a fault that there is.
func (d *Driver) DestroyStream(dev int, h device.Handle) error {
	s, err := remove[*stream](d, dev, "DestroyStream", "stream", h)
	if err != nil {
		return err
	}
	return s.close()
}

// StreamDone says whether all that was queued is done.
func (d *Driver) StreamDone(dev int, h device.Handle) (bool, error) {
	s, err := d.stream(dev, "StreamDone", h)
	if err != nil {
		return false, err
	}
	return s.idle("StreamDone")
}

// StreamWait has later work wait for the last record of an event of any device.
func (d *Driver) StreamWait(dev int, h, e device.Handle) error {
	s, err := d.stream(dev, "StreamWait", h)
	if err != nil {
		return err
	}
	ev, err := find[*event](d, dev, "StreamWait", "event", e)
	if err != nil {
		return err
	}
	return s.wait(ev)
}

// WriteValue stores v at p in one piece.
func (d *Driver) WriteValue(dev int, h device.Handle, p device.Ptr, v uint64) error {
	if err := d.word(dev, "WriteValue", p); err != nil {
		return err
	}
	return d.queue(dev, "WriteValue", h, &op{kind: opWrite, dst: uintptr(p), value: v})
}

// WaitValue has later work wait for the word at p, which another process may write.
func (d *Driver) WaitValue(dev int, h device.Handle, p device.Ptr, v uint64, c device.Compare) error {
	if err := d.word(dev, "WaitValue", p); err != nil {
		return err
	}
	if c < device.CompareGE || c > device.CompareAnd {
		return fail(dev, "WaitValue", device.ErrArgument, "%d is no way to compare", c)
	}
	return d.queue(dev, "WaitValue", h, &op{kind: opAwait, src: uintptr(p), value: v, compare: c})
}

// word checks an address of a 64-bit word.
func (d *Driver) word(dev int, call string, p device.Ptr) error {
	if p%8 != 0 {
		return fail(dev, call, device.ErrArgument, "the address %#x is not a multiple of 8", p)
	}
	return d.memory.check(dev, call, p, 8)
}

// queues are the streams that may have work: those that are not destroyed, and those
// that still work.
type queues struct {
	mu  sync.Mutex
	all map[*stream]struct{}
}

func (q *queues) add(s *stream) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all == nil {
		q.all = map[*stream]struct{}{}
	}
	q.all[s] = struct{}{}
}

func (q *queues) drop(s *stream) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.all, s)
}

// place is an operation of a stream.
type place struct {
	s      *stream
	number uint64
}

// passed says whether the stream is beyond it.
func (p place) passed() bool {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.s.done >= p.number
}

// ends are the last operations of all streams that have any.
func (q *queues) ends() []place {
	q.mu.Lock()
	list := make([]*stream, 0, len(q.all))
	for s := range q.all {
		list = append(list, s)
	}
	q.mu.Unlock() // a stream that ends takes this lock with its own one held
	var ends []place
	for _, s := range list {
		s.mu.Lock()
		if s.count > 0 {
			ends = append(ends, place{s, s.done + uint64(s.count)})
		}
		s.mu.Unlock()
	}
	return ends
}
