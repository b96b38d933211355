package host

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
)

// settle waits until a stream is done.
func settle(t testing.TB, d *Driver, dev int, s device.Handle) {
	t.Helper()
	for !must[bool](t)(d.StreamDone(dev, s)) {
		runtime.Gosched()
	}
}

// gate holds a stream until open is called.
func gate(t testing.TB, d *Driver, dev int, s device.Handle) (open func()) {
	t.Helper()
	p := memoryOf(t, d, dev, 8)
	*word(uintptr(p)) = 0
	ok(t, d.WaitValue(dev, s, p, 1, device.CompareGE))
	other := streamOf(t, d, dev)
	return func() {
		t.Helper()
		ok(t, d.WriteValue(dev, other, p, 1))
		settle(t, d, dev, other)
		settle(t, d, dev, s)
	}
}

func TestStreamsAreOrderedAndConcurrent(t *testing.T) {
	d := start(t, 1)
	p, s := memoryOf(t, d, 0, 16), streamOf(t, d, 0)
	put(t, d, 0, p, 0, 1, 2)
	open := gate(t, d, 0, s)
	ok(t, d.Copy(0, p, p+8, 8, s))
	ok(t, d.WriteValue(0, s, p+8, 3))
	if must[bool](t)(d.StreamDone(0, s)) {
		t.Error("a stream that is held is done")
	}
	if got := get(t, d, 0, p, 0, 2); got[0] != 1 || got[1] != 2 {
		t.Errorf("%d: work was done before its time", got)
	}
	open()
	if got := get(t, d, 0, p, 0, 2); got[0] != 2 || got[1] != 3 {
		t.Errorf("%d: work was not done in its order", got)
	}
}

func TestWaitValueCompares(t *testing.T) {
	d := start(t, 1)
	p := memoryOf(t, d, 0, 16)
	for _, c := range []struct {
		compare        device.Compare
		value, no, yes uint64
	}{
		{device.CompareGE, 5, 4, 6},
		{device.CompareGE, 1, ^uint64(0), 1}, // the difference counts, as a signed number
		{device.CompareEQ, 5, 6, 5},
		{device.CompareAnd, 6, 9, 4},
	} {
		o := op{value: c.value, compare: c.compare}
		if o.holds(c.no) || !o.holds(c.yes) {
			t.Errorf("compare %d: %d holds for %d, or %d does not", c.compare, c.no, c.value, c.yes)
		}
		s := streamOf(t, d, 0)
		put(t, d, 0, p, 0, c.no, 0)
		ok(t, d.WaitValue(0, s, p, c.value, c.compare))
		ok(t, d.WriteValue(0, s, p+8, 1))
		if got := get(t, d, 0, p, 0, 2); got[1] != 0 {
			t.Errorf("compare %d: %d passes for %d", c.compare, c.no, c.value)
		}
		ok(t, d.WriteValue(0, 0, p, c.yes))
		settle(t, d, 0, s)
		ok(t, d.DestroyStream(0, s))
	}
}

func TestDestroyedStreamFinishesItsWork(t *testing.T) {
	d := start(t, 1)
	p, s := memoryOf(t, d, 0, 16), streamOf(t, d, 0)
	put(t, d, 0, p, 0, 0, 0)
	ok(t, d.WaitValue(0, s, p, 1, device.CompareEQ))
	ok(t, d.WriteValue(0, s, p+8, 7))
	ok(t, d.DestroyStream(0, s))
	want(t, d.WriteValue(0, s, p, 1), device.ErrClosed, "stream", "destroyed")
	want(t, d.DestroyStream(0, s), device.ErrClosed)
	ok(t, d.WriteValue(0, 0, p, 1))
	ok(t, d.WaitValue(0, 0, p+8, 7, device.CompareEQ))
	settle(t, d, 0, 0)
	for known := 2; known > 1; runtime.Gosched() { // it is forgotten with its last operation
		d.memory.queues.mu.Lock()
		known = len(d.memory.queues.all)
		d.memory.queues.mu.Unlock()
	}
}

func TestHandlesOfOthers(t *testing.T) {
	d := start(t, 2)
	s, e := streamOf(t, d, 0), must[device.Handle](t)(d.NewEvent(0, true))
	p := memoryOf(t, d, 0, 8)
	other := must[device.Handle](t)(d.NewEvent(1, true))
	want(t, d.WriteValue(1, s, p, 1), device.ErrArgument, "host:1", "belongs to device 0")
	want(t, d.WriteValue(0, e, p, 1), device.ErrArgument, "is no stream")
	want(t, d.WriteValue(0, 99, p, 1), device.ErrArgument, "99 is no stream")
	want(t, d.WriteValue(2, 0, p, 1), device.ErrNoDevice)
	want(t, d.Record(0, other, s), device.ErrArgument, "belongs to device 1")
	want(t, d.Record(0, s, s), device.ErrArgument, "is no event")
	want(t, d.StreamWait(0, s, s), device.ErrArgument, "is no event")
	want(t, d.DestroyEvent(1, e), device.ErrArgument, "belongs to device 0")
	want(t, d.DestroyStream(0, 0), device.ErrArgument)
	ok(t, d.StreamWait(0, s, other))
	ok(t, d.DestroyEvent(0, e))
	want(t, d.Record(0, e, s), device.ErrClosed, "event", "destroyed")
}

// TestIdleStreamsHaveNoGoroutine: a thousand streams cost memory only.
func TestIdleStreamsHaveNoGoroutine(t *testing.T) {
	d := start(t, 1)
	p := memoryOf(t, d, 0, 8)
	for range 1000 {
		ok(t, d.WriteValue(0, streamOf(t, d, 0), p, 1))
	}
	stacks := make([]byte, 1<<20)
	for working := true; working; runtime.Gosched() {
		working = bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("(*stream).work"))
	}
}

// TestFullQueueHoldsTheCaller has one goroutine queue more than fits.
func TestFullQueueHoldsTheCaller(t *testing.T) {
	d := start(t, 1)
	p, s := memoryOf(t, d, 0, 8), streamOf(t, d, 0)
	open := gate(t, d, 0, s)
	failed := make(chan error, 1)
	go func() {
		for i := range 2 * mostRoom {
			if err := d.WriteValue(0, s, p, uint64(i)); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	in := must[*stream](t)(d.stream(0, "", s))
	for waiting := false; !waiting; runtime.Gosched() {
		in.mu.Lock()
		waiting = in.count == mostRoom
		in.mu.Unlock()
	}
	open()
	ok(t, <-failed)
	if got := get(t, d, 0, p, s, 1); got[0] != 2*mostRoom-1 {
		t.Errorf("the last value is %d", got[0])
	}
	if len(in.ring) > mostRoom {
		t.Errorf("the queue has room for %d", len(in.ring))
	}
}

func TestFaultsStayWithTheirStream(t *testing.T) {
	d := start(t, 1)
	s, follower, free := streamOf(t, d, 0), streamOf(t, d, 0), streamOf(t, d, 0)
	p, e := memoryOf(t, d, 0, 8), must[device.Handle](t)(d.NewEvent(0, true))
	put(t, d, 0, p, 0, 1)
	ok(t, d.StreamWait(0, follower, e)) // never recorded: no wait
	open := gate(t, d, 0, free)
	ok(t, d.Copy(0, p, 4096, 8, s)) // where nothing is
	err := d.WriteValue(0, s, p, 2)
	if err == nil {
		err = d.Record(0, e, s)
	}
	for err == nil {
		_, err = d.StreamDone(0, s)
	}
	for name, again := range map[string]error{
		"first": err, "Record": d.Record(0, e, s), "Copy": d.Copy(0, p, p, 8, s), "CopyOut": d.CopyOut(0, nil, p, 8, s),
		"StreamWait": d.StreamWait(0, s, e), "BeginCapture": d.BeginCapture(0, s), "DestroyStream": d.DestroyStream(0, s),
	} {
		t.Run(name, func(t *testing.T) {
			want(t, again, device.ErrFault, "host:0: Copy", "a fault in a stream", "nothing can be at the address 0x1000")
		})
	}
	open()
	if got := get(t, d, 0, p, free, 1); got[0] != 1 {
		t.Errorf("work behind a fault was done: %d", got[0])
	}
}

// TestFaultsFollowEvents: what waits for work that never came has the fault, too.
func TestFaultsFollowEvents(t *testing.T) {
	d := start(t, 1)
	s, follower := streamOf(t, d, 0), streamOf(t, d, 0)
	p, e := memoryOf(t, d, 0, 16), must[device.Handle](t)(d.NewEvent(0, true))
	put(t, d, 0, p, 0, 0, 0)
	ok(t, d.WaitValue(0, s, p, 1, device.CompareEQ))
	ok(t, d.Copy(0, p, 4096, 8, s))
	ok(t, d.Record(0, e, s))
	ok(t, d.StreamWait(0, follower, e))
	ok(t, d.WriteValue(0, follower, p+8, 1))
	if must[bool](t)(d.EventDone(0, e)) {
		t.Error("an event has happened before its time")
	}
	ok(t, d.WriteValue(0, 0, p, 1))
	var err error
	for err == nil {
		_, err = d.StreamDone(0, follower)
	}
	want(t, err, device.ErrFault, "Copy")
	_, err = d.EventDone(0, e)
	want(t, err, device.ErrFault, "Copy")
	if got := get(t, d, 0, p, 0, 2); got[1] != 0 {
		t.Error("work behind the wait was done")
	}
}
