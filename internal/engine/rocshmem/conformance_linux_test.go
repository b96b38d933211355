//go:build !race

package rocshmem_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/abi/rocshmem/standin"
	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// groups are the checks that go through the engine. The others look at what package shmem
// does by itself; all pass here but one, of how far a root may be ahead, which on a device
// is not at all.
func groups() []string {
	return []string{"rma", "signal", "atomic", "wait", "collective", "reduction", "team", "stream"}
}

// missing are the checks of what the library does not have.
func missing() []string {
	return []string{"stream: reductions of every type"} // of numbers of 8 bits, and larger ones with a point
}

// TestConformance runs the suite in processes whose engine is over the stand-in.
func TestConformance(t *testing.T) {
	t.Setenv(env.Engine, "rocshmem")
	if os.Getenv(env.TestCall) == "" { // the processes have it from here
		t.Setenv(env.ROCSHMEMShim, standin.Build(t))
	}
	o := shmem.Options{HeapSize: 4 << 20, Timeout: time.Minute, Check: shmem.CheckOff}
	shmemtest.RunProcessesWith(t, 2, o, func(t testing.TB, w *shmem.World) {
		if w.Info().Engine != "rocshmem" {
			t.Fatalf("the engine is %s", w.Info().Engine)
		}
		conformance.RunAll(t, w, slices.DeleteFunc(conformance.All(), func(c conformance.Check) bool {
			group, _, _ := strings.Cut(c.Name, ":")
			return !slices.Contains(groups(), group) || slices.Contains(missing(), c.Name)
		}))
	})
}
