//go:build !race

package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
)

// The race detector does not see memory that is not Go's.
const hasProcesses = true

// processHeaps opens a world of processes whose PEs all live in this one.
func processHeaps(t *testing.T, n int, c engine.Config) []*Heap {
	t.Helper()
	heaps := make([]*Heap, n)
	ex := exchanges(n)
	errs := each(heaps, func(*Heap) error { return nil })
	done := make(chan int)
	for rank := range n {
		go func() {
			heaps[rank], errs[rank] = open(t.Context(), engine.Job{Config: c, Rank: rank, Size: n, Exchange: ex[rank]})
			done <- rank
		}()
	}
	for range n {
		<-done
	}
	none(t, errs)
	if t.Failed() {
		t.FailNow()
	}
	t.Cleanup(func() {
		none(t, each(heaps, (*Heap).Close)) // together: those of several nodes wait for each other
	})
	return heaps
}

// holdings are what this process has of segments: mappings and descriptors.
func holdings(t *testing.T) (mappings, descriptors int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && (strings.HasPrefix(to, "/memfd:goshmem") || strings.HasSuffix(to, "[pidfd]")) {
			descriptors++
		}
	}
	return strings.Count(string(maps), "/memfd:goshmem"), descriptors
}

// TestFailedOpenLeavesNothing: a world that does not come into being leaves neither
// mappings nor descriptors in a process that lives on.
func TestFailedOpenLeavesNothing(t *testing.T) {
	mappings, descriptors := holdings(t)
	const n = 3
	ex := exchanges(n)
	errs := make(chan error)
	for rank := range n {
		c := smallConfig()
		if rank == n-1 {
			c.HeapSize *= 2
		}
		go func() {
			_, err := open(t.Context(), engine.Job{Config: c, Rank: rank, Size: n, Exchange: ex[rank]})
			errs <- err
		}()
	}
	for range n {
		if err := <-errs; !errors.Is(err, engine.ErrMismatch) || strings.Contains(err.Error(), "\n") {
			t.Errorf("heaps of two sizes: %v", err)
		}
	}
	if m, d := holdings(t); m != mappings || d != descriptors {
		t.Errorf("%d mappings and %d descriptors before, %d and %d after", mappings, descriptors, m, d)
	}
}
