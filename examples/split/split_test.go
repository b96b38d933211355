package main

import (
	"os"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/nccl"
)

// TestMain gives every rank a device, and so a default stream, of its own.
func TestMain(m *testing.M) {
	os.Setenv("GOSHMEM_HOST_DEVICES", "5")
	os.Exit(m.Run())
}

// TestGoroutines runs the ranks in this process, on the host library.
func TestGoroutines(t *testing.T) {
	for _, n := range []int{1, 5} {
		devices, err := gpu.Devices("host")
		if err != nil {
			t.Fatal(err)
		}
		comms, err := nccl.InitAll(t.Context(), devices[:n], nccl.Options{Check: nccl.CheckOn})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for _, c := range comms {
			wg.Go(func() {
				if err := halves(t.Context(), c); err != nil {
					t.Errorf("%v: %v", c, err)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 3, jobtest.Build(t, "."))
	jobtest.Expect(t, got, "rank 0 is rank 0 of 2 in its half, which adds up to 2", "rank 1 is rank 0 of 1 in its half, which adds up to 1", "rank 2 is rank 1 of 2 in its half, which adds up to 2")
}
