package shmem_test

import (
	"testing"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// TestConformanceDevice runs the checks over memory of a device: engine ipc, which on a
// machine without a GPU has devices that are goroutines. In checked mode too, where what
// is on a device has to be read for it.
func TestConformanceDevice(t *testing.T) {
	if jobSize(t) > 0 {
		return // GOSHMEM_ENGINE says what a job runs on
	}
	for n, mode := range map[int]shmem.Check{2: shmem.CheckOn, 3: shmem.CheckOff} {
		o := roomy
		o.Engine, o.Check = "ipc", mode
		shmemtest.RunWith(t, n, o, func(t testing.TB, w *shmem.World) {
			conformance.RunAll(t, w, conformance.All())
		})
	}
}
