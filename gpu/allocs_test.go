package gpu_test

import (
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

// allowed measures the allocations of the caller; those of the device's own
// goroutines and of the first calls are not its.
func allowed(t *testing.T, what string, s *gpu.Stream, queue func() error) {
	t.Helper()
	var failed error
	got := testing.AllocsPerRun(200, func() {
		if err := queue(); err != nil {
			failed = err
		}
	})
	must(t, failed)
	synchronize(t, s)
	t.Logf("%s: %v allocations", what, got)
}
