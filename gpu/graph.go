package gpu

import (
	"github.com/goshmem/goshmem/internal/device"
)

// Graph is work that was recorded once and can be queued again with one call.
type Graph struct {
	d *Device
	h device.Handle
	life
}

// BeginCapture has later work of the stream recorded instead of done. The default
// stream cannot be captured. Calls that wait for the stream are errors until EndCapture,
// and spoil the capture. CUDA: cuStreamBeginCapture (10.1); HIP: hipStreamBeginCapture
// (4.3).
func (s *Stream) BeginCapture() error {
	return s.do("begin capture", func(drv device.Driver, dev int) error {
		if s.h == 0 {
			return problem(ErrArgument, "the default stream cannot be captured: use a stream of NewStream")
		}
		err := drv.BeginCapture(dev, s.h)
		s.capturing.Store(err == nil || s.capturing.Load())
		return err
	})
}

// Capturing says whether work of the stream is recorded instead of done: since BeginCapture,
// or since it has joined the capture of another stream, which not every library tells. CUDA:
// cuStreamIsCapturing; HIP: hipStreamIsCapturing.
func (s *Stream) Capturing() bool {
	if s.alive() != nil || s.h == 0 {
		return false
	}
	joined, err := s.d.driver().Capturing(s.d.index, s.h)
	return s.capturing.Load() || err == nil && joined
}

// EndCapture returns what was recorded since BeginCapture. CUDA: cuStreamEndCapture,
// cuGraphInstantiateWithFlags (11.4); HIP: hipStreamEndCapture,
// hipGraphInstantiateWithFlags (4.5).
func (s *Stream) EndCapture() (*Graph, error) {
	g := &Graph{}
	err := s.do("end capture", func(drv device.Driver, dev int) (err error) {
		g.d = s.d
		g.h, err = drv.EndCapture(dev, s.h)
		s.capturing.Store(false)
		return err
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Launch queues the recorded work in a stream, and returns before it is done. The memory, modules and events that it
// uses must not have been closed. CUDA: cuGraphLaunch; HIP: hipGraphLaunch.
func (g *Graph) Launch(s *Stream) error {
	const op = "launch graph"
	if g == nil {
		return fail(nil, op, problem(ErrArgument, "no graph"))
	}
	if g.ended() {
		return fail(g.d, op, problem(ErrClosed, "the graph is closed"))
	}
	h, err := s.On(g.d)
	if err == nil {
		err = g.d.driver().LaunchGraph(g.d.index, g.h, h)
	}
	return fail(g.d, op, err)
}

// Close ends the use of the graph. More than once does no harm. CUDA:
// cuGraphExecDestroy; HIP: hipGraphExecDestroy.
func (g *Graph) Close() error {
	if g == nil || !g.end() {
		return nil
	}
	return fail(g.d, "close graph", g.d.driver().DestroyGraph(g.d.index, g.h))
}
