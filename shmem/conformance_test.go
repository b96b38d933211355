package shmem_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/weak"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// roomy is a heap that is enough for the checks, and quick to make. Checked mode has
// tests of its own: it takes no fast path.
var roomy = shmem.Options{HeapSize: 4 << 20, Timeout: 20 * time.Second, Check: shmem.CheckOff}

// large is a heap for transfers of 64 MiB.
var large = shmem.Options{HeapSize: conformance.LargeHeap, Timeout: time.Minute, Check: shmem.CheckOff}

// worldSizes are the numbers of PEs to test: all of those given, or, in a launched
// binary, the one that the job has.
func worldSizes(t *testing.T, all ...int) []int {
	t.Helper()
	if n := jobSize(t); n > 0 {
		return []int{n}
	}
	return all
}

// jobSize is the size of the job that this binary was started in by a launcher, 0
// if it was not. A rank of a job that a test started goes the way of that test.
func jobSize(t *testing.T) int {
	t.Helper()
	job, err := launch.Detect(os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	if job.Family == "none" || os.Getenv(env.TestCall) != "" {
		return 0
	}
	return job.Size
}

// TestConformance runs each check in a world of its own, with goroutine PEs or on
// the ranks of the job that this binary was started in. With the race detector it does so
// in race mode, and once more on the fast paths.
func TestConformance(t *testing.T) {
	checks := append(conformance.All(), conformance.Endings()...)
	sizes := []int{1, 2, 3, 4, 8, 20}
	if raced {
		sizes = []int{3}
	}
	for _, n := range worldSizes(t, sizes...) {
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) { each(t, n, roomy, checks) })
	}
	if raced && jobSize(t) == 0 {
		fast := roomy
		fast.Race = shmem.RaceOff
		t.Run("fast paths", func(t *testing.T) { each(t, 3, fast, checks) })
		t.Run("counted members", func(t *testing.T) { each(t, 17, roomy, slices.DeleteFunc(checks, apart)) })
	}
}

// TestConformanceLarge runs what moves up to 64 MiB, and on the ranks of a job whose engine
// is named, as one on GPUs is, the whole suite with as much room.
func TestConformanceLarge(t *testing.T) {
	checks := conformance.Large()
	switch job := jobSize(t) > 0; {
	case job && os.Getenv(env.Engine) == "":
		return // nothing that goroutine PEs have not shown
	case job:
		checks = append(conformance.All(), checks...)
	case raced:
		checks = conformance.Named(checks, "large: reductions")
	}
	for _, n := range worldSizes(t, 2) {
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) { each(t, n, large, checks) })
	}
}

// apart says whether a check is not about how PEs meet.
func apart(c conformance.Check) bool {
	group, _, _ := strings.Cut(c.Name, ":")
	return !slices.Contains([]string{"collective", "end", "handle", "reduction", "release", "signal", "sync", "team", "turns"}, group)
}

// each runs each of the checks in a world of its own.
func each(t *testing.T, n int, o shmem.Options, checks []conformance.Check) {
	t.Helper()
	for _, c := range conformance.Fitting(checks, n) {
		o := o
		if c.Name == "order: small transfers in one piece" { // looks at what is being put, which race mode reports
			o.Race = shmem.RaceOff
		}
		t.Run(c.Name, func(t *testing.T) { shmemtest.RunWith(t, n, o, c.Run) })
	}
}

// TestConformanceProcesses runs all checks in one job for each size, since
// starting processes takes longer than most checks.
func TestConformanceProcesses(t *testing.T) {
	sizes := []int{1, 2, 5, 20}
	if raced {
		sizes = []int{2} // the race detector does not see the memory of processes
	}
	for _, n := range worldSizes(t, sizes...) {
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) {
			shmemtest.RunProcessesWith(t, n, roomy, func(t testing.TB, w *shmem.World) {
				conformance.RunAll(t, w, conformance.All())
			})
		})
	}
}

// TestConformanceWeak runs the checks over an engine that is as weak as the memory
// model allows; in builds with -race half of them over race mode, which is so late itself.
func TestConformanceWeak(t *testing.T) {
	if jobSize(t) > 0 {
		return // the weak engine is for goroutine PEs
	}
	checks := append(conformance.All(), conformance.Endings()...)
	sizes := []int{2, 3, 4}
	if raced {
		sizes = []int{3}
	}
	for _, n := range sizes {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("n=%d,seed=%d", n, seed), func(t *testing.T) {
				t.Parallel() // they wait more than they work
				o := weakened(roomy, seed, weak.Sound)
				if seed == 1 {
					o.Race = shmem.RaceOff
				}
				each(t, n, o, checks)
			})
		}
	}
}

// variants are the ways to run a world in which operations leave the fast paths.
var variants = []struct {
	name string
	set  func(*shmem.Options)
}{
	{"checked", func(o *shmem.Options) { o.Check = shmem.CheckOn }},
	{"nodes of 1", func(o *shmem.Options) { o.NodeSize = 1 }},
	{"nodes of 2", func(o *shmem.Options) { o.NodeSize = 2 }},
	{"checked, nodes of 3", func(o *shmem.Options) { o.NodeSize, o.Check = 3, shmem.CheckOn }},
}

// TestConformanceVariants runs the checks in checked mode and on virtual nodes, with
// goroutine PEs and as processes.
func TestConformanceVariants(t *testing.T) {
	checks := append(conformance.All(), conformance.Endings()...)
	sizes := worldSizes(t, 5)
	if raced {
		sizes = []int{3} // five race no more
	}
	for i, v := range variants {
		if raced && i%2 == 1 { // the same paths with other numbers
			continue
		}
		o := roomy
		v.set(&o)
		for _, n := range sizes {
			t.Run(fmt.Sprintf("%s,n=%d", v.name, n), func(t *testing.T) { each(t, n, o, checks) })
		}
		if raced || i < 2 { // the others go the same ways, and more
			continue
		}
		t.Run(v.name+",processes", func(t *testing.T) {
			shmemtest.RunProcessesWith(t, 3, o, func(t testing.TB, w *shmem.World) {
				conformance.RunAll(t, w, conformance.All())
			})
		})
	}
}

// weakened is weak mode, or puts a weak engine with a fault in front of each PE's heap.
func weakened(o shmem.Options, seed uint64, fault weak.Fault) shmem.Options {
	if fault == weak.Sound {
		o.Weak = seed + 1
		return o
	}
	return shmem.WithHeap(o, func(h engine.Heap) engine.Heap {
		w := weak.Wrap(h, seed)
		w.Break = fault
		return w
	})
}
