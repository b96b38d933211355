package host

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
)

// smallConfig makes a hang a quick failure.
func smallConfig() engine.Config {
	return engine.Config{HeapSize: pageSize, Timeout: 10 * time.Second}
}

// onBoth runs a test on goroutine PEs and, where they exist, on PEs that wait and
// share memory as processes do.
func onBoth(t *testing.T, sizes []int, test func(t *testing.T, heaps []*Heap)) {
	t.Helper()
	for _, n := range sizes {
		t.Run(fmt.Sprintf("goroutines/%d", n), func(t *testing.T) { test(t, newLocal(n, smallConfig())) })
		if hasProcesses {
			t.Run(fmt.Sprintf("processes/%d", n), func(t *testing.T) { test(t, processHeaps(t, n, smallConfig())) })
		}
	}
}

// each runs f on all PEs at once and returns their errors in rank order.
func each(heaps []*Heap, f func(h *Heap) error) []error {
	errs := make([]error, len(heaps))
	var wg sync.WaitGroup
	for i, h := range heaps {
		wg.Go(func() { errs[i] = f(h) })
	}
	wg.Wait()
	return errs
}

// none fails the test for every error that is not nil.
func none(t *testing.T, errs []error) {
	t.Helper()
	for pe, err := range errs {
		if err != nil {
			t.Errorf("PE %d: %v", pe, err)
		}
	}
}

// gates makes every PE's side of the team of all.
func gates(heaps []*Heap, slot int) []*gate {
	members := make([]int, len(heaps))
	for i := range members {
		members[i] = i
	}
	var list []*gate
	for _, h := range heaps {
		list = append(list, h.Gate(slot, members, 0).(*gate))
	}
	return list
}

// exchange joins goroutines that play the processes of a job.
type exchange struct {
	rank   int
	inbox  [][]chan []byte  // of each rank, by root: one root can be ahead of another
	look   func(buf []byte) // sees what is broadcast before anybody gets it
	onRank func(rank int)   // called before a rank takes what is broadcast
}

func exchanges(n int) []exchange {
	inbox := make([][]chan []byte, n)
	for i := range inbox {
		for range n {
			inbox[i] = append(inbox[i], make(chan []byte, 16))
		}
	}
	list := make([]exchange, n)
	for rank := range list {
		list[rank] = exchange{rank: rank, inbox: inbox}
	}
	return list
}

// Broadcast sends root's buffer to everybody's inbox.
func (e exchange) Broadcast(ctx context.Context, buf []byte, root int) error {
	if e.rank == root {
		if e.look != nil {
			e.look(buf)
		}
		for rank, in := range e.inbox {
			if rank != root {
				in[root] <- append([]byte(nil), buf...)
			}
		}
		return nil
	}
	if e.onRank != nil {
		e.onRank(e.rank)
	}
	select {
	case got := <-e.inbox[e.rank][root]:
		copy(buf, got)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Barrier is a broadcast of every rank.
func (e exchange) Barrier(ctx context.Context) error {
	for root := range e.inbox {
		if err := e.Broadcast(ctx, make([]byte, 1), root); err != nil {
			return err
		}
	}
	return nil
}
