package vendor

import (
	"errors"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
)

// BeginCapture records later work of a stream. The mode is the relaxed one, since any
// other is about threads, which goroutines change.
func (d *driver) BeginCapture(dev int, s device.Handle) error {
	return d.do(dev, abi.OpBeginCapture, uintptr(s), d.flags.relaxed)
}

// Capturing says whether work of a stream is recorded. What the library answers is 0 where
// nothing is. The default stream cannot be captured.
func (d *driver) Capturing(dev int, stream device.Handle) (bool, error) {
	if d.fn[abi.OpCapturing] == 0 || stream == 0 {
		return false, nil
	}
	s, err := d.enter(dev)
	if err != nil {
		return false, err
	}
	defer s.leave()
	return s.capturing(stream)
}

// capturing calls for a status, which is stored where the second argument says.
func (s *session) capturing(stream device.Handle) (bool, error) {
	state := dl.Out[int32](s.scratch())
	err := s.call(abi.OpCapturing, uintptr(stream), dl.Addr(state))
	return *state != 0, err
}

// EndCapture returns what was recorded, ready to be launched.
func (d *driver) EndCapture(dev int, stream device.Handle) (device.Handle, error) {
	s, err := d.enter(dev)
	if err != nil {
		return 0, err
	}
	defer s.leave()
	graph := dl.Out[uintptr](s.scratch())
	if err := s.call(abi.OpEndCapture, uintptr(stream), dl.Addr(graph)); err != nil {
		return 0, err
	}
	ready, err := s.word(abi.OpInstantiate, *graph, 0)
	if err := errors.Join(err, s.call(abi.OpGraphDestroy, *graph)); err != nil {
		return 0, err
	}
	return device.Handle(ready), nil
}

// LaunchGraph replays it.
func (d *driver) LaunchGraph(dev int, g, s device.Handle) error {
	return d.do(dev, abi.OpGraphLaunch, uintptr(g), uintptr(s))
}

// DestroyGraph gives it back.
func (d *driver) DestroyGraph(dev int, g device.Handle) error {
	return d.do(dev, abi.OpExecDestroy, uintptr(g))
}
