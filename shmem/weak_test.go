package shmem_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// weakly are options of a small world in weak mode.
func weakly(seed uint64) shmem.Options {
	return shmem.Options{HeapSize: 1 << 16, Timeout: 20 * time.Second, Weak: seed}
}

// TestWeakInfo: where the seed comes from, and that no memory of others can be loaded.
func TestWeakInfo(t *testing.T) {
	for _, c := range []struct {
		variable   string
		seed, want uint64
	}{{"", 0, 0}, {"0", 0, 0}, {"7", 0, 7}, {"7", 3, 3}, {"", 1<<64 - 1, 1<<64 - 1}} {
		t.Setenv("GOSHMEM_WEAK", c.variable)
		must(t, shmem.RunLocal(t.Context(), 2, weakly(c.seed), func(ctx context.Context, w *shmem.World) error {
			if got := w.Info().Weak; got != c.want {
				t.Errorf("GOSHMEM_WEAK=%q and Options.Weak of %d: seed %d", c.variable, c.seed, got)
			}
			a, err := shmem.Alloc[int64](ctx, w, 1)
			if err != nil {
				return err
			}
			if _, err := a.Peer(1 - w.MyPE()); errors.Is(err, shmem.ErrNoPeerAccess) != (c.want != 0) {
				t.Errorf("seed %d: Peer of another PE: %v", c.want, err)
			}
			return w.Barrier(ctx)
		}))
	}
}

// TestWeakTellsSeed: who sees a program fail learns how to see it again.
func TestWeakTellsSeed(t *testing.T) {
	err := shmem.RunLocal(t.Context(), 2, weakly(17), func(context.Context, *shmem.World) error { return errors.New("wrong") })
	if err == nil || !strings.Contains(err.Error(), "\nweak mode, seed 17: to see this again run the same with GOSHMEM_WEAK=17") {
		t.Errorf("got %v", err)
	}
}

// TestWeakArrives: what was put arrives although the PE that put it neither waits nor
// calls anything that could deliver it, only looks at its own memory.
func TestWeakArrives(t *testing.T) {
	for seed := range uint64(30) {
		must(t, shmem.RunLocal(t.Context(), 2, weakly(seed+1), func(ctx context.Context, w *shmem.World) error {
			a, err := shmem.Alloc[int64](ctx, w, 1)
			if err != nil {
				return err
			}
			other := 1 - w.MyPE()
			if w.MyPE() == 1 {
				if err := shmem.WaitUntil(ctx, a, 0, shmem.EQ, 1); err != nil {
					return err
				}
			}
			if err := a.P(0, 1, other); err != nil {
				return err
			}
			for w.MyPE() == 0 {
				if seen, err := shmem.Test(a, 0, shmem.EQ, 1); err != nil || seen {
					return err
				}
			}
			return nil
		}))
	}
}

// TestWeakProcesses runs the checks of order and completion over processes in weak mode;
// TestConformanceWeak has them all.
func TestWeakProcesses(t *testing.T) {
	checks := slices.DeleteFunc(conformance.All(), func(c conformance.Check) bool {
		group, _, _ := strings.Cut(c.Name, ":")
		return !slices.Contains([]string{"order", "signal", "context", "collective"}, group)
	})
	if len(checks) < 20 {
		t.Fatalf("only %d checks", len(checks))
	}
	for _, n := range worldSizes(t, 3) {
		o := roomy
		o.Weak = 5
		shmemtest.RunProcessesWith(t, n, o, func(t testing.TB, w *shmem.World) {
			conformance.RunAll(t, w, checks)
		})
	}
}

// TestWeakMutantInProcesses: a missing quiet is found there as well.
func TestWeakMutantInProcesses(t *testing.T) {
	if jobSize(t) > 0 {
		return // the body would fail on a rank of the job that this test is in
	}
	for seed := range uint64(20) {
		result, output := shmemtest.StartProcesses(t, 2, weakly(seed+1), impatient)
		if result != nil && result.Err != nil {
			if text := output.String(); !strings.Contains(text, "the put is late") {
				t.Error(text)
			}
			return
		}
	}
	t.Error("no seed finds it")
}

// impatient takes for there what no quiet has completed.
func impatient(t testing.TB, w *shmem.World) {
	a, err := shmem.Alloc[int64](t.Context(), w, 1)
	must(t, err)
	must(t, a.P(0, 1, 1-w.MyPE()))
	must(t, w.Sync(t.Context())) // completes no puts
	if v := must1(a.At(0))(t); v != 1 {
		t.Error("the put is late")
	}
}
