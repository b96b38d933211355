package main

import (
	"strings"
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
