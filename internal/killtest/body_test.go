package killtest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// A body is what every PE does in a test that runs on goroutine PEs and on
// processes alike. Its error says what was not as it should be.
type body func(ctx context.Context, w *shmem.World, r roll) error

func bodies() map[string]body {
	return map[string]body{
		"absent from barrier":      absentFrom(barrier),
		"absent from sync":         absentFrom(plainSync),
		"absent from alloc":        absentFrom(alloc),
		"absent from split":        absentFrom(split),
		"absent from finalize":     absentFrom(finalize),
		"absent, others cancel":    cancelled,
		patienceBody:               impatient,
		streamBody:                 absentOnStream,
		"no signal":                noSignal,
		"no value":                 noValue,
		"no values":                noValues,
		"no lock":                  noLock,
		"finalize against barrier": against(finalize, barrier),
		"alloc against barrier":    against(alloc, barrier),
		"barrier against alloc":    against(barrier, alloc),
		"sync against barrier":     against(plainSync, barrier),
		"split against alloc":      against(split, alloc),
		"split against finalize":   against(split, finalize),
	}
}

// patienceBody is the one that relies on Options.Timeout.
const patienceBody = "absent, Options.Timeout"

// streamBody is another one.
const streamBody = "absent, on streams"

// options are for the world of a body.
func options(name string) shmem.Options {
	o := shmem.Options{HeapSize: 1 << 20}
	if name == patienceBody || name == streamBody {
		o.Timeout = soon
	}
	return o
}

// call is a collective of the world.
type call func(context.Context, *shmem.World) error

func barrier(ctx context.Context, w *shmem.World) error   { return w.Barrier(ctx) }
func plainSync(ctx context.Context, w *shmem.World) error { return w.Sync(ctx) }
func finalize(ctx context.Context, w *shmem.World) error  { return w.Finalize(ctx) }

func alloc(ctx context.Context, w *shmem.World) error {
	_, err := shmem.Alloc[int32](ctx, w, 10)
	return err
}

func split(ctx context.Context, w *shmem.World) error {
	_, err := w.Team().SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{})
	return err
}

// soon is how long PEs wait for what does not come.
const soon = 200 * time.Millisecond

// latest is when a PE must know of what happened at the very latest. The aim is
// 200 ms; the rest is for machines that are busy with something else.
const latest = 2 * time.Second

// odd is the PE that does not do what the others do.
func odd(w *shmem.World) int { return w.NPEs() / 2 }

// absentFrom has one PE not come to a call. When the others have given up it comes.
func absentFrom(f call) body {
	return func(ctx context.Context, w *shmem.World, r roll) error {
		return absent(ctx, w, r, f, "timeout", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, soon)
		})
	}
}

// cancelled has the others end their wait by hand.
func cancelled(ctx context.Context, w *shmem.World, r roll) error {
	return absent(ctx, w, r, barrier, "cancelled", func() (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(soon, cancel)
		return ctx, cancel
	})
}

// impatient relies on the time-out of the world.
func impatient(ctx context.Context, w *shmem.World, r roll) error {
	return absent(ctx, w, r, barrier, "timeout", func() (context.Context, context.CancelFunc) {
		return ctx, func() {}
	})
}

func absent(ctx context.Context, w *shmem.World, r roll, f call, why string, limit func() (context.Context, context.CancelFunc)) error {
	// Who looks a moment later finds that another has given up already, and why. One
	// that gives up in finalize fails.
	second := "mismatch"
	if why == "timeout" {
		second = why
	}
	var err error
	if w.MyPE() == odd(w) {
		if err = r.call(); err == nil {
			err = fails(ctx, w, f, latest, []string{second, "failed"}, fmt.Sprintf("PE %d is absent: ", odd(w)))
		}
	} else {
		limited, cancel := limit()
		defer cancel()
		err = fails(limited, w, f, soon+latest, []string{why, second, "failed"}, fmt.Sprintf("PE %d is absent: ", odd(w)))
		err = errors.Join(err, r.call())
	}
	if err != nil {
		return err
	}
	return errors.Join(r.call(), fails(ctx, w, barrier, latest, nil))
}

// absentOnStream has one PE not queue a barrier. The others' streams tell, and their
// blocking calls go on.
func absentOnStream(ctx context.Context, w *shmem.World, r roll) error {
	queued := func(ctx context.Context, w *shmem.World) error { return onStream(ctx, w, w.BarrierOnStream(nil)) }
	text := fmt.Sprintf("PE %d is absent: ", odd(w))
	var err error
	if w.MyPE() != odd(w) {
		err = fails(ctx, w, queued, soon+latest, []string{"timeout"}, "shmem: barrier on stream: ", text)
	}
	if err = errors.Join(err, r.call()); w.MyPE() == odd(w) {
		err = errors.Join(err, fails(ctx, w, queued, latest, []string{"timeout"}, text))
	}
	return errors.Join(err, r.call(), w.Barrier(ctx))
}

// against has one PE come to another call than the others.
func against(one, others call) body {
	return func(ctx context.Context, w *shmem.World, r roll) error {
		f := others
		if w.MyPE() == odd(w) {
			f = one
		}
		err := fails(ctx, w, f, latest, []string{"mismatch", "failed"}, " where PE ")
		return errors.Join(err, r.call(), fails(ctx, w, barrier, latest, nil))
	}
}

// fails checks that a call fails in time, and how.
func fails(ctx context.Context, w *shmem.World, f call, limit time.Duration, kinds []string, parts ...string) error {
	start := time.Now()
	err := f(ctx, w)
	after := time.Since(start)
	switch {
	case err == nil:
		return errors.New("the call succeeded")
	case after > limit:
		return fmt.Errorf("it took %v until the error: %w", after, err)
	case kinds != nil && !slices.Contains(kinds, kind(err)):
		return fmt.Errorf("an error of kind %s, want one of %v: %w", kind(err), kinds, err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			return fmt.Errorf("%q is not in the error: %w", p, err)
		}
	}
	return nil
}

// noSignal waits for a higher value of a signal than comes. The world lives on.
func noSignal(ctx context.Context, w *shmem.World, _ roll) error {
	sig, err := shmem.AllocSignal(ctx, w)
	if err != nil {
		return err
	}
	if err := sig.Set(3, w.MyPE()); err != nil {
		return err
	}
	err = fails(ctx, w, func(ctx context.Context, _ *shmem.World) error {
		limited, cancel := context.WithTimeout(ctx, soon)
		defer cancel()
		seen, err := sig.WaitUntil(limited, shmem.GE, 5)
		if seen != 3 {
			return fmt.Errorf("the value %d was returned, not the last one seen", seen)
		}
		return err
	}, soon+latest, []string{"timeout"}, "for a value >= 5, the last value was 3: timed out after ")
	return errors.Join(err, w.Barrier(ctx))
}

// noValue is noSignal for an element of an array.
func noValue(ctx context.Context, w *shmem.World, _ roll) error {
	a, err := shmem.Alloc[float32](ctx, w, 4)
	if err != nil {
		return err
	}
	if err := a.Fill(0.5); err != nil {
		return err
	}
	err = fails(ctx, w, func(ctx context.Context, _ *shmem.World) error {
		limited, cancel := context.WithTimeout(ctx, soon)
		defer cancel()
		return shmem.WaitUntil(limited, a, 2, shmem.LT, 0)
	}, soon+latest, []string{"timeout"}, "for a value < 0, the last value was 0.5: timed out after ")
	return errors.Join(err, w.Barrier(ctx))
}

// noValues is noValue for several elements.
func noValues(ctx context.Context, w *shmem.World, _ roll) error {
	a, err := shmem.Alloc[int16](ctx, w, 9)
	if err != nil {
		return err
	}
	if err := errors.Join(a.Fill(4), a.Set(1, 8), a.Set(7, 8)); err != nil {
		return err
	}
	const missing = "elements 0, 2-5, 8 missing: 0 was 4, wanted > 7; 2 was 4, wanted > 7; 3 was 4, wanted > 7; and 3 more: timed out after "
	err = fails(ctx, w, func(ctx context.Context, _ *shmem.World) error {
		limited, cancel := context.WithTimeout(ctx, soon)
		defer cancel()
		return shmem.WaitUntilAll(limited, a, []bool{6: true, 8: false}, shmem.GT, 7)
	}, soon+latest, []string{"timeout"}, missing)
	return errors.Join(err, w.Barrier(ctx))
}

// noLock has one PE hold a lock for longer than the others wait. They learn who it is,
// and get the lock when it is cleared.
func noLock(ctx context.Context, w *shmem.World, r roll) error {
	l, err := shmem.AllocLock(ctx, w)
	if err != nil {
		return err
	}
	holds := w.MyPE() == odd(w)
	who := fmt.Sprintf("PE %d holds the lock, since its lock #1: timed out after ", odd(w))
	if holds {
		who = "this PE holds the lock itself, since its lock #1: timed out after "
		err = l.Set(ctx)
	}
	err = errors.Join(err, r.call(), fails(ctx, w, func(ctx context.Context, _ *shmem.World) error {
		limited, cancel := context.WithTimeout(ctx, soon)
		defer cancel()
		return l.Set(limited)
	}, soon+latest, []string{"timeout"}, who), r.call())
	if holds {
		err = errors.Join(err, l.Clear(ctx))
	}
	return errors.Join(err, l.Set(ctx), l.Clear(ctx), w.Barrier(ctx))
}

// roll is how PEs meet when their collectives are out of order: every PE writes
// into everybody's memory how far it is, and looks.
type roll struct {
	me    int
	views [][]int64
	step  *int64
}

func newRoll(ctx context.Context, w *shmem.World) (roll, error) {
	r := roll{me: w.MyPE(), step: new(int64)}
	steps, err := shmem.Alloc[int64](ctx, w, w.NPEs())
	if err != nil {
		return r, err
	}
	for pe := range w.NPEs() {
		view, err := steps.Peer(pe)
		if err != nil {
			return r, err
		}
		r.views = append(r.views, view)
	}
	return r, nil
}

// call returns when everybody has called it.
func (r roll) call() error {
	*r.step++
	for _, v := range r.views {
		atomic.StoreInt64(&v[r.me], *r.step)
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); runtime.Gosched() {
		if r.all() {
			return nil
		}
	}
	return errors.New("not all PEs have come this far")
}

// all says whether everybody has come as far as this PE.
func (r roll) all() bool {
	for pe := range r.views {
		if atomic.LoadInt64(&r.views[r.me][pe]) < *r.step {
			return false
		}
	}
	return true
}

// play runs a body on this PE.
func play(ctx context.Context, w *shmem.World, name string) error {
	r, err := newRoll(ctx, w)
	if err != nil {
		return err
	}
	if err := r.call(); err != nil { // the clocks of all start now
		return err
	}
	err = bodies()[name](ctx, w, r)
	return errors.Join(err, r.call()) // nobody leaves while others look
}
