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
