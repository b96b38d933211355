package gpu

import (
	"context"
	"fmt"
	"time"

	"github.com/goshmem/goshmem/internal/device"
)

// Event marks a place in a stream: it happens when the work before that place is done.
type Event struct {
	d      *Device
	h      device.Handle
	timing bool
	life
}

// EventOptions say what event to make. The zero value is right for ordering.
type EventOptions struct {
	Timing bool // for Since; an event without is cheaper
}

// NewEvent makes an event. At most one options value may be given. CUDA: cuEventCreate;
// HIP: hipEventCreateWithFlags.
func (d *Device) NewEvent(options ...EventOptions) (*Event, error) {
	const op = "new event"
	if d == nil {
		return nil, noDevice(op)
	}
	o, err := atMostOne(options)
	if err != nil {
		return nil, fail(d, op, err)
	}
	h, err := d.driver().NewEvent(d.index, o.Timing)
	if err != nil {
		return nil, fail(d, op, err)
	}
	return &Event{d: d, h: h, timing: o.Timing}, nil
}

// Record makes an event and records it in the stream. At most one options value may be
// given.
func (s *Stream) Record(options ...EventOptions) (*Event, error) {
	if err := s.alive(); err != nil {
		return nil, fail(s.Device(), "record", err)
	}
	e, err := s.d.NewEvent(options...)
	if err != nil {
		return nil, err
	}
	err = e.Record(s)
	if err == nil {
		return e, nil
	}
	if closed := e.Close(); closed != nil {
		err = fail(s.d, "record", fmt.Errorf("%w, and then: %w", err, closed))
	}
	return nil, err
}

// Device returns the device of the event, nil for a nil *Event.
func (e *Event) Device() *Device {
	if e == nil {
		return nil
	}
	return e.d
}

// Handle is what vendors' libraries know the event by (CUevent, hipEvent_t).
func (e *Event) Handle() uintptr { return uintptr(e.h) }

func (e *Event) alive() error {
	switch {
	case e == nil:
		return problem(ErrArgument, "no event")
	case e.ended():
		return problem(ErrClosed, "the event is closed")
	}
	return nil
}

// do runs a call on an event that must be alive.
func (e *Event) do(op string, call func(drv device.Driver, dev int) error) error {
	if err := e.alive(); err != nil {
		return fail(e.Device(), op, err)
	}
	return fail(e.d, op, call(e.d.driver(), e.d.index))
}

// Record has the event happen when the work that is in the stream now is done. An event
// that is recorded again forgets the place before. CUDA: cuEventRecord; HIP:
// hipEventRecord.
func (e *Event) Record(s *Stream) error {
	return e.do("record", func(drv device.Driver, dev int) error {
		h, err := s.On(e.d)
		if err != nil {
			return err
		}
		return drv.Record(dev, e.h, h)
	})
}

// Query says whether the event has happened; one that was never recorded has. CUDA:
// cuEventQuery; HIP: hipEventQuery.
func (e *Event) Query() (done bool, err error) {
	err = e.do("query", func(drv device.Driver, dev int) (err error) {
		done, err = drv.EventDone(dev, e.h)
		return err
	})
	return done, err
}

// Synchronize waits until the event has happened, as [Stream.Synchronize] waits. CUDA:
// cuEventSynchronize; HIP: hipEventSynchronize.
func (e *Event) Synchronize(ctx context.Context) error {
	return e.do("synchronize", func(drv device.Driver, dev int) error {
		return await(ctx, func() (bool, error) { return drv.EventDone(dev, e.h) })
	})
}

// Since returns the time that passed from the event from to this one, on the device.
// Both must be of this device, with timing, and have happened. CUDA:
// cuEventElapsedTime; HIP: hipEventElapsedTime.
func (e *Event) Since(from *Event) (passed time.Duration, err error) {
	err = e.do("elapsed", func(drv device.Driver, dev int) (err error) {
		if err = from.alive(); err != nil {
			return err
		}
		switch {
		case from.d != e.d:
			return problem(ErrArgument, "events of %v and %v: their clocks differ", from.d, e.d)
		case !from.timing || !e.timing:
			return problem(ErrArgument, "an event without timing: make it with EventOptions{Timing: true}")
		}
		passed, err = drv.Elapsed(dev, from.h, e.h)
		return err
	})
	return passed, err
}

// Close ends the use of the event. More than once does no harm. CUDA: cuEventDestroy;
// HIP: hipEventDestroy.
func (e *Event) Close() error {
	if e == nil || !e.end() {
		return nil
	}
	return fail(e.d, "close event", e.d.driver().DestroyEvent(e.d.index, e.h))
}
