package main

import (
	"context"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func TestGoroutines(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		err := shmem.RunLocal(t.Context(), n, shmem.Options{}, func(ctx context.Context, w *shmem.World) error { return pass(ctx, w, 20, 7) })
		if err != nil {
			t.Errorf("%d PEs: %v", n, err)
		}
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 2, jobtest.Build(t, "."), "-rounds", "10", "-n", "4")
	jobtest.Expect(t, got, "10 messages from PE 0 add up to 280", "10 messages from PE 1 add up to 500")
}
