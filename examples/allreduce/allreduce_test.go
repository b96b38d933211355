package main

import (
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/internal/jobtest/ranks"
)

func TestMain(m *testing.M) { ranks.Main(m) }

// TestGoroutines runs the ranks in this process, on the host library.
func TestGoroutines(t *testing.T) {
	for _, n := range []int{1, 4} {
		ranks.Run(t, n, sum)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 3, jobtest.Build(t, "."))
	jobtest.Expect(t, got, "rank 0 of 3: the ranks add up to 3", "rank 1 of 3: the ranks add up to 3", "rank 2 of 3: the ranks add up to 3")
}
