package shmem_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/internal/ucx"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// overUCX are the options of a world of virtual nodes that share no memory.
func overUCX(t *testing.T, tls string) shmem.Options {
	t.Helper()
	if _, err := ucx.Probe(); errors.Is(err, ucx.ErrMissing) {
		skip.Now(t, skip.NoVendor, err.Error())
	}
	t.Setenv("UCX_TLS", tls)
	if tls == "tcp" {
		t.Setenv("UCX_NET_DEVICES", "lo")
	}
	o := roomy
	o.NodeSize, o.NodeTransport = 2, engine.UCX
	return o
}

// tiring says whether a check is one of doing the same very often, which takes seconds over
// a network.
func tiring(c conformance.Check) bool {
	group, what, _ := strings.Cut(c.Name, ": ")
	return group == "turns" || group == "lock" || strings.Contains(what, "back to back") ||
		slices.Contains([]string{"n PEs x k increments", "sums of fractions", "each PE has its bit", "compare and swap loops"}, what)
}

// TestConformanceNodes runs the checks on nodes that reach each other through UCX alone:
// over tcp, and if NODETEST_LONG is set all of them, also over shared memory that UCX has made.
func TestConformanceNodes(t *testing.T) {
	if raced {
		skip.Now(t, skip.RaceBuild, "the race detector does not see the memory of processes")
	}
	if jobSize(t) > 0 {
		return // it starts a job of its own
	}
	ways, checks := []string{"tcp"}, conformance.All()
	if os.Getenv("NODETEST_LONG") != "" {
		ways = append(ways, "posix")
	} else {
		checks = slices.DeleteFunc(checks, tiring)
	}
	for _, tls := range ways {
		t.Run(tls, func(t *testing.T) {
			o := overUCX(t, tls)
			o.Timeout = time.Minute
			shmemtest.RunProcessesWith(t, 4, o, func(t testing.TB, w *shmem.World) {
				conformance.RunAll(t, w, checks)
			})
		})
	}
}
