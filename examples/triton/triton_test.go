package main

import (
	"context"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// TestGoroutines has kernels in Go stand in for those of kernels.py. With three PEs the one
// before is not the next one.
func TestGoroutines(t *testing.T) {
	for _, n := range []int{1, 3} {
		err := shmem.RunLocal(t.Context(), n, shmem.Options{}, func(ctx context.Context, w *shmem.World) error { return drive(ctx, w, orders{}) })
		if err != nil {
			t.Errorf("%d PEs: %v", n, err)
		}
	}
}

// TestIrisOnHost: machine code is of no use there, and nothing is compiled.
func TestIrisOnHost(t *testing.T) {
	err := shmem.RunLocal(t.Context(), 1, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
		return drive(ctx, w, orders{iris: "nowhere"})
	})
	if err == nil || !strings.Contains(err.Error(), "-iris needs a GPU") {
		t.Errorf("%v", err)
	}
}
