//go:build !race

package shmem_test

import (
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/internal/engine/weak"
	"github.com/goshmem/goshmem/shmem"
)

// mutant is an engine with a fault, and which checks are there to notice it. Not
// under the race detector: most faults are data races.
type mutant struct {
	fault  weak.Fault
	checks []string
}

func mutants() map[string]mutant {
	return map[string]mutant{
		"a fence that orders nothing":      {weak.NoFence, []string{"order: fence between data and flag", "order: fence between data and atomic flag", "order: later put wins after a fence", "order: ping-pong of 1 to many words"}},
		"a quiet that completes nothing":   {weak.NoQuiet, []string{"order: quiet, then tell a third PE", "order: quiet completes gets", "order: quiet covers all goroutines", "order: barrier completes puts", "rma: every pair of PEs"}},
		"a barrier that does not wait":     {weak.NoBarrierWait, []string{"sync: barriers back to back", "sync: back to back on split teams", "rma: two buffers in turn", "team: members wait, others do not"}},
		"a signal that overtakes":          {weak.SignalFirst, []string{"signal: put with signal, every form", "signal: broadcast along the ring", "signal: many producers, one consumer"}},
		"a put that reads its source late": {weak.LateSource, []string{"order: source may change after put"}},
		"an add in two steps":              {weak.TornAdd, []string{"atomic: n PEs x k increments", "atomic: fetched values are distinct", "atomic: many goroutines, one word"}},
	}
}

// TestMutantsAreNoticed proves that the suite can fail: over each faulty engine
// each of the checks named must fail within a few seeds, while all pass over the
// sound one.
func TestMutantsAreNoticed(t *testing.T) {
	if jobSize(t) > 0 {
		return // every rank would do the same
	}
	for name, m := range mutants() {
		t.Run(name, func(t *testing.T) {
			for _, c := range conformance.Named(conformance.All(), m.checks...) {
				t.Run(c.Name, func(t *testing.T) { noticed(t, m.fault, c) })
			}
		})
	}
}

// noticed fails unless c fails over an engine with the fault.
func noticed(t *testing.T, fault weak.Fault, c conformance.Check) {
	t.Helper()
	o := shmem.Options{HeapSize: 4 << 20, Timeout: time.Second}
	for seed := range uint64(20) {
		if err := recorded(t, 3, weakened(o, seed, fault), c.Run); err != nil {
			t.Logf("seed %d: %.300v", seed, err)
			return
		}
	}
	t.Error("the check passes over the faulty engine")
}
