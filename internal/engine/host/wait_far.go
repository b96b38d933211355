package host

import (
	"context"
	"runtime"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
)

// spanning is how a PE waits that could be waiting for another node: between looks it
// takes in what has come from there. When it sleeps the wire does so by itself.
type spanning struct {
	policy
	own  *control
	wire wire
}

const (
	farSpin   = 20 // what does not come from this node's memory takes longer than looks
	farYields = 2000
	farLimit  = 500 * time.Microsecond
)

func (s *spanning) spin() (looks int, pause bool) { return farSpin, true }

func (s *spanning) yield(ready func() bool) bool {
	start := time.Now()
	for n := 1; n <= farYields; n++ {
		s.wire.progress()
		if ready() || s.own.alarm.Load() != 0 {
			return true
		}
		if s.policy.brief(func() bool { return true }); n%16 == 0 && time.Since(start) > farLimit {
			return false
		}
	}
	return false
}

func (s *spanning) brief(ready func() bool) bool {
	s.wire.progress()
	return s.policy.brief(ready)
}

// quieten waits until what was put has arrived.
func (f *far) quieten(ctx context.Context) error { return f.outcome(f.wire.flush(ctx)) }

// outcome has an operation that a PE's end has ended fail with that.
func (f *far) outcome(err error) error {
	if err == nil {
		return nil
	}
	for end := time.Now().Add(2 * graceTicks * tick); time.Now().Before(end); time.Sleep(lingerTick) {
		if s := f.h.broken(); s != nil {
			return s
		}
		runtime.Gosched()
	}
	if s := f.h.broken(); s != nil {
		return s
	}
	return &engine.Stall{Cause: engine.ErrDied, Detail: err.Error()}
}
