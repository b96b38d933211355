package host

import (
	"context"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// A policy is how the PEs of a kind of world wait: processes or goroutines.
type policy interface {
	// spin is how many looks come first, and whether there are pauses between them.
	spin() (looks int, pause bool)
	// yield gives the core away between looks, for as long as that is better
	// than sleeping. It returns true if ready says so or the PE is alarmed.
	yield(ready func() bool) bool
	// brief is yield for a few looks, by a caller who can do something else.
	brief(ready func() bool) bool
	// sleep returns when the own PE is rung, at the latest after limit. It
	// looks at ready once more after it has announced that it sleeps.
	sleep(limit time.Duration, ready func() bool)
	// ring wakes whoever of pe sleeps.
	ring(pe int)
}

const (
	// dataTick bounds how late a sleeping waiter sees a put, which rings nobody.
	dataTick = time.Millisecond
	// meetTick bounds how late it sees a cancelled context; meetings ring.
	meetTick = 20 * time.Millisecond
)

// Soon looks whether ready, for as long as others that are at work at the same need.
func (h *Heap) Soon(ready func() bool) bool {
	looks, pause := h.policy.spin()
	for range looks {
		if ready() {
			return true
		}
		if pause {
			mem.Pause()
		}
	}
	return h.policy.brief(ready)
}

// Wait blocks until ready, a failure in the world, or the end of ctx.
func (h *Heap) Wait(ctx context.Context, call engine.Call, ready func() bool) error {
	h.enter(call)
	defer h.leave(call)
	if h.awake(ready) {
		return nil
	}
	if err := h.await(ctx, call, dataTick, nil, ready); err != nil {
		return err
	}
	return nil
}

// awake is the first part of every wait that lasts: yield for a while.
func (h *Heap) awake(ready func() bool) bool { return h.policy.yield(ready) && ready() }

// await is the slow part of every wait, after awake: sleep. members are those whose
// whereabouts an error should tell; nil means all PEs.
func (h *Heap) await(ctx context.Context, call engine.Call, tick time.Duration, members []int, ready func() bool) *engine.Stall {
	h.noteSite(call)
	start := time.Now()
	deadline, own := ctx.Deadline()
	if !own {
		deadline = start.Add(h.timeout)
	}
	wakeable := func() bool { return ready() || h.own.alarm.Load() != 0 }
	for nap := firstNap(tick, members); !ready(); nap = min(2*nap, tick) {
		if s := h.broken(); s != nil {
			return unless(ready, s)
		}
		left := time.Until(deadline)
		if err := ctx.Err(); err != nil || left <= 0 {
			if s := h.broken(); s != nil { // which may be why the context was cancelled
				return unless(ready, s)
			}
			return unless(ready, h.expired(err, start, own, members))
		}
		h.policy.sleep(min(nap, left), wakeable)
	}
	return nil
}

// firstNap is how long a waiter sleeps at most when it sleeps first; later ones are longer.
// A member of a small team who arrives may take one that is just falling asleep for
// awake, since his arrival is an ordinary store: the other must not lose much by that.
func firstNap(tick time.Duration, members []int) time.Duration {
	if len(members) <= flatMax {
		return min(tick, dataTick)
	}
	return tick
}

// unless gives what was waited for a last chance: a PE may have died or time
// may have run out just after it came.
func unless(ready func() bool, s *engine.Stall) *engine.Stall {
	if ready() {
		return nil
	}
	return s
}

// expired is the error of a wait that took too long or was cancelled. own says that
// the caller's context had a limit of its own.
func (h *Heap) expired(ctxErr error, start time.Time, own bool, members []int) *engine.Stall {
	cause := engine.ErrTimeout
	if ctxErr != nil && ctxErr != context.DeadlineExceeded {
		cause = ctxErr
	}
	s := h.stall(cause, members)
	s.After = time.Since(start)
	if !own && ctxErr == nil {
		s.Limit = " (GOSHMEM_TIMEOUT or Options.Timeout)"
	}
	return s
}
