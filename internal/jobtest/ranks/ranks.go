// Package ranks is a tool of tests: it runs programs over package nccl with their ranks in
// one process.
package ranks

import (
	"context"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/nccl"
)

// most is how many ranks there can be.
const most = 5

// Main is for TestMain: it gives every rank a device, and so a default stream, of its own.
func Main(m *testing.M) {
	os.Setenv(env.HostDevices, strconv.Itoa(most))
	os.Exit(m.Run())
}

// Run runs a program with so many ranks on the host library, in checked mode.
func Run(t *testing.T, n int, program func(ctx context.Context, c *nccl.Comm) error) {
	t.Helper()
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
			if err := program(t.Context(), c); err != nil {
				t.Errorf("%v: %v", c, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
