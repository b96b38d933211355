package host

import (
	"errors"
	"runtime"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
)

// TestDoIsOrdered: a function has its turn behind what is before it, and what is behind
// it waits for its end.
func TestDoIsOrdered(t *testing.T) {
	d := start(t, 1)
	p, s := memoryOf(t, d, 0, 16), streamOf(t, d, 0)
	put(t, d, 0, p, 0, 1, 0)
	open := gate(t, d, 0, s)
	ok(t, d.WriteValue(0, s, p, 2))
	seen := uint64(0)
	queued := must[bool](t)(d.Do(0, s, func(turn device.Turn) error {
		runtime.Gosched()
		seen = *word(uintptr(p))
		*word(uintptr(p) + 8) = 7
		return nil
	}))
	ok(t, d.Copy(0, p, p+8, 8, s))
	open()
	if got := get(t, d, 0, p, s, 2); !queued || seen != 2 || got[0] != 7 {
		t.Errorf("queued %v, seen %d, left %d", queued, seen, got)
	}
}

// TestDoInGraph: what is captured is called at every launch of the graph, and told so.
func TestDoInGraph(t *testing.T) {
	d := start(t, 1)
	s := streamOf(t, d, 0)
	calls, again := 0, true
	ok(t, d.BeginCapture(0, s))
	queued := must[bool](t)(d.Do(0, s, func(turn device.Turn) error {
		calls++
		again = again && turn.Again
		return nil
	}))
	g := must[device.Handle](t)(d.EndCapture(0, s))
	for range 3 {
		ok(t, d.LaunchGraph(0, g, s))
	}
	settle(t, d, 0, s)
	if queued || calls != 3 || !again {
		t.Errorf("queued %v, called %d times, as a part of a graph: %v", queued, calls, again)
	}
}

// TestDoFails: an error, a panic and the end of the goroutine are faults, which functions
// behind them are told of, and which leave theirs alone.
func TestDoFails(t *testing.T) {
	mine := errors.New("mine")
	for text, f := range map[string]func() error{
		"mine": func() error { return mine },
		"the function panicked: oh, at call_test.go": func() error { panic("oh") },
		"the function has ended its goroutine":       func() error { runtime.Goexit(); return nil },
	} {
		d := start(t, 1)
		s, held, told := streamOf(t, d, 0), make(chan struct{}), make(chan error, 1)
		must[bool](t)(d.Do(0, s, func(device.Turn) error { <-held; return f() }))
		must[bool](t)(d.Do(0, s, func(turn device.Turn) error { told <- turn.Fault; return errors.New("another") }))
		close(held)
		want(t, <-told, device.ErrFault, text)
		_, err := d.Do(0, s, func(device.Turn) error { return nil })
		want(t, err, device.ErrFault, text)
		if text == "mine" && !errors.Is(err, mine) {
			t.Errorf("%v is not the error of the function", err)
		}
	}
}
