package conformance

import (
	"slices"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// Check is one promise. Run is called on every PE of a world.
type Check struct {
	Name   string
	MinPEs int
	Run    func(t testing.TB, w *shmem.World)
}

// All returns the checks that leave the world usable, group by group.
func All() []Check {
	return slices.Concat(rmaChecks(), orderChecks(), signalChecks(), atomicChecks(), waitChecks(), waitAnyChecks(), lockChecks(), syncChecks(), teamChecks(), memoryChecks(),
		tensorChecks(), contextChecks(), stridedChecks(), releaseChecks(), objectChecks(), nodeChecks(), collectiveChecks(), reductionChecks(), sliceChecks(), turnChecks(), handleChecks(),
		streamChecks(), streamTeamChecks())
}

// Endings returns the checks that end the world they run on.
func Endings() []Check { return endingChecks() }

// Fitting returns those of the checks that n PEs are enough for.
func Fitting(checks []Check, n int) []Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return c.MinPEs > n })
}

// Named returns the checks with these names, in this order.
func Named(checks []Check, names ...string) []Check {
	var found []Check
	for _, name := range names {
		for _, c := range checks {
			if c.Name == name {
				found = append(found, c)
			}
		}
	}
	return found
}

// RunAll runs, one after the other, those of the checks that the world has enough
// PEs for. It ends at the first that fails.
func RunAll(t testing.TB, w *shmem.World, checks []Check) {
	t.Helper()
	for _, c := range Fitting(checks, w.NPEs()) {
		c.Run(t, w)
		if t.Failed() {
			return
		}
	}
}

// check makes a Check of a function.
func check(name string, minPEs int, run func(p *pe)) Check {
	return Check{name, minPEs, func(t testing.TB, w *shmem.World) {
		t.Helper()
		p := enter(named{t, name}, w)
		run(p)
		p.leave()
	}}
}

// named is a TB whose lines begin with the name of a check: many checks share one
// world, and so one test.
type named struct {
	testing.TB
	name string
}

func (t named) prefix(args []any) []any { return append([]any{t.name + ":"}, args...) }

func (t named) Log(args ...any) { t.Helper(); t.TB.Log(t.prefix(args)...) }

func (t named) Logf(format string, args ...any) { t.Helper(); t.TB.Logf(t.name+": "+format, args...) }

func (t named) Error(args ...any) { t.Helper(); t.TB.Error(t.prefix(args)...) }

func (t named) Errorf(format string, args ...any) {
	t.Helper()
	t.TB.Errorf(t.name+": "+format, args...)
}

func (t named) Fatal(args ...any) { t.Helper(); t.TB.Fatal(t.prefix(args)...) }

func (t named) Fatalf(format string, args ...any) {
	t.Helper()
	t.TB.Fatalf(t.name+": "+format, args...)
}
