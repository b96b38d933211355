package shmemtest

import (
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/shmem"
)

// TestRunWeak runs the body once with each seed.
func TestRunWeak(t *testing.T) {
	if launched(t) {
		return // seeds would not be counted on one rank
	}
	seeds := make(chan uint64, 100)
	RunWeak(t, 3, 5, shmem.Options{HeapSize: 1 << 16}, func(_ testing.TB, w *shmem.World) { seeds <- w.Info().Weak })
	count := map[uint64]int{}
	for range len(seeds) {
		count[<-seeds]++
	}
	for seed := uint64(1); seed <= 5; seed++ {
		if count[seed] != 3 || len(count) != 5 {
			t.Errorf("seed %d on %d PEs, want 3; %d seeds, want 5", seed, count[seed], len(count))
		}
	}
}

// TestCommand: what a failed test of weak mode says.
func TestCommand(t *testing.T) {
	const where = "weak mode, seed 5: to see this again, in the folder of the package, "
	for _, c := range []struct {
		variable string
		option   uint64
		want     string
	}{
		{"", 0, ""},
		{"0", 0, ""},
		{"five", 0, ""}, // no world comes into being
		{"5", 0, where + "GOSHMEM_WEAK=5 go test -count=1 -run '^TestA$/^b=1$'"},
		{"6", 5, where + "go test -count=1 -run '^TestA$/^b=1$'"},
	} {
		t.Setenv(env.Weak, c.variable)
		if got := command("TestA/b=1", shmem.Options{Weak: c.option}); got != c.want {
			t.Errorf("GOSHMEM_WEAK=%s, Options.Weak of %d: %q, want %q", c.variable, c.option, got, c.want)
		}
	}
}
