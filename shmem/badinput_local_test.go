package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// TestBadLocalSizes asks for worlds that RunLocal does not make.
func TestBadLocalSizes(t *testing.T) {
	for _, n := range []int{0, -1, 1025, math.MaxInt, math.MinInt} {
		x := wrong{is: shmem.ErrArgument, op: "run local", peer: -1, pe: -1, text: fmt.Sprintf("%d PEs: at least 1, at most 1024", n)}
		x.check(t, shmem.RunLocal(t.Context(), n, shmem.Options{}, nobody(t)))
	}
}

// errBoom is why a PE of these tests fails.
var errBoom = errors.New("boom")

// endings are the ways in which a PE ends that others wait for, and what is said of it.
func endings() map[string]func() error {
	return map[string]func() error{
		"boom":           func() error { return errBoom },
		"panicked: boom": func() error { panic("boom") },
		"panicked: panic called with nil argument":                                              func() error { panic(nil) },
		"the function ended its goroutine (runtime.Goexit, or a test's FailNow)":                func() error { runtime.Goexit(); return nil },
		"shmem: signal set: PE 7 out of range: this world has 3 PEs":                            nil, // made on the PE
		"panicked: runtime error: index out of range [3] with length 3":                         func() error { return []error{nil, nil, nil}[len("abc")] },
		"panicked: runtime error: invalid memory address or nil pointer dereference":            func() error { var p *shmem.Error; return p.Err },
		"panicked: interface conversion: interface {} is int, not string":                       func() error { var v any = 1; _ = v.(string); return nil },
		"panicked: runtime error: slice bounds out of range [:5] with capacity 3":               func() error { _ = make([]int, 3)[:len("abcde")]; return nil },
		"something that is much longer than a line " + strings.Repeat("and goes on ", 50) + "!": nil,
	}
}

// TestBadLocalBodies ends PE 1 of 3 in all ways while the others wait in all ways:
// all are told who and why, in one line, and that PE's error comes first.
func TestBadLocalBodies(t *testing.T) {
	waits := map[string]func(context.Context, *shmem.World, shmem.Signal) error{
		"barrier": func(ctx context.Context, w *shmem.World, _ shmem.Signal) error { return w.Barrier(ctx) },
		"sync":    func(ctx context.Context, w *shmem.World, _ shmem.Signal) error { return w.Sync(ctx) },
		"alloc": func(ctx context.Context, w *shmem.World, _ shmem.Signal) error {
			return second(shmem.Alloc[int](ctx, w, 1))
		},
		"signal wait until": func(ctx context.Context, _ *shmem.World, s shmem.Signal) error {
			return second(s.WaitUntil(ctx, shmem.EQ, 9))
		},
		"finalize": func(ctx context.Context, w *shmem.World, _ shmem.Signal) error { return w.Finalize(ctx) },
	}
	for reason, end := range endings() {
		for op, wait := range waits {
			err := shmem.RunLocal(t.Context(), 3, badOptions(), func(ctx context.Context, w *shmem.World) error {
				sig := must1(shmem.AllocSignal(ctx, w))(t)
				switch {
				case w.MyPE() != 1:
					err := wait(ctx, w, sig)
					wrong{is: shmem.ErrFailed, op: op, peer: -1, text: "PE 1 failed: " + reason[:min(len(reason), 300)]}.in(w).check(t, err)
					return err
				case strings.Contains(reason, "out of range: this"):
					return sig.Set(0, 7)
				case end == nil:
					return errors.New(reason)
				}
				return end()
			})
			checkFirst(t, err, reason)
		}
	}
}

// checkFirst looks at the order of the joined errors: the cause, then who followed.
func checkFirst(t *testing.T, err error, reason string) {
	t.Helper()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 3 {
		t.Errorf("%v: not three errors", err)
		return
	}
	if first := joined.Unwrap()[0].Error(); !strings.HasPrefix(first, "PE 1: "+reason) {
		t.Errorf("the first error is %q, not that of PE 1", first)
	}
	if errors.Is(err, errBoom) != (reason == "boom") {
		t.Errorf("%v: the PE's own error is lost", err)
	}
}

// TestBadLocalNoBody runs no function at all.
func TestBadLocalNoBody(t *testing.T) {
	err := shmem.RunLocal(t.Context(), 2, badOptions(), nil)
	if err == nil || !strings.Contains(err.Error(), "panicked: runtime error: invalid memory address") {
		t.Errorf("a world without a function ended with %v", err)
	}
}
