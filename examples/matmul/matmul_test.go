package main

import (
	"context"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func TestGoroutines(t *testing.T) {
	for _, n := range []int{1, 3, 4} {
		err := shmem.RunLocal(t.Context(), n, shmem.Options{}, func(ctx context.Context, w *shmem.World) error { return multiply(ctx, w, 5, 9, 7) })
		if err != nil {
			t.Errorf("%d PEs: %v", n, err)
		}
	}
}

func TestProcesses(t *testing.T) {
	said := "64 by 64 times 64 by 48 is right"
	jobtest.Expect(t, jobtest.Run(t, 2, jobtest.Build(t, ".")), said, said)
}
