package host

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/device"
)

// job is a task of a test.
type job struct {
	soon    bool
	wait    chan struct{} // what Run waits for
	err     error
	mu      sync.Mutex
	starts  int
	runs    int
	dropped error
}

func (j *job) Start() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.starts++
	return j.soon
}

func (j *job) Run() error {
	if j.wait != nil {
		<-j.wait
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.runs++
	return j.err
}

func (j *job) Drop(fault error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dropped = fault
	return nil
}

func (j *job) did(t *testing.T, starts, runs int) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.starts != starts || j.runs != runs {
		t.Errorf("started %d times and run %d times, want %d and %d", j.starts, j.runs, starts, runs)
	}
}

func (j *job) give(t *testing.T, d *Driver, s device.Handle, eager bool, want Outcome) {
	t.Helper()
	if got, err := d.Perform(0, s, j, eager); got != want || err != nil {
		t.Fatalf("outcome %d (%v), want %d", got, err, want)
	}
}

// testStream is a stream of a driver that the end of the test closes.
func testStream(t *testing.T) (*Driver, device.Handle) {
	t.Helper()
	d, err := Open(1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d, s
}

func finish(t *testing.T, d *Driver, s device.Handle) error {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return d.Finish(ctx, 0, s)
}

// TestTasks does tasks at once, later, and behind what is queued while one is done.
func TestTasks(t *testing.T) {
	d, s := testStream(t)
	soon, late := &job{soon: true}, &job{}
	soon.give(t, d, s, true, Done)
	soon.did(t, 1, 1)
	soon.give(t, d, s, false, Queued)
	late.give(t, d, s, true, Queued)
	if err := finish(t, d, s); err != nil {
		t.Error(err)
	}
	soon.did(t, 2, 2)
	late.did(t, 1, 1)
	held, behind := &job{soon: true, wait: make(chan struct{})}, &job{soon: true}
	over := make(chan struct{})
	go func() {
		defer close(over)
		held.give(t, d, s, true, Done)
	}()
	for done := true; done; { // until the other goroutine is at work
		var err error
		if done, err = d.StreamDone(0, s); err != nil {
			t.Fatal(err)
		}
	}
	behind.give(t, d, s, true, Queued)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Finish(ctx, 0, s); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
	behind.did(t, 0, 0)
	close(held.wait)
	<-over
	if err := finish(t, d, s); err != nil {
		t.Error(err)
	}
	behind.did(t, 1, 1)
}

// stale is an error that everybody knows.
type stale struct{ error }

func (stale) Stale() bool { return true }

// TestTaskErrors has the error of a task told once, whenever it came.
func TestTaskErrors(t *testing.T) {
	d, s := testStream(t)
	broken := errors.New("broken")
	for _, bad := range []*job{{soon: true, err: broken}, {err: broken}} {
		want := Queued
		if bad.soon {
			want = Done
		}
		bad.give(t, d, s, true, want)
		if err := finish(t, d, s); !errors.Is(err, broken) {
			t.Errorf("the error is %v", err)
		}
		if err := finish(t, d, s); err != nil {
			t.Errorf("told twice: %v", err)
		}
	}
	hold := &job{wait: make(chan struct{}), err: broken}
	behind := &job{}
	hold.give(t, d, s, true, Queued)
	behind.give(t, d, s, true, Queued)
	close(hold.wait)
	if err := finish(t, d, s); !errors.Is(err, broken) || !errors.Is(behind.dropped, broken) {
		t.Errorf("told %v, the one behind %v", err, behind.dropped)
	}
	behind.did(t, 0, 0)
	behind.give(t, d, s, true, Queued)
	if err := finish(t, d, s); err != nil {
		t.Error(err)
	}
	behind.did(t, 1, 1)
	(&job{soon: true, err: stale{broken}}).give(t, d, s, true, Done)
	if err := finish(t, d, s); err != nil {
		t.Errorf("what everybody knows is told: %v", err)
	}
}

// TestTaskInGraph does a task each time that a graph is launched.
func TestTaskInGraph(t *testing.T) {
	d, s := testStream(t)
	if err := d.BeginCapture(0, s); err != nil {
		t.Fatal(err)
	}
	j := &job{soon: true}
	j.give(t, d, s, true, Captured)
	j.did(t, 0, 0)
	g, err := d.EndCapture(0, s)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.LaunchGraph(0, g, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := finish(t, d, s); err != nil {
		t.Error(err)
	}
	j.did(t, 2, 2)
	if err := d.DestroyStream(0, s); err != nil {
		t.Error(err)
	}
	if got, err := d.Perform(0, s, j, true); got != Refused || !errors.Is(err, device.ErrClosed) {
		t.Errorf("a stream that is destroyed: %d, %v", got, err)
	}
}
