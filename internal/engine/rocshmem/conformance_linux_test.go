package rocshmem_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/abi/rocshmem/standin"
	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// TestConformance runs the suite in processes whose engine is over the stand-in.
func TestConformance(t *testing.T) {
	t.Setenv(env.Engine, "rocshmem")
	if os.Getenv(env.TestCall) == "" { // the processes have it from here
		t.Setenv(env.ROCSHMEMShim, standin.Build(t))
	}
	o := shmem.Options{HeapSize: 4 << 20, Timeout: 20 * time.Second, Check: shmem.CheckOff}
	shmemtest.RunProcessesWith(t, 2, o, func(t testing.TB, w *shmem.World) {
		if w.Info().Engine != "rocshmem" {
			t.Fatalf("the engine is %s", w.Info().Engine)
		}
		conformance.RunAll(t, w, slices.DeleteFunc(conformance.All(), func(c conformance.Check) bool {
			return c.Name == "turns: a slow member of a broadcast" // on a device all members wait
		}))
	})
}
