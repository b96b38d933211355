package main

import (
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/internal/jobtest/ranks"
)

func TestMain(m *testing.M) { ranks.Main(m) }

// TestGoroutines runs the ranks in this process, on the host library.
func TestGoroutines(t *testing.T) {
	for _, n := range []int{1, 3} {
		ranks.Run(t, n, train)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 2, jobtest.Build(t, "."))
	jobtest.Expect(t, got, "rank 0: the weights of 8 layers are right after 3 steps", "rank 1: the weights of 8 layers are right after 3 steps")
}
