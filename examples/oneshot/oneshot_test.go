package main

import (
	"context"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func TestGoroutines(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		for _, size := range []int{4, 100, 5000} {
			err := shmem.RunLocal(t.Context(), n, shmem.Options{}, func(ctx context.Context, w *shmem.World) error { return add(ctx, w, size) })
			if err != nil {
				t.Errorf("%d PEs, %d numbers: %v", n, size, err)
			}
		}
	}
}

func TestOdd(t *testing.T) {
	err := shmem.RunLocal(t.Context(), 2, shmem.Options{}, func(ctx context.Context, w *shmem.World) error { return add(ctx, w, 6) })
	if err == nil || !strings.Contains(err.Error(), "a multiple of 4 is needed") {
		t.Errorf("6 numbers: %v", err)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 2, jobtest.Build(t, "."), "-n", "64")
	one, two := "one shot: 64 numbers of 2 PEs are right", "two shot: 64 numbers of 2 PEs are right"
	jobtest.Expect(t, got, one, two, one, two)
}
