package host

import (
	"slices"
	"sync"
	"time"

	"github.com/goshmem/goshmem/internal/device"
)

// event marks places in streams. It may be recorded again before it has happened, and
// in another stream, which may be faster: so what is open are numbers of records.
type event struct {
	dev    int
	timing bool

	mu       sync.Mutex
	changed  sync.Cond
	last     uint64   // the last record
	open     []uint64 // records that have not happened
	at       time.Time
	fault    error // of the stream, at the last record that has happened
	captured mark  // recorded while its stream was captured
}

func (e *event) home() int { return e.dev }

// start opens a record.
func (e *event) start() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.captured = mark{}
	e.last++
	e.open = append(e.open, e.last)
	return e.last
}

// latest is the record that a wait is for.
func (e *event) latest() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}

// happen closes a record.
func (e *event) happen(record uint64, fault error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.Index(e.open, record) // nearly always the first
	e.open = slices.Delete(e.open, i, i+1)
	if record == e.last {
		e.at, e.fault = time.Now(), fault
	}
	e.changed.Broadcast()
}

// await waits for a record. It returns the fault of the stream that it was in.
func (e *event) await(record uint64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for slices.Contains(e.open, record) {
		e.changed.Wait()
	}
	if record == e.last {
		return e.fault
	}
	return nil
}

// state says whether the last record has happened, and when.
func (e *event) state(call string) (happened bool, at time.Time, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.captured.in != nil {
		return false, e.at, fail(e.dev, call, device.ErrArgument, "the event was recorded in a capture")
	}
	return !slices.Contains(e.open, e.last), e.at, e.fault
}

// NewEvent makes an event.
func (d *Driver) NewEvent(dev int, timing bool) (device.Handle, error) {
	if err := d.device(dev, "NewEvent"); err != nil {
		return 0, err
	}
	e := &event{dev: dev, timing: timing}
	e.changed.L = &e.mu
	return d.objects.add(e), nil
}

// DestroyEvent takes the handle out of use; what waits for the event goes on waiting.
func (d *Driver) DestroyEvent(dev int, h device.Handle) error {
	_, err := remove[*event](d, dev, "DestroyEvent", "event", h)
	return err
}

// Record has the event happen when the work that is in the stream is done.
func (d *Driver) Record(dev int, h, s device.Handle) error {
	e, err := own[*event](d, dev, "Record", "event", h)
	if err != nil {
		return err
	}
	in, err := d.stream(dev, "Record", s)
	if err != nil {
		return err
	}
	_, err = in.add("Record", &op{kind: opRecord, event: e}, nil)
	return err
}

// EventDone says whether the event has happened. It brings a fault of its stream.
func (d *Driver) EventDone(dev int, h device.Handle) (bool, error) {
	e, err := own[*event](d, dev, "EventDone", "event", h)
	if err != nil {
		return false, err
	}
	done, _, err := e.state("EventDone")
	return done, err
}

// Elapsed is the time between two events with timing that have happened, by the
// monotonic clock.
func (d *Driver) Elapsed(dev int, from, to device.Handle) (time.Duration, error) {
	a, err := d.stamp(dev, from)
	if err != nil {
		return 0, err
	}
	b, err := d.stamp(dev, to)
	return b.Sub(a), err
}

// stamp is when an event has happened.
func (d *Driver) stamp(dev int, h device.Handle) (time.Time, error) {
	const call = "Elapsed"
	e, err := own[*event](d, dev, call, "event", h)
	if err != nil {
		return time.Time{}, err
	}
	done, at, err := e.state(call)
	switch {
	case err != nil:
		return at, err
	case !e.timing:
		return at, fail(dev, call, device.ErrArgument, "the event %d was made without timing", h)
	case !done:
		return at, fail(dev, call, device.ErrBusy, "the event %d has not happened yet", h)
	case at.IsZero():
		return at, fail(dev, call, device.ErrArgument, "the event %d was never recorded", h)
	}
	return at, nil
}
