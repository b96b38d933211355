package killtest_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// ends are the ways in which a goroutine PE can fail.
func ends() map[string]func() error {
	return map[string]func() error{
		"error":  func() error { return errors.New("out of cheese") },
		"panic":  func() error { panic("boom") },
		"goexit": func() error { runtime.Goexit(); return nil },
	}
}

// TestGoroutineFails has one goroutine PE fail while the others wait.
func TestGoroutineFails(t *testing.T) {
	reasons := map[string]string{
		"error": "out of cheese", "panic": "panicked: boom",
		"goexit": `the function ended its goroutine \(runtime.Goexit, or a test's FailNow\)`,
	}
	for name, p := range places() {
		for how, reason := range reasons {
			for _, n := range []int{4, 20} {
				t.Run(fmt.Sprintf("%s, %s, %d PEs", name, how, n), func(t *testing.T) {
					failOne(t, p, how, reason, n)
				})
			}
		}
	}
}

func failOne(t *testing.T, p place, how, reason string, n int) {
	errs, took := make([]error, n), make([]time.Duration, n)
	victim := n - 1
	failed := make(chan time.Time, 1)
	err := shmem.RunLocal(t.Context(), n, shmem.Options{HeapSize: 1 << 20}, func(ctx context.Context, w *shmem.World) error {
		s := newStage(w, victim, p.teams)
		if w.MyPE() == victim {
			s.audience()
			failed <- time.Now()
			return ends()[how]()
		}
		s.announce()
		errs[w.MyPE()] = p.wait(ctx, s)
		at := <-failed
		failed <- at
		took[w.MyPE()] = time.Since(at)
		return errs[w.MyPE()]
	})
	if want := fmt.Sprintf(`(^|\n)PE %d: %s`, victim, reason); err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
		t.Errorf("the world ended with %v, want %s", err, want)
	}
	form := regexp.MustCompile(fmt.Sprintf(`^shmem: %s: %sPE %d failed: %s; it was last in (alloc #5|split #2) \(stage_test.go:\d+\); PEs? `, p.op, details, victim, reason))
	for pe, err := range errs {
		if pe != victim && (kind(err) != "failed" || !form.MatchString(err.Error())) {
			t.Errorf("PE %d: %v, want %v", pe, err, form)
		}
		if took[pe] > latest {
			t.Errorf("PE %d learned of the failure after %v", pe, took[pe])
		}
	}
}
