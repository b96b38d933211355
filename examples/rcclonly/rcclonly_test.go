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
		ranks.Run(t, n, both)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 2, jobtest.Build(t, "."))
	jobtest.Expect(t, got, "rank 0: with a bias of 100 the ranks add up to 101", "rank 1: with a bias of 100 the ranks add up to 101", "rank 0: 3 numbers came from 2 ranks", "rank 1: 5 numbers came from 2 ranks")
}
