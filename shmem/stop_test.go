package shmem_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// TestLocalStops: when the function of a PE fails, those of the others learn of it where
// they wait for nothing of the library, and then their calls say why and where they are.
func TestLocalStops(t *testing.T) {
	cheese := errors.New("out of cheese")
	var cause, after error
	err := shmem.RunLocal(t.Context(), 2, shmem.Options{HeapSize: 1 << 16}, func(ctx context.Context, w *shmem.World) error {
		if w.MyPE() == 1 {
			return cheese
		}
		<-ctx.Done()
		cause, after = context.Cause(ctx), w.Barrier(ctx)
		return after
	})
	if !errors.Is(err, cheese) || !errors.Is(cause, cheese) || cause.Error() != "PE 1: out of cheese" {
		t.Errorf("the world ended with %v, the context of the other with %v", err, cause)
	}
	if want := "; PE 0 is in barrier #1 ("; !errors.Is(after, shmem.ErrFailed) || !strings.Contains(after.Error(), want) {
		t.Errorf("the barrier after that: %v, want %q", after, want)
	}
}

// TestLaterCallsKind: a call that fails because an earlier one was asked wrongly was not
// asked wrongly itself.
func TestLaterCallsKind(t *testing.T) {
	err := shmem.RunLocal(t.Context(), 2, badOptions(), func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[int64](ctx, w, 8))(t)
		s := must1(shmem.AllocSignal(ctx, w))(t)
		must(t, a.Free(ctx))
		if err := shmem.AllReduce(ctx, w.Team(), a, a, shmem.Sum); !errors.Is(err, shmem.ErrFreed) {
			t.Errorf("a reduction of a freed array: %v", err)
		}
		if err := s.Free(ctx); !errors.Is(err, shmem.ErrMismatch) || errors.Is(err, shmem.ErrFreed) || !strings.Contains(err.Error(), "out of order since") {
			t.Errorf("free of something else after that: %v", err)
		}
		return nil
	})
	if !errors.Is(err, shmem.ErrMismatch) || errors.Is(err, shmem.ErrFreed) { // of finalize
		t.Errorf("the end of the world: %v", err)
	}
}
