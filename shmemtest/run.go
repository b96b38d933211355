package shmemtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
)

// Body is a test as one PE runs it.
type Body func(t testing.TB, w *shmem.World)

// Run runs body on n goroutine PEs, or on the ranks of the job that started the
// test binary. It returns when all PEs are done; the world is finalized after the
// body.
func Run(t *testing.T, n int, body Body) {
	t.Helper()
	RunWith(t, n, shmem.Options{}, body)
}

// RunWith is Run with options for the world.
func RunWith(t *testing.T, n int, o shmem.Options, body Body) {
	t.Helper()
	switch {
	case os.Getenv(env.TestCall) != "": // this process serves a RunProcesses call
		return
	case launched(t):
		joinJob(t, o, body)
	default:
		runLocal(t, n, o, body)
	}
}

// launched says whether a launcher started this test binary as one of several ranks.
func launched(t *testing.T) bool {
	t.Helper()
	job, err := launch.Detect(os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	return job.Family != "none"
}

func runLocal(t *testing.T, n int, o shmem.Options, body Body) {
	t.Helper()
	logged(t, &o)
	tbs := make([]*peTB, max(n, 0))
	for pe := range tbs {
		tbs[pe] = &peTB{TB: t, pe: pe, out: func(line string) { t.Helper(); t.Log(line) }}
	}
	err := shmem.RunLocal(t.Context(), n, o, func(_ context.Context, w *shmem.World) error {
		tbs[w.MyPE()].entered.Store(true)
		body(tbs[w.MyPE()], w)
		if tbs[w.MyPE()].Failed() {
			return errors.New("the test failed on this PE")
		}
		return nil
	})
	conclude(t, err, tbs...)
	again(t, o)
}

// logged sends what the world has to say to the test's log. Tests run in checked mode,
// unless they or the environment say otherwise.
func logged(t *testing.T, o *shmem.Options) {
	if o.Logf == nil {
		o.Logf = t.Logf
	}
	if _, set := os.LookupEnv(env.Checked); !set && o.Check == shmem.CheckDefault {
		o.Check = shmem.CheckOn
	}
}

// conclude turns the end of a world into the end of the test.
func conclude(t *testing.T, err error, tbs ...*peTB) {
	t.Helper()
	why, skipped, entered := "", 0, 0
	for _, tb := range tbs {
		if tb.entered.Load() {
			entered++
		}
		if reason := tb.reason(); reason != "" {
			why = reason
			skipped++
		}
	}
	switch {
	case skipped == 0:
	case skipped < entered:
		t.Errorf(skippedInPart, skipped, entered, why)
	case !t.Failed():
		skip.Again(t, why) // the helper that the body called has given the reason
	}
	if err != nil {
		t.Error(err)
	}
}

// skippedInPart is a test that some PEs skip while others test something.
const skippedInPart = "%d of %d PEs skipped the test (%s): a test must skip on all PEs alike"

// joinJob runs body as this process's rank of the job.
func joinJob(t *testing.T, o shmem.Options, body Body) {
	t.Helper()
	logged(t, &o)
	w, err := shmem.Init(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	tb := &peTB{TB: t, pe: w.MyPE(), out: func(line string) { t.Helper(); t.Log(line) }}
	conclude(t, runRank(t.Context(), tb, w, body), tb)
	if seed := w.Info().Weak; t.Failed() && seed != 0 {
		t.Logf("weak mode, seed %d: to see this again start the same job with %s=%d and -test.run='%s'", seed, env.Weak, seed, pattern(t.Name()))
	}
}

// runRank runs body on a goroutine that it may end, and finalizes the world.
func runRank(ctx context.Context, t *peTB, w *shmem.World, body Body) error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("the body ended early on this PE")
		defer func() {
			if p := recover(); p != nil {
				w.Abort(fmt.Errorf("panicked: %v", p))
				panic(p)
			}
			if err != nil {
				w.Abort(err)
			}
			if t.Skipped() || t.Failed() { // both are known without an error
				err = nil
			}
			done <- err
		}()
		t.entered.Store(true)
		body(t, w)
		if t.Failed() {
			err = errors.New("the test failed on this PE")
			return
		}
		err = w.Finalize(ctx)
	}()
	return <-done
}
