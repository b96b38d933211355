package host

import (
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
)

func TestGraphRepeatsWhatWasRecorded(t *testing.T) {
	d := start(t, 1)
	p, s := memoryOf(t, d, 0, 32), streamOf(t, d, 0)
	add := kernel(t, d, 0, func(b Block) { *word(Arg[uintptr](b, 0)) += Arg[uint64](b, 1) }, 8, 8)
	put(t, d, 0, p, 0, 1, 1, 1, 1)
	at, n := uintptr(p), uint64(10)
	ok(t, d.BeginCapture(0, s))
	ok(t, d.Launch(0, add, one(unsafe.Pointer(&at), unsafe.Pointer(&n)), s))
	ok(t, d.Copy(0, p+8, p, 8, s))
	ok(t, d.Fill(0, p+16, 7, 1, 8, s))
	ok(t, d.WriteValue(0, s, p+24, 9))
	ok(t, d.WaitValue(0, s, p+24, 9, device.CompareEQ))
	at, n = 0, 0 // frozen at capture
	if !must[bool](t)(d.Capturing(0, s)) || must[bool](t)(d.Capturing(0, 0)) {
		t.Error("not the stream that is captured says so")
	}
	g := must[device.Handle](t)(d.EndCapture(0, s))
	if must[bool](t)(d.Capturing(0, s)) {
		t.Error("a stream says that it is captured, after that has ended")
	}
	if got := get(t, d, 0, p, s, 4); got != nil && got[0] != 1 {
		t.Errorf("%d: work was done while it was recorded", got)
	}
	for range 3 {
		ok(t, d.LaunchGraph(0, g, s))
	}
	ok(t, d.DestroyGraph(0, g)) // what is queued is done
	got := get(t, d, 0, p, s, 4)
	if got[0] != 31 || got[1] != 31 || got[2] != 0x0707070707070707 || got[3] != 9 {
		t.Errorf("%#x", got)
	}
	want(t, d.LaunchGraph(0, g, s), device.ErrClosed, "graph")
}

// TestCaptureOfTwoStreams: a second stream joins by an event and is free at the end.
func TestCaptureOfTwoStreams(t *testing.T) {
	d := start(t, 1)
	p, s, side := memoryOf(t, d, 0, 24), streamOf(t, d, 0), streamOf(t, d, 0)
	fork, join := eventOf(t, d, 0, false), eventOf(t, d, 0, false)
	put(t, d, 0, p, 0, 5, 0, 0)
	ok(t, d.BeginCapture(0, s))
	ok(t, d.Record(0, fork, s))
	ok(t, d.StreamWait(0, side, fork))
	ok(t, d.Copy(0, p+8, p, 8, side))
	ok(t, d.Record(0, join, side))
	ok(t, d.StreamWait(0, s, join))
	ok(t, d.Copy(0, p+16, p+8, 8, s))
	_, err := d.EndCapture(0, side)
	want(t, err, device.ErrArgument, "no capture began")
	g := must[device.Handle](t)(d.EndCapture(0, s))
	settle(t, d, 0, side)
	_, err = d.EventDone(0, join)
	want(t, err, device.ErrArgument, "recorded in a capture")
	want(t, d.StreamWait(0, side, join), device.ErrArgument, "has ended")
	if got := get(t, d, 0, p, 0, 3); got[1] != 0 || got[2] != 0 {
		t.Errorf("%d: work was done while it was recorded", got)
	}
	ok(t, d.LaunchGraph(0, g, 0))
	if got := get(t, d, 0, p, 0, 3); got[2] != 5 {
		t.Errorf("%d", got)
	}
	ok(t, d.Record(0, join, side)) // outside of a capture it is an event again
	settle(t, d, 0, side)
	if !must[bool](t)(d.EventDone(0, join)) {
		t.Error("the event has not happened")
	}
}

// TestCaptureThatLeavesAStreamBehind: as on GPUs, all that was forked is joined.
func TestCaptureThatLeavesAStreamBehind(t *testing.T) {
	d := start(t, 1)
	p, e := memoryOf(t, d, 0, 8), eventOf(t, d, 0, false)
	for name, c := range map[string]struct {
		back func(s, side device.Handle)
		fits bool
	}{
		"not at all": {func(_, _ device.Handle) {}, false},
		"early": {func(s, side device.Handle) {
			ok(t, d.Record(0, e, side))
			ok(t, d.WriteValue(0, side, p, 2))
			ok(t, d.StreamWait(0, s, e))
		}, false},
		"to itself": {func(_, side device.Handle) {
			ok(t, d.Record(0, e, side))
			ok(t, d.StreamWait(0, side, e))
		}, false},
		"at its end": {func(s, side device.Handle) {
			ok(t, d.Record(0, e, side))
			ok(t, d.StreamWait(0, s, e))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, side := streamOf(t, d, 0), streamOf(t, d, 0)
			ok(t, d.BeginCapture(0, s))
			ok(t, d.Record(0, e, s))
			ok(t, d.StreamWait(0, side, e))
			ok(t, d.WriteValue(0, side, p, 1))
			c.back(s, side)
			_, err := d.EndCapture(0, s)
			if c.fits {
				ok(t, err)
			} else {
				want(t, err, device.ErrArgument, "not joined back")
			}
			settle(t, d, 0, side)
		})
	}
}

// TestCaptureBehindAFault: work queued before the capture may fail in it.
func TestCaptureBehindAFault(t *testing.T) {
	d := start(t, 1)
	p, s := memoryOf(t, d, 0, 8), streamOf(t, d, 0)
	put(t, d, 0, p, 0, 0)
	ok(t, d.WaitValue(0, s, p, 1, device.CompareEQ))
	ok(t, d.Copy(0, p, 4096, 8, s))
	in := must[*stream](t)(d.stream(0, "", s))
	ok(t, d.BeginCapture(0, s))
	ok(t, d.WriteValue(0, 0, p, 1))
	if err := in.finish(2); err == nil {
		t.Fatal("no fault")
	}
	_, err := d.EndCapture(0, s)
	want(t, err, device.ErrFault, "Copy")
}

func TestSpoiltCaptures(t *testing.T) {
	d := start(t, 1)
	p, e := memoryOf(t, d, 0, 8), eventOf(t, d, 0, false)
	var w uint64
	for name, spoil := range map[string]func(s device.Handle) error{
		"CopyIn":     func(s device.Handle) error { return d.CopyIn(0, p, unsafe.Pointer(&w), 8, s) },
		"CopyOut":    func(s device.Handle) error { return d.CopyOut(0, unsafe.Pointer(&w), p, 8, s) },
		"StreamDone": func(s device.Handle) error { _, err := d.StreamDone(0, s); return err },
		"StreamWait": func(s device.Handle) error { return d.StreamWait(0, s, e) },
	} {
		t.Run(name, func(t *testing.T) {
			s := streamOf(t, d, 0)
			ok(t, d.BeginCapture(0, s))
			want(t, spoil(s), device.ErrArgument, name, "captur")
			want(t, d.WriteValue(0, s, p, 1), device.ErrArgument, name)
			_, err := d.EndCapture(0, s)
			want(t, err, device.ErrArgument, name)
			ok(t, d.WriteValue(0, s, p, 1)) // the stream is as before
			settle(t, d, 0, s)
		})
	}
}

func TestCapturesThatCannotBegin(t *testing.T) {
	d := start(t, 1)
	s, other, e := streamOf(t, d, 0), streamOf(t, d, 0), eventOf(t, d, 0, false)
	want(t, d.BeginCapture(0, 0), device.ErrArgument, "default stream")
	_, err := d.EndCapture(0, s)
	want(t, err, device.ErrArgument, "no capture")
	ok(t, d.BeginCapture(0, s))
	want(t, d.BeginCapture(0, s), device.ErrBusy)
	ok(t, d.Record(0, e, s))
	want(t, d.StreamWait(0, 0, e), device.ErrArgument, "default stream")
	ok(t, d.StreamWait(0, other, e))
	ok(t, d.DestroyStream(0, s)) // drops the capture, and lets the other stream go
	settle(t, d, 0, other)
}

func TestFaultInAGraph(t *testing.T) {
	d := start(t, 1)
	p, s := memoryOf(t, d, 0, 8), streamOf(t, d, 0)
	put(t, d, 0, p, 0, 1)
	ok(t, d.BeginCapture(0, s))
	ok(t, d.Copy(0, p, 4096, 8, s))
	ok(t, d.WriteValue(0, s, p, 2))
	g := must[device.Handle](t)(d.EndCapture(0, s))
	ok(t, d.LaunchGraph(0, g, s))
	var err error
	for err == nil {
		_, err = d.StreamDone(0, s)
	}
	want(t, err, device.ErrFault, "Copy")
	if got := get(t, d, 0, p, 0, 1); got[0] != 1 {
		t.Error("work behind a fault was done")
	}
}
