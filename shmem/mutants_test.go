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
	name     string
	fault    weak.Fault
	programs bool // random programs notice it as well
	checks   []string
}

func mutants() []mutant {
	return []mutant{
		{"a fence that orders nothing", weak.NoFence, true, []string{
			"order: fence, seen by polling", "order: later put wins after a fence"}},
		{"a quiet that completes nothing", weak.NoQuiet, true, []string{
			"order: barrier completes puts", "order: quiet completes gets", "order: quiet, then tell a third PE", "rma: every pair of PEs"}},
		{"a barrier that does not wait", weak.NoBarrierWait, true, []string{
			"sync: barriers back to back", "sync: back to back on split teams", "team: members wait, others do not"}},
		{"a signal that overtakes its data", weak.SignalFirst, true, []string{
			"signal: put with signal, seen by polling"}},
		{"a context fence that orders nothing", weak.NoFence, false, []string{"context: fence, seen by polling"}},
		{"a context quiet that completes nothing", weak.NoLaneQuiet, false, []string{"context: quiet completes what went through it"}},
		{"a context quiet that completes no gets", weak.NoLaneQuiet, false, []string{"context: quiet covers gets"}},
		{"a destroy that completes nothing", weak.NoLaneQuiet, false, []string{"context: destroy completes"}},
		{"a team's end that completes nothing", weak.NoLaneQuiet, false, []string{"context: destroyed with its team"}},
		{"a free that leaves out contexts", weak.NoLaneQuiet, false, []string{"context: free completes what went through all"}},
		{"a release that leaves out contexts", weak.NoLaneQuiet, false, []string{"release: completes puts, also those through contexts"}},
		{"a finalize that leaves out contexts", weak.NoLaneQuiet, false, []string{"end: finalize completes what went through contexts"}},
		{"a context signal that overtakes its data", weak.SignalFirst, false, []string{"context: put with signal, seen by polling"}},
		{"a context atomic in two steps", weak.TornAdd, false, []string{"context: 32 of them, one word"}},
		{"a put that reads its source late", weak.LateSource, false, []string{
			"order: source may change after put"}},
		{"an add in two steps", weak.TornAdd, false, []string{
			"atomic: n PEs x k increments", "atomic: many goroutines, one word"}},
		{"a lock that is cleared without a quiet", weak.NoQuiet, false, []string{
			"lock: the next holder sees what was put"}},
		{"a lock that is cleared without the quiet of a context", weak.NoLaneQuiet, false, []string{
			"lock: the next holder sees what went through a context"}},
		{"a quiet that completes nothing, in a collective", weak.NoQuiet, false, []string{
			"reduction: every size on every team"}},
		{"a collective that does not wait", weak.NoAwait, false, []string{
			"turns: roots that do not wait", "turns: each collective many times", "handle: test"}},
		{"a slip of the meeting before", weak.OldSlip, false, []string{
			"turns: each collective many times", "turns: collectives between meetings"}},
	}
}

// TestMutantsAreNoticed proves that the suite can fail: over each faulty engine at
// least one of the checks that are there for it fails within a few seeds, and so
// do random programs. Over the sound engine all pass, see TestConformanceWeak.
func TestMutantsAreNoticed(t *testing.T) {
	if jobSize(t) > 0 {
		return // every rank would do the same
	}
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			noticed(t, m.fault, conformance.Named(append(conformance.All(), conformance.Endings()...), m.checks...))
			if m.programs {
				noticed(t, m.fault, []conformance.Check{{Name: "random programs", Run: manyPrograms}})
			}
		})
	}
}

func manyPrograms(t testing.TB, w *shmem.World) {
	t.Helper()
	for seed := range uint64(30) {
		seeded(w.NPEs(), seed).Run(t, w)
	}
}

// noticed fails unless one of the checks fails over an engine with the fault.
func noticed(t *testing.T, fault weak.Fault, checks []conformance.Check) {
	t.Helper()
	o := shmem.Options{HeapSize: 4 << 20, Timeout: time.Second}
	for seed := range uint64(20) {
		for _, c := range checks {
			if err := recorded(t, 3, weakened(o, seed, fault), c.Run); err != nil {
				t.Logf("noticed by %q, with seed %d:\n%.300v", c.Name, seed, err)
				return
			}
		}
	}
	t.Error("no check notices the fault")
}
