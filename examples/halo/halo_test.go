package main

import (
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func TestGoroutines(t *testing.T) {
	for _, check := range []shmem.Check{shmem.CheckOff, shmem.CheckOn} {
		for _, n := range []int{1, 2, 5} {
			if err := shmem.RunLocal(t.Context(), n, shmem.Options{Check: check}, jacobi); err != nil {
				t.Errorf("%d PEs, check %d: %v", n, check, err)
			}
		}
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 3, jobtest.Build(t, "."))
	const text = "8 columns are as one PE alone gets them after 40 steps"
	jobtest.Expect(t, got, "PE 0: "+text, "PE 1: "+text, "PE 2: "+text)
}
