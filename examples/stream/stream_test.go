package main

import (
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func TestGoroutines(t *testing.T) {
	for n := 1; n <= 4; n++ {
		if err := shmem.RunLocal(t.Context(), n, shmem.Options{}, ring); err != nil {
			t.Error(err)
		}
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 4, jobtest.Build(t, "."))
	jobtest.Expect(t, got, "got 2 from PE 2", "got 3 from PE 3", "got 0 from PE 0", "got 1 from PE 1")
}
