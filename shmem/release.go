package shmem

import (
	"cmp"
	"context"
	"slices"

	"github.com/goshmem/goshmem/internal/engine"
)

// Release gives up this PE's part in the allocation, also if a is a slice of it.
// Using the array afterwards is ErrFreed on this PE; the others may go on. When all
// PEs have released it, the next Alloc takes the memory back. It never waits. Not
// collective; Free is the collective way. No OpenSHMEM counterpart.
//
// A cleanup of package runtime may call it, see the example. It does so only after a
// garbage collection, of which symmetric memory, not being Go's, causes none: a program
// that runs out of it has all PEs call runtime.GC after ErrNoMemory, let the cleanups
// run, and call Alloc again.
func (a Array[T]) Release() error {
	if a.b == nil {
		return fail(nil, "release", noPeer, problem(ErrArgument, "the zero value has no memory"))
	}
	b := a.b.allocation()
	if !b.state.CompareAndSwap(live, released) {
		return fail(b.w, "release", noPeer, b.ended())
	}
	site := engine.Site()
	b.end.CompareAndSwap(nil, &site)
	b.spread(released)
	b.w.released.Add(1)
	return nil
}

// givenUp returns what this PE has released before now, after it has completed all
// operations: none of them may land in what comes to stand in the same place.
func (w *World) givenUp(ctx context.Context) ([]*block, error) {
	if w.released.Load() == 0 {
		return nil, nil
	}
	mine := slices.DeleteFunc(w.inOrder(), func(b *block) bool { return b.state.Load() != released })
	if err := w.quietAll(ctx); err != nil {
		return nil, err
	}
	return mine, nil
}

// reclaim takes back what all PEs have released, and returns how many arrays these
// were; mine is what this PE has. all is what the PEs have told each other in the
// allocation call: as every PE reads the same there, all or none go on to compare in
// detail.
func (w *World) reclaim(ctx context.Context, call engine.Call, all []engine.Words, mine []*block) (int, error) {
	if len(all) == 0 || slices.ContainsFunc(all, func(words engine.Words) bool { return words[wordRefuse] < pending0 }) {
		return 0, nil
	}
	var gone []*block
	for some := range slices.Chunk(w.inOrder(), 64*len(engine.Words{})) {
		agreed, err := w.releasedByAll(ctx, call, some, mine)
		if err != nil {
			return 0, err
		}
		gone = append(gone, agreed...)
	}
	for _, b := range gone {
		w.bury(b, "")
		if err := w.giveBack(b); err != nil {
			return 0, err
		}
	}
	return len(gone), nil
}

// releasedByAll returns those of some blocks that every PE has released: a bit each.
// mine, in the same order, are those of this PE.
func (w *World) releasedByAll(ctx context.Context, call engine.Call, some, mine []*block) ([]*block, error) {
	var common engine.Words
	for i, b := range some {
		if _, found := slices.BinarySearchFunc(mine, b, bySeq); found {
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
	slices.SortFunc(blocks, bySeq)
	return blocks
}

func bySeq(a, b *block) int { return cmp.Compare(a.seq, b.seq) }
