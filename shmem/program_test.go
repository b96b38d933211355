package shmem_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/internal/engine/weak"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// brief ends a program that hangs soon, since a failing one is run many times
// while it is made smaller.
var brief = shmem.Options{HeapSize: 1 << 16, Timeout: 5 * time.Second}

// TestPrograms compares random programs with a serial model. A program that fails
// is made smaller before it is shown; -rapid.checks and -rapid.seed say how many
// there are and where they start.
func TestPrograms(t *testing.T) {
	for n := 2; n <= 5; n++ {
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) { programs(t, n, func(uint64) shmem.Options { return brief }) })
	}
}

// TestProgramsWeak does so over the weak engine.
func TestProgramsWeak(t *testing.T) {
	for n := 2; n <= 5; n++ {
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) {
			programs(t, n, func(seed uint64) shmem.Options { return weakened(brief, seed, weak.Sound) })
		})
	}
}

func programs(t *testing.T, n int, options func(seed uint64) shmem.Options) {
	t.Helper()
	if jobSize(t) > 0 {
		return // every rank would do the same
	}
	seen := map[string]error{} // what has failed fails again, or rapid could not make it smaller
	rapid.Check(t, func(rt *rapid.T) {
		program, seed := drawn(rt, n, 120), rapid.Uint64().Draw(rt, "weak seed")
		key := fmt.Sprint(seed, program)
		for tries := 1 + min(len(seen), 4); tries > 0 && seen[key] == nil; tries-- {
			if err := recorded(t, n, options(seed), program.Run); err != nil {
				seen[key] = err
			}
		}
		if err := seen[key]; err != nil {
			rt.Logf("%v\n%v", err, program)
			rt.Fatal("the program failed") // the same words each time, or rapid takes it for another failure
		}
	})
}

// drawn draws a program of so many steps. Each is one number, so that rapid can
// leave steps out while it makes the program smaller.
func drawn(rt *rapid.T, n, length int) conformance.Program {
	steps := make([]uint64, length)
	for i := range steps {
		steps[i] = rapid.Uint64().Draw(rt, "")
	}
	return conformance.Generate(n, steps)
}

// seeded is the program of a seed: the same in every process.
func seeded(n int, seed uint64) conformance.Program {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	steps := make([]uint64, 20+rng.IntN(150))
	for i := range steps {
		steps[i] = rng.Uint64()
	}
	return conformance.Generate(n, steps)
}

// TestProgramsProcesses runs the programs of many seeds on processes.
func TestProgramsProcesses(t *testing.T) {
	for _, n := range worldSizes(t, 2, 3, 5) {
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) {
			shmemtest.RunProcessesWith(t, n, roomy, func(t testing.TB, w *shmem.World) {
				for seed := range uint64(100) {
					runSeed(t, w, seed)
				}
			})
		})
	}
}

// runSeed runs one program and, if it fails, has PE 0 show it.
func runSeed(t testing.TB, w *shmem.World, seed uint64) {
	t.Helper()
	program := seeded(w.NPEs(), seed)
	defer func() {
		if t.Failed() && w.MyPE() == 0 {
			t.Logf("seed %d:\n%v", seed, program)
		}
	}()
	program.Run(t, w)
}
