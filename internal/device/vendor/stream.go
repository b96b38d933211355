package vendor

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
)

// NewStream makes a stream that does not wait for the default one.
func (d *driver) NewStream(dev, priority int) (device.Handle, error) {
	s, err := d.enter(dev)
	if err != nil {
		return 0, err
	}
	defer s.leave()
	least, greatest, err := s.priorities()
	if err != nil {
		return 0, err
	}
	priority = max(min(priority, least), greatest) // the greatest one is the lowest number
	h, err := s.word(abi.OpStream, d.flags.nonBlocking, uintptr(priority))
	return device.Handle(h), err
}

// Priorities are the numbers that make a difference.
func (d *driver) Priorities(dev int) (least, greatest int, err error) {
	s, err := d.enter(dev)
	if err != nil {
		return 0, 0, err
	}
	defer s.leave()
	return s.priorities()
}

func (s *session) priorities() (least, greatest int, err error) {
	low, high := dl.Out[int32](s.scratch()), dl.Out[int32](s.scratch())
	err = s.call(abi.OpPriorities, dl.Addr(low), dl.Addr(high))
	return int(*low), int(*high), err
}

// DestroyStream lets what is queued run to its end.
func (d *driver) DestroyStream(dev int, s device.Handle) error {
	return d.do(dev, abi.OpStreamDestroy, uintptr(s))
}

// StreamDone says whether all that was queued is done.
func (d *driver) StreamDone(dev int, s device.Handle) (bool, error) {
	return d.query(dev, abi.OpStreamQuery, uintptr(s))
}

func (d *driver) query(dev int, op abi.Op, handle uintptr) (bool, error) {
	s, err := d.enter(dev)
	if err != nil {
		return false, err
	}
	defer s.leave()
	return s.done(op, handle)
}

// StreamWait has later work wait for an event.
func (d *driver) StreamWait(dev int, s, event device.Handle) error {
	return d.do(dev, abi.OpStreamWait, uintptr(s), uintptr(event), 0)
}

// WriteValue stores v at p after the work before it.
func (d *driver) WriteValue(dev int, s device.Handle, p device.Ptr, v uint64) error {
	return d.do(dev, abi.OpWriteValue, uintptr(s), uintptr(p), uintptr(v), 0)
}

// WaitValue has later work wait until the word at p compares so with v. AMD says so of
// memory that was allocated for signals only, and compares unsigned numbers.
func (d *driver) WaitValue(dev int, s device.Handle, p device.Ptr, v uint64, c device.Compare) error {
	if c < 0 || int(c) >= len(d.flags.compare) {
		return fmt.Errorf("%s:%d: wait for a value with comparison %d: %w", d.name, dev, c, device.ErrArgument)
	}
	if d.waitMask {
		return d.do(dev, abi.OpWaitValue, uintptr(s), uintptr(p), uintptr(v), d.flags.compare[c], ^uintptr(0))
	}
	return d.do(dev, abi.OpWaitValue, uintptr(s), uintptr(p), uintptr(v), d.flags.compare[c])
}
