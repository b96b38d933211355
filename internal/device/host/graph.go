package host

import (
	"sync"

	"github.com/goshmem/goshmem/internal/device"
)

// graph is recorded work. The order in which it was recorded is one that its events
// allow, also when several streams took part, so a replay does one after the other.
type graph struct {
	dev int
	ops []op
}

func (g *graph) home() int { return g.dev }

// replay does it all, up to a fault.
func (g *graph) replay(s *stream) error {
	for i := range g.ops {
		if err := g.ops[i].do(s, nil); err != nil {
			return err
		}
	}
	return nil
}

// capture is a recording in progress. Streams that wait for an event recorded in it
// take part until its end.
type capture struct {
	mu      sync.Mutex
	origin  *stream
	streams []*stream
	ops     []op
	err     error // why it is no good any more
	over    bool
}

// add records an operation. An event only ties streams together.
func (c *capture) add(call string, dev int, o *op, args []uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
	case o.waits:
		c.err = spoilt(call, dev)
	case o.kind == opWait:
		c.err = fail(dev, call, device.ErrArgument, "a capture cannot wait for an event that was recorded outside of it")
	case o.kind == opRecord:
		o.event.capture(c)
	default:
		c.ops = append(c.ops, op{})
		c.ops[len(c.ops)-1].set(o, args)
	}
	return c.err
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
	streams, ops, err := c.streams, c.ops, c.err
	c.over = true
	c.mu.Unlock() // streams take this lock with their own one held
	for _, s := range streams {
		s.mu.Lock()
		s.capture = nil
		s.mu.Unlock()
	}
	return ops, err
}

// capture marks an event as recorded in a capture.
func (e *event) capture(c *capture) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.captured = c
}

func (e *event) capturedIn() *capture {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.captured
}

// join has a stream take part in a capture.
func (s *stream) join(call string, c *capture) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
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
	c.streams = append(c.streams, s)
	s.capture = c
	return nil
}

// wait has later work wait for an event, or join the capture in which it was recorded.
func (s *stream) wait(e *event) error {
	if c := e.capturedIn(); c != nil {
		return s.join("StreamWait", c)
	}
	_, err := s.add("StreamWait", &op{kind: opWait, event: e}, nil)
	return err
}

// BeginCapture has later work of a stream recorded instead of done. As on GPUs it
// cannot be the default stream. Calls that ask for results spoil the capture: CopyIn,
// CopyOut, StreamDone.
func (d *Driver) BeginCapture(dev int, h device.Handle) error {
	s, err := d.stream(dev, "BeginCapture", h)
	if err != nil {
		return err
	}
	return s.join("BeginCapture", &capture{origin: s})
}

// EndCapture returns what was recorded in the stream that it began with, and in those
// that joined it.
func (d *Driver) EndCapture(dev int, h device.Handle) (device.Handle, error) {
	s, err := d.stream(dev, "EndCapture", h)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	c := s.capture
	s.mu.Unlock()
	if c == nil || c.origin != s {
		return 0, fail(dev, "EndCapture", device.ErrArgument, "no capture began in the stream")
	}
	ops, err := c.finish()
	if err != nil {
		return 0, err
	}
	return d.objects.add(&graph{dev, ops}), nil
}

// LaunchGraph does what was recorded, as one operation of a stream.
func (d *Driver) LaunchGraph(dev int, h, s device.Handle) error {
	g, err := own[*graph](d, dev, "LaunchGraph", "graph", h)
	if err != nil {
		return err
	}
	return d.queue(dev, "LaunchGraph", s, &op{kind: opGraph, graph: g})
}

// DestroyGraph takes a graph out of use; launches of it that are queued are done.
func (d *Driver) DestroyGraph(dev int, h device.Handle) error {
	_, err := remove[*graph](d, dev, "DestroyGraph", "graph", h)
	return err
}
