package shmem

import (
	"cmp"
	"context"
	"slices"

	"github.com/goshmem/goshmem/internal/engine"
)

// Release gives up this PE's part in the allocation, also if a is a slice of it.
// Using the array afterwards is ErrFreed on this PE; the others may go on. When all
// PEs have released it, the next Alloc takes the memory back. It never waits, so a
// cleanup of package runtime may call it. Not collective; Free is the collective
// way. No OpenSHMEM counterpart.
func (a Array[T]) Release() error {
	if a.b == nil {
		return fail(nil, "release", noPeer, problem(ErrArgument, "the zero value has no memory"))
	}
	b := a.b.allocation()
	if !b.state.CompareAndSwap(live, released) {
		return fail(b.w, "release", noPeer, b.ended())
	}
	b.spread(released)
	b.w.released.Add(1)
	return nil
}

// reclaim takes back what all PEs have released, and returns how many arrays these
// were. all is what the PEs have told each other in the allocation call: as every
// PE reads the same there, all or none go on to compare in detail.
func (w *World) reclaim(ctx context.Context, call engine.Call, all []engine.Words) (int, error) {
	if len(all) == 0 || slices.ContainsFunc(all, func(words engine.Words) bool { return words[wordRefuse] < pending0 }) {
		return 0, nil
	}
	if err := w.quietAll(ctx); err != nil { // puts of this PE must not land in somebody's next block
		return 0, err
	}
	blocks := w.inOrder()
	var gone []*block
	for some := range slices.Chunk(blocks, 64*len(engine.Words{})) {
		agreed, err := w.releasedByAll(ctx, call, some)
		if err != nil {
			return 0, err
		}
		gone = append(gone, agreed...)
	}
	for _, b := range gone {
		b.become(freed)
		w.released.Add(-1)
		if err := w.giveBack(b); err != nil {
			return 0, err
		}
	}
	return len(gone), nil
}

// releasedByAll returns those of some blocks that every PE has released: a bit each.
func (w *World) releasedByAll(ctx context.Context, call engine.Call, some []*block) ([]*block, error) {
	var common engine.Words
	for i, b := range some {
		if b.state.Load() == released {
			common[i/64] |= 1 << (i % 64)
		}
	}
	all, err := w.world.gather(ctx, call, common)
	if err != nil {
		return nil, err
	}
	for _, words := range all {
		for i := range common {
			common[i] &= words[i]
		}
	}
	var gone []*block
	for i, b := range some {
		if common[i/64]>>(i%64)&1 != 0 {
			gone = append(gone, b)
		}
	}
	return gone, nil
}

// inOrder returns the blocks as they were allocated, which is the same on all PEs.
func (w *World) inOrder() []*block {
	w.mu.Lock()
	defer w.mu.Unlock()
	blocks := slices.Clone(w.blocks)
	slices.SortFunc(blocks, func(a, b *block) int { return cmp.Compare(a.seq, b.seq) })
	return blocks
}
