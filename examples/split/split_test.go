package main

import (
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/internal/jobtest/ranks"
)

func TestMain(m *testing.M) { ranks.Main(m) }

// TestGoroutines runs the ranks in this process, on the host library.
func TestGoroutines(t *testing.T) {
	for _, n := range []int{1, 5} {
		ranks.Run(t, n, halves)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 3, jobtest.Build(t, "."))
	jobtest.Expect(t, got, "rank 0 is rank 0 of 2 in its half, which adds up to 2", "rank 1 is rank 0 of 1 in its half, which adds up to 1", "rank 2 is rank 1 of 2 in its half, which adds up to 2")
}
