package vendor

import (
	"math"
	"time"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
)

// NewEvent makes an event.
func (d *driver) NewEvent(dev int, timing bool) (device.Handle, error) {
	flags := d.flags.noTiming
	if timing {
		flags = 0
	}
	h, err := d.make(dev, abi.OpEvent, flags)
	return device.Handle(h), err
}

// DestroyEvent gives it back.
func (d *driver) DestroyEvent(dev int, e device.Handle) error {
	return d.do(dev, abi.OpEventDestroy, uintptr(e))
}

// Record has the event happen when the work that is in the stream is done.
func (d *driver) Record(dev int, e, s device.Handle) error {
	return d.do(dev, abi.OpRecord, uintptr(e), uintptr(s))
}

// EventDone says whether the event has happened.
func (d *driver) EventDone(dev int, e device.Handle) (bool, error) {
	return d.query(dev, abi.OpEventQuery, uintptr(e))
}

// Elapsed is the time between two events. The library counts in milliseconds.
func (d *driver) Elapsed(dev int, from, to device.Handle) (time.Duration, error) {
	s, err := d.enter(dev)
	if err != nil {
		return 0, err
	}
	defer s.leave()
	word, err := s.word(abi.OpElapsed, uintptr(from), uintptr(to))
	passed := math.Float32frombits(uint32(word))
	return time.Duration(float64(passed) * float64(time.Millisecond)), err
}
