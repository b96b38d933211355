package host

import "github.com/goshmem/goshmem/internal/device"

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

// BeginCapture has later work of a stream recorded instead of done. As on GPUs it
// cannot be the default stream. Calls that ask for results spoil the capture: CopyIn,
// CopyOut, StreamDone.
func (d *Driver) BeginCapture(dev int, h device.Handle) error {
	s, err := d.stream(dev, "BeginCapture", h)
	if err != nil {
		return err
	}
	return s.join("BeginCapture", &capture{origin: s, members: map[*stream]*member{}})
}

// Capturing says whether work of a stream is recorded.
func (d *Driver) Capturing(dev int, h device.Handle) (bool, error) {
	s, err := d.stream(dev, "Capturing", h)
	if err != nil {
		return false, err
	}
	s.Lock()
	defer s.Unlock()
	return s.capture != nil, nil
}

// EndCapture returns what was recorded in the stream that it began with, and in those
// that joined it.
func (d *Driver) EndCapture(dev int, h device.Handle) (device.Handle, error) {
	s, err := d.stream(dev, "EndCapture", h)
	if err != nil {
		return 0, err
	}
	s.Lock()
	c := s.capture
	s.Unlock()
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
