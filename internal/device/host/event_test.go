package host

import (
	"testing"

	"github.com/goshmem/goshmem/internal/device"
)

func eventOf(t testing.TB, d *Driver, dev int, timing bool) device.Handle {
	t.Helper()
	return must[device.Handle](t)(d.NewEvent(dev, timing))
}

func TestEvents(t *testing.T) {
	d := start(t, 2)
	p, s, e := memoryOf(t, d, 0, 16), streamOf(t, d, 0), eventOf(t, d, 0, false)
	if !must[bool](t)(d.EventDone(0, e)) {
		t.Error("an event that was never recorded has not happened")
	}
	put(t, d, 0, p, 0, 0, 0)
	open := gate(t, d, 0, s)
	ok(t, d.WriteValue(0, s, p, 5))
	ok(t, d.Record(0, e, s))
	ok(t, d.StreamWait(1, 0, e)) // a stream of another device
	ok(t, d.Copy(1, p+8, p, 8, 0))
	if must[bool](t)(d.EventDone(0, e)) {
		t.Error("the event has happened before the work")
	}
	ok(t, d.DestroyEvent(0, e)) // the wait for it stays
	open()
	if got := get(t, d, 1, p, 0, 2); got[1] != 5 {
		t.Errorf("%d was copied before the event", got[1])
	}
}

// TestRecordAgain records an event anew in a faster stream: waits and questions are
// each for the last record there was.
func TestRecordAgain(t *testing.T) {
	d := start(t, 1)
	p, slow, waits := memoryOf(t, d, 0, 16), streamOf(t, d, 0), streamOf(t, d, 0)
	e := eventOf(t, d, 0, false)
	put(t, d, 0, p, 0, 0, 0)
	open := gate(t, d, 0, slow)
	ok(t, d.WriteValue(0, slow, p, 5))
	ok(t, d.Record(0, e, slow))
	ok(t, d.StreamWait(0, waits, e))
	ok(t, d.Copy(0, p+8, p, 8, waits))
	ok(t, d.Record(0, e, 0))
	settle(t, d, 0, 0)
	if !must[bool](t)(d.EventDone(0, e)) {
		t.Error("the last record has not happened")
	}
	if must[bool](t)(d.StreamDone(0, waits)) {
		t.Error("the wait for the first record is over")
	}
	open()
	if got := get(t, d, 0, p, waits, 2); got[1] != 5 {
		t.Errorf("%d: the wait was not for the first record", got[1])
	}
}

// TestOldRecords: an event is about its last record, whatever becomes of older ones.
func TestOldRecords(t *testing.T) {
	d := start(t, 1)
	p, bad, held, waits := memoryOf(t, d, 0, 8), streamOf(t, d, 0), streamOf(t, d, 0), streamOf(t, d, 0)
	e := eventOf(t, d, 0, false)
	put(t, d, 0, p, 0, 0)
	ok(t, d.WaitValue(0, bad, p, 1, device.CompareEQ))
	ok(t, d.Copy(0, p, 4096, 8, bad))
	ok(t, d.Record(0, e, bad))
	ok(t, d.Record(0, e, 0))
	ok(t, d.StreamWait(0, waits, e))
	open := gate(t, d, 0, held)
	ok(t, d.Record(0, e, held))
	settle(t, d, 0, waits) // neither the record before its own nor the one behind holds it
	ok(t, d.WriteValue(0, 0, p, 1))
	var err error
	for err == nil {
		_, err = d.StreamDone(0, bad)
	}
	want(t, err, device.ErrFault)
	if must[bool](t)(d.EventDone(0, e)) {
		t.Error("the last record has not happened")
	}
	open()
	if !must[bool](t)(d.EventDone(0, e)) {
		t.Error("the last record has happened")
	}
}

func TestElapsed(t *testing.T) {
	d := start(t, 2)
	s := streamOf(t, d, 0)
	a, b := eventOf(t, d, 0, true), eventOf(t, d, 0, true)
	plain, far := eventOf(t, d, 0, false), eventOf(t, d, 1, true)
	_, err := d.Elapsed(0, a, b)
	want(t, err, device.ErrArgument, "never recorded")
	ok(t, d.Record(0, a, s))
	open := gate(t, d, 0, s)
	ok(t, d.Record(0, b, s))
	_, err = d.Elapsed(0, a, b)
	want(t, err, device.ErrBusy, "not happened")
	open()
	there, err := d.Elapsed(0, a, b)
	ok(t, err)
	back, err := d.Elapsed(0, b, a)
	ok(t, err)
	if there <= 0 || back != -there {
		t.Errorf("%v there and %v back", there, back)
	}
	_, err = d.Elapsed(0, a, plain)
	want(t, err, device.ErrArgument, "without timing")
	_, err = d.Elapsed(0, a, far)
	want(t, err, device.ErrArgument, "belongs to device 1")
}
