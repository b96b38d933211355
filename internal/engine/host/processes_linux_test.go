//go:build !race

package host

import (
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
		for _, h := range heaps {
			if err := h.Close(); err != nil {
				t.Errorf("close PE %d: %v", h.rank, err)
			}
		}
	})
	return heaps
}
