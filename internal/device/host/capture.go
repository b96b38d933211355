package host

import (
	"sync"

	"github.com/goshmem/goshmem/internal/device"
)

// capture is a recording in progress. Streams that wait for an event recorded in it
// take part until its end.
type capture struct {
	mu      sync.Mutex
	origin  *stream
	members map[*stream]*member
	clock   uint64
	ops     []op
	err     error // why it is no good any more
	over    bool
}

// member is a stream that takes part.
type member struct {
	last   uint64 // the clock at its last operation
	joined bool   // another stream waits for that
}

// mark is where in a capture an event was recorded.
type mark struct {
	in   *capture
	from *stream
	last uint64 // of the stream, then
}

// add records an operation of a stream. An event only ties streams together.
func (c *capture) add(call string, s *stream, o *op, args []uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.over && c.err == nil: // another goroutine ends it at this moment
		return fail(s.dev, call, device.ErrBusy, "the capture of the stream ends")
	case c.err != nil:
	case o.waits:
		c.err = spoilt(call, s.dev)
	case o.kind == opWait:
		c.err = fail(s.dev, call, device.ErrArgument, "a capture cannot wait for an event that was recorded outside of it")
	case o.kind == opRecord:
		o.event.capture(mark{c, s, c.members[s].last})
	default:
		c.ops = append(c.ops, op{})
		c.ops[len(c.ops)-1].set(o, args)
		c.ops[len(c.ops)-1].again = true
		c.advance(s)
	}
	return c.err
}

// advance notes that a stream has got something to do.
func (c *capture) advance(s *stream) {
	c.clock++
	*c.members[s] = member{last: c.clock}
}

// meet has a stream wait for an event of the capture, which joins the event's stream
// if nothing came after it there.
func (c *capture) meet(s *stream, m mark) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from := c.members[m.from]; from.last == m.last {
		from.joined = true
	}
	c.advance(s) // which undoes that for a stream that waits for itself
}

// spoil ends the use of a capture by a call that asks for results.
func (c *capture) spoil(call string, dev int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = spoilt(call, dev)
	}
	return c.err
}

func spoilt(call string, dev int) error {
	return fail(dev, call, device.ErrArgument, "the stream is being captured, and this call has spoilt that")
}

// finish returns what was recorded, and lets the streams go.
func (c *capture) finish() ([]op, error) {
	c.mu.Lock()
	c.over = true
	err := c.err
	for s, m := range c.members {
		if s != c.origin && !m.joined && err == nil {
			err = fail(s.dev, "EndCapture", device.ErrArgument, "a stream that joined the capture is not joined back: let the first one wait for an event at its end")
		}
	}
	c.mu.Unlock() // streams take this lock with their own one held
	for s := range c.members {
		s.Lock()
		s.capture = nil
		if s.fault != nil && err == nil { // of what was queued before
			err = s.fault
		}
		s.Unlock()
	}
	return c.ops, err
}

// join has a stream take part in a capture.
func (s *stream) join(call string, c *capture) error {
	s.Lock()
	defer s.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case s.closed:
		return fail(s.dev, call, device.ErrClosed, "the stream is destroyed")
	case s.fault != nil:
		return s.fault
	case s.standing:
		return fail(s.dev, call, device.ErrArgument, "the default stream cannot be captured: make one")
	case c.over:
		return fail(s.dev, call, device.ErrArgument, "the event was recorded in a capture that has ended")
	case s.capture == c:
		return nil
	case s.capture != nil:
		return fail(s.dev, call, device.ErrBusy, "the stream is being captured already")
	}
	c.members[s] = &member{}
	s.capture = c
	return nil
}

// wait has later work wait for an event, or join the capture in which it was recorded.
func (s *stream) wait(e *event) error {
	const call = "StreamWait"
	m := e.mark()
	if m.in == nil {
		_, err := s.add(call, &op{kind: opWait, event: e}, nil)
		return err
	}
	if err := s.join(call, m.in); err != nil {
		return err
	}
	m.in.meet(s, m)
	return nil
}

// capture marks an event as recorded in a capture.
func (e *event) capture(m mark) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.captured = m
}

func (e *event) mark() mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.captured
}
