package perf

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/reduce"
	"github.com/goshmem/goshmem/shmem"
)

// sharedLimit is how long two processes may take for the largest vectors.
const sharedLimit = 9 * time.Millisecond

// share is one of two PEs that combine two vectors and put the result into the memory
// of both. PE 0 writes the row.
func (t task) share(ctx context.Context, out io.Writer) error {
	w, err := shmem.Init(ctx, shmem.Options{})
	if err != nil {
		return err
	}
	row := Row{Name: "float32 sum by two processes, to both, " + size(t.Vector), Unit: "ns", Peer: "limit", Wanted: 1}
	if err := t.sample(ctx, w, &row); err != nil {
		return err
	}
	row.settle()
	if w.MyPE() == 0 {
		err = json.NewEncoder(out).Encode([]Row{row})
	}
	return errors.Join(err, w.Finalize(ctx))
}

// sample takes the time from one barrier to the next.
func (t task) sample(ctx context.Context, w *shmem.World, row *Row) error {
	sources, err := both(ctx, w, t.Vector)
	if err != nil {
		return err
	}
	dsts, err := both(ctx, w, t.Vector)
	if err != nil {
		return err
	}
	var s reduce.Scratch
	for round := range t.Rounds + 1 {
		if err := w.Barrier(ctx); err != nil {
			return err
		}
		start := time.Now()
		reduce.FoldTo(reduce.Float32, reduce.Sum, dsts, sources, t.Vector/4/w.NPEs(), &s)
		if err := w.Barrier(ctx); err != nil {
			return err
		}
		if round > 0 { // the first touches the memory
			row.Samples = append(row.Samples, Sample{Ours: float64(time.Since(start)), Theirs: float64(sharedLimit), N: 1})
		}
	}
	return nil
}

// both allocates a vector in each PE and returns where this PE's share of all lies.
// Collective.
func both(ctx context.Context, w *shmem.World, bytes int) ([]unsafe.Pointer, error) {
	a, err := shmem.Alloc[float32](ctx, w, bytes/4)
	if err != nil {
		return nil, err
	}
	var halves []unsafe.Pointer
	for pe := range w.NPEs() {
		vector, err := a.Peer(pe)
		if err != nil {
			return nil, err
		}
		halves = append(halves, unsafe.Pointer(&vector[w.MyPE()*len(vector)/w.NPEs()]))
	}
	return halves, nil
}
