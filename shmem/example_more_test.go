package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/goshmem/goshmem/shmem"
)

// What goes through a context is completed by the context's Quiet, and its PEs are
// numbered as in the team.
func ExampleArray_Via() {
	local(4, func(ctx context.Context, w *shmem.World) error {
		a, err := shmem.Alloc[int64](ctx, w, 1)
		if err != nil {
			return err
		}
		odd, err := w.Team().SplitStrided(ctx, 1, 2, 2, shmem.TeamConfig{})
		if err != nil {
			return err
		}
		if odd.MyPE() == 0 { // PE 1 of the world
			c, err := odd.NewContext(shmem.ContextOptions{})
			if err != nil {
				return err
			}
			view, err := a.Via(c)
			if err != nil {
				return err
			}
			if err := view.P(0, 7, 1); err != nil { // to PE 3 of the world
				return err
			}
			if err := c.Quiet(ctx); err != nil {
				return err
			}
		}
		if err := odd.Destroy(ctx); err != nil { // ends the context, too
			return err
		}
		if err := w.Barrier(ctx); err != nil {
			return err
		}
		got, err := a.At(0)
		if w.MyPE() == 3 {
			fmt.Println("PE 3 got", got)
		}
		return err
	})
	// Output: PE 3 got 7
}

// Each PE sends i+1 numbers to PE i, so PE i gets i+1 from each.
func ExampleAllToAllV() {
	local(3, func(ctx context.Context, w *shmem.World) error {
		n, me := w.NPEs(), w.MyPE()
		send, receive := shmem.Layout{}, shmem.Layout{}
		for pe := range n {
			send.Counts = append(send.Counts, pe+1)
			send.Offsets = append(send.Offsets, pe*(pe+1)/2)
			receive.Counts = append(receive.Counts, me+1)
			receive.Offsets = append(receive.Offsets, pe*(me+1))
		}
		src, err := shmem.Alloc[int32](ctx, w, n*(n+1)/2)
		if err != nil {
			return err
		}
		dst, err := shmem.Alloc[int32](ctx, w, n*n) // as much as the PE with the most needs
		if err != nil {
			return err
		}
		if err := src.Fill(int32(me)); err != nil {
			return err
		}
		if err := shmem.AllToAllV(ctx, w.Team(), dst, receive, src, send); err != nil {
			return err
		}
		got, err := dst.Local()
		if me == 1 {
			fmt.Println("PE 1 got", got[:n*(me+1)])
		}
		return err
	})
	// Output: PE 1 got [0 0 1 1 2 2]
}

// matrix releases its memory when nobody uses it any more.
type matrix struct{ cells shmem.Array[float64] }

func newMatrix(ctx context.Context, w *shmem.World, released chan<- error) (*matrix, error) {
	cells, err := shmem.Alloc[float64](ctx, w, 100_000)
	if err != nil {
		return nil, err
	}
	m := &matrix{cells}
	runtime.AddCleanup(m, func(cells shmem.Array[float64]) { released <- cells.Release() }, cells)
	return m, nil
}

// The heap has room for one matrix. All PEs find the second to be too much, collect
// garbage, and have it then.
func ExampleArray_Release() {
	local(2, func(ctx context.Context, w *shmem.World) error {
		released := make(chan error, 2)
		if _, err := newMatrix(ctx, w, released); err != nil { // nobody uses it
			return err
		}
		m, err := newMatrix(ctx, w, released)
		if errors.Is(err, shmem.ErrNoMemory) {
			runtime.GC()
			if err := <-released; err != nil { // the cleanup has run
				return err
			}
			m, err = newMatrix(ctx, w, released)
		}
		if err != nil {
			return err
		}
		if w.MyPE() == 0 {
			fmt.Println(m.cells.Len(), "numbers")
		}
		return m.cells.Free(ctx)
	})
	// Output: 100000 numbers
}
