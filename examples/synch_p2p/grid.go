package main

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
)

// grid is one PE's columns of the grid, without the first column of all: that never
// changes and stands on the left of PE 0 as other PEs stand on the left of others.
type grid struct {
	me, pes    int
	rows, cols int
	points     []float64 // row by row, in ordinary memory: only what others write must be symmetric
	boxes      []box     // one per row, for the PE on the left
	left       []float64 // what is in the boxes: the column on the left
}

// box is where the PE on the left puts its last point of a row, and the number of the
// pass. One signal for all rows would need a fence in front of each number.
type box struct {
	point shmem.Array[float64]
	full  shmem.Signal
}

// newGrid makes a grid of zeros, with 0, 1, 2 and so on in its first row and column.
func newGrid(ctx context.Context, w *shmem.World, columns, rows int) (*grid, error) {
	g := &grid{me: w.MyPE(), pes: w.NPEs(), rows: rows}
	first, end := 1+(columns-1)*g.me/g.pes, 1+(columns-1)*(g.me+1)/g.pes
	g.cols = end - first
	if err := g.alloc(ctx, w); err != nil {
		return nil, err
	}
	g.points = make([]float64, rows*g.cols)
	for i := range g.cols {
		g.points[i] = float64(first + i)
	}
	g.left[0] = float64(first - 1)
	if g.me == 0 {
		for row := range rows {
			g.left[row] = float64(row)
		}
	}
	return g, nil
}

// alloc makes the boxes.
func (g *grid) alloc(ctx context.Context, w *shmem.World) error {
	points, err := shmem.Alloc[float64](ctx, w, g.rows)
	if err != nil {
		return err
	}
	if g.left, err = points.Local(); err != nil {
		return err
	}
	signals, err := shmem.Alloc[uint64](ctx, w, g.rows)
	if err != nil {
		return err
	}
	g.boxes = make([]box, g.rows)
	for row := range g.boxes {
		if g.boxes[row].point, err = points.Slice(row, row+1); err != nil {
			return err
		}
		if g.boxes[row].full, err = shmem.SignalAt(signals, row); err != nil {
			return err
		}
	}
	return nil
}

// pass goes once over the grid, row by row, as soon as the PE on the left has done the
// row. The last PE ends it: its last point, with the sign changed, becomes the first of
// all. The box of row 0 is free for that, because row 0 never changes.
func (g *grid) pass(ctx context.Context, k uint64) error {
	for row := 1; row < g.rows; row++ {
		if g.me > 0 {
			if err := g.wait(ctx, row, k); err != nil {
				return err
			}
		}
		g.sweep(row)
		if g.me+1 < g.pes {
			if err := g.send(row, g.me+1, g.last(row), k); err != nil {
				return err
			}
		}
	}
	if g.me+1 == g.pes {
		if err := g.send(0, 0, -g.last(g.rows-1), k); err != nil {
			return err
		}
	}
	if g.me == 0 {
		return g.wait(ctx, 0, k)
	}
	return nil
}

// wait waits until the box of a row has what belongs to pass k.
func (g *grid) wait(ctx context.Context, row int, k uint64) error {
	_, err := g.boxes[row].full.WaitUntil(ctx, shmem.EQ, k)
	return err
}

// send puts a point of pass k into a PE's box of a row.
func (g *grid) send(row, pe int, point float64, k uint64) error {
	box := &g.boxes[row]
	return box.point.PutSliceSignal([]float64{point}, pe, box.full, shmem.SignalSet, k)
}

// last is the last point of a row.
func (g *grid) last(row int) float64 { return g.points[(row+1)*g.cols-1] }

// sweep makes each point of a row the sum of the points left of it and above it, less
// the one between these.
func (g *grid) sweep(row int) {
	above, here := g.points[(row-1)*g.cols:][:g.cols], g.points[row*g.cols:][:g.cols]
	left, between := g.left[row], g.left[row-1]
	for i, up := range above {
		left += up - between // one addition from point to point: the difference does not have to wait
		here[i] = left
		between = up
	}
}
