package main

import (
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func TestGoroutines(t *testing.T) {
	if err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, ring); err != nil {
		t.Fatal(err)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 4, jobtest.Build(t, "."))
	jobtest.Expect(t, got, "got 0 from PE 0", "got 1 from PE 1", "got 2 from PE 2", "got 3 from PE 3")
}
