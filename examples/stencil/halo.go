package main

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
)

// halo brings the edges of the neighbours' blocks.
//
// Each side has two boxes, used by turns. A neighbour fills the first again only
// when it has had my edge for the sweep between, and that I sent when I was done with
// the first: so nobody asks whether a box is free.
type halo struct {
	b     *block
	boxes [2][4]box
	edge  []float64 // on its way out
}

// box is where one neighbour puts its edge, and the number of the last one there.
type box struct {
	data shmem.Array[float64]
	full shmem.Signal
}

// newHalo makes the boxes for edges of up to so many points: blocks may differ by a
// row or a column, but allocations are the same everywhere.
func newHalo(ctx context.Context, w *shmem.World, b *block, points int) (*halo, error) {
	size := radius * points
	all, err := shmem.Alloc[float64](ctx, w, 8*size)
	if err != nil {
		return nil, err
	}
	signals, err := shmem.AllocSignals(ctx, w, 8)
	if err != nil {
		return nil, err
	}
	h := &halo{b: b}
	for i, signal := range signals {
		data, err := all.Slice(i*size, (i+1)*size)
		if err != nil {
			return nil, err
		}
		h.boxes[i/4][i%4] = box{data, signal}
	}
	return h, nil
}

// exchange sends the edges for sweep k to the neighbours and takes theirs.
func (h *halo) exchange(ctx context.Context, k int) error {
	for _, n := range h.b.neighbours {
		if err := h.send(n, k); err != nil {
			return err
		}
	}
	for _, n := range h.b.neighbours {
		if err := h.receive(ctx, n, k); err != nil {
			return err
		}
	}
	return nil
}

// send puts the edge on a neighbour's side into the box that he has for it.
func (h *halo) send(n neighbour, k int) error {
	h.edge = h.edge[:0]
	for line := range h.b.lines(h.b.edge(n.side)) {
		h.edge = append(h.edge, line...)
	}
	box := h.boxes[k%2][n.side^1]
	data, err := box.data.Slice(0, len(h.edge))
	if err != nil {
		return err
	}
	return data.PutSliceSignal(h.edge, n.pe, box.full, shmem.SignalSet, uint64(k+1))
}

// receive waits for a neighbour's edge and copies it to the margin on his side.
func (h *halo) receive(ctx context.Context, n neighbour, k int) error {
	box := h.boxes[k%2][n.side]
	if _, err := box.full.WaitUntil(ctx, shmem.EQ, uint64(k+1)); err != nil {
		return err
	}
	edge, err := box.data.Local()
	if err != nil {
		return err
	}
	for line := range h.b.lines(h.b.margin(n.side)) {
		edge = edge[copy(line, edge):]
	}
	return nil
}
