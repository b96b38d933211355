package main

import (
	"strings"
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

// TestArguments: what it does not know it refuses, and does nothing else.
func TestArguments(t *testing.T) {
	program := jobtest.Build(t, ".")
	for want, argument := range map[string]string{
		`unexpected argument "16": it takes none`: "16",
		"flag provided but not defined: -n":       "-n=16",
	} {
		res := jobtest.Fail(t, 1, program, argument)
		if said := strings.Join(res.Ranks[0].Stderr, "\n"); res.Ranks[0].Code != 2 || !strings.Contains(said, want) {
			t.Errorf("%s: %v, said %q, want %q", argument, res.Ranks[0], said, want)
		}
	}
}
