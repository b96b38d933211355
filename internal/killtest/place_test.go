package killtest_test

import (
	"context"
	"errors"

	"github.com/goshmem/goshmem/shmem"
)

// place is a wait that others are in when a PE dies or fails.
type place struct {
	op    string // how the error calls it
	board string // where the others are
	wait  func(context.Context, *stage) error
	teams bool // it needs them
}

// details is what the error of a wait says of what it waited for, as an expression.
const details = `(element 0: )?(for a value .*, the last value was 0: )?(elements 0, 1 missing: 0 was 0, wanted == 7; 1 was 0, wanted == 7: )?(PE \d+ holds the lock, since its lock #1: )?`

func places() map[string]place {
	all := meetings()
	for name, do := range collectives() {
		all[name] = place{name, `(in|past) ` + name + ` #\d+ `, untilError(do), false}
	}
	for name, do := range inSlices() {
		all[name+" of slices"] = place{name, `(in|past) ` + name + ` #\d+ `, untilError(do), false}
	}
	return all
}

// untilError does a collective in which the victim does not take part, until it fails:
// not all wait in the first.
func untilError(do func(context.Context, *stage) error) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		for {
			if err := do(ctx, s); err != nil {
				return err
			}
		}
	}
}

func meetings() map[string]place {
	const site = `\(place_test.go:\d+\)`
	return map[string]place{
		"barrier": {"barrier", "in barrier #1 " + site, func(ctx context.Context, s *stage) error { return s.w.Barrier(ctx) }, false},
		"sync":    {"sync", "in sync #1 " + site, func(ctx context.Context, s *stage) error { return s.w.Sync(ctx) }, false},
		"signal": {"signal wait until", "in wait #1 " + site, func(ctx context.Context, s *stage) error {
			_, err := s.sig.WaitUntil(ctx, shmem.GE, 1)
			return err
		}, false},
		"wait": {"wait until", "in wait #1 " + site, func(ctx context.Context, s *stage) error { return shmem.WaitUntil(ctx, s.word, 0, shmem.EQ, 7) }, false},
		"wait any": {"wait until any", "in wait #1 " + site, func(ctx context.Context, s *stage) error {
			_, err := shmem.WaitUntilAny(ctx, s.two, nil, shmem.EQ, 7)
			return err
		}, false},
		"wait all": {"wait until all", "in wait #1 " + site, func(ctx context.Context, s *stage) error {
			return shmem.WaitUntilAll(ctx, s.two, nil, shmem.EQ, 7)
		}, false},
		"lock": {"lock set", "in lock #1 " + site, func(ctx context.Context, s *stage) error { return s.lock.Set(ctx) }, false},
		"alloc": {"alloc", "in alloc #6 " + site, func(ctx context.Context, s *stage) error {
			_, err := shmem.Alloc[byte](ctx, s.w, 100)
			return err
		}, false},
		"free": {"free", "in free #1 " + site, func(ctx context.Context, s *stage) error { return s.word.Free(ctx) }, false},
		"split": {"split strided", "in split #1 " + site, func(ctx context.Context, s *stage) error {
			_, err := s.w.Team().SplitStrided(ctx, 0, 1, 2, shmem.TeamConfig{})
			return err
		}, false},
		"split2d": {"split 2d", "in split #1 " + site, func(ctx context.Context, s *stage) error {
			_, _, err := s.w.Team().Split2D(ctx, 2, shmem.TeamConfig{}, shmem.TeamConfig{})
			return err
		}, false},
		"with":    {"barrier", "in barrier #1 of team 2 " + site, func(ctx context.Context, s *stage) error { return s.whole.Barrier(ctx) }, true},
		"without": {"barrier", `(in|past) barrier #\d+ of team 3`, barriersWithout, true},
		"destroy": {"team destroy", "in destroy #1 of team 2 " + site, func(ctx context.Context, s *stage) error { return s.whole.Destroy(ctx) }, true},
		"started": {"allreduce", "in allreduce #1 " + site, func(ctx context.Context, s *stage) error {
			h, err := shmem.StartAllReduce(s.w.Team(), s.word, s.word, shmem.Sum)
			if err != nil {
				return err
			}
			return h.Wait(ctx)
		}, false},
		"stream": {"barrier on stream", "in barrier #1 on streams " + site, func(ctx context.Context, s *stage) error {
			return onStream(ctx, s.w, s.w.BarrierOnStream(nil))
		}, false},
		"finalize": {"finalize", "in finalize #1 " + site, func(ctx context.Context, s *stage) error { return s.w.Finalize(ctx) }, false},
	}
}

// barriersWithout does barriers that the victim has no part in, until one fails.
func barriersWithout(ctx context.Context, s *stage) error {
	for {
		if err := s.rest.Barrier(ctx); err != nil {
			return err
		}
	}
}

// onStream waits for what was queued on the default stream of a PE, and returns the error
// of package shmem in a fault of it.
func onStream(ctx context.Context, w *shmem.World, err error) error {
	if err == nil {
		err = w.DefaultStream().Synchronize(ctx)
	}
	if e := (*shmem.Error)(nil); errors.As(err, &e) {
		return e
	}
	return err
}
