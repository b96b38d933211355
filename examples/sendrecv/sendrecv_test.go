package main

import (
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/internal/jobtest/ranks"
)

func TestMain(m *testing.M) { ranks.Main(m) }

// TestGoroutines runs the ranks in this process, on the host library.
func TestGoroutines(t *testing.T) {
	for _, n := range []int{2, 4} {
		ranks.Run(t, n, swap)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 2, jobtest.Build(t, "."))
	jobtest.Expect(t, got, "rank 0 received [1 1 1 1 1 1 1 1 1 1]", "rank 1 received [0 0 0 0 0 0 0 0 0 0]")
}
