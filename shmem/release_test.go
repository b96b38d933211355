package shmem_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/shmem"
)

// hookedHeap calls a function at the end of each quiet.
type hookedHeap struct {
	engine.Heap
	after *func()
}

func (h hookedHeap) Quiet(ctx context.Context) error {
	err := h.Heap.Quiet(ctx)
	if f := *h.after; f != nil {
		f()
	}
	return err
}

// TestReleaseDuringAlloc: what is released when the quiet of an allocation is over waits
// for the next one, since its puts may not be complete.
func TestReleaseDuringAlloc(t *testing.T) {
	var after func()
	o := shmem.WithHeap(badOptions(), func(h engine.Heap) engine.Heap { return hookedHeap{h, &after} })
	must(t, shmem.RunLocal(t.Context(), 1, o, func(ctx context.Context, w *shmem.World) error {
		early := must1(shmem.Alloc[int64](ctx, w, 1))(t)
		late := must1(shmem.Alloc[int64](ctx, w, 1))(t)
		must(t, early.Release())
		after = func() { after = nil; must(t, late.Release()) }
		for _, blocks := range []int{2, 2} { // the new one and late, then two new ones
			must(t, second(shmem.Alloc[int64](ctx, w, 1)))
			if got := w.HeapStats().Blocks; got != blocks {
				t.Errorf("%d blocks, want %d", got, blocks)
			}
		}
		return nil
	}))
}

// TestReleaseQuietFails: an allocation whose quiet fails takes nothing back, and all PEs
// are told.
func TestReleaseQuietFails(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 2, misusing(), func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[int64](ctx, w, 2))(t)
		b := must1(shmem.Alloc[int64](ctx, w, 2))(t)
		must(t, a.PutNBI(b, 1-w.MyPE()))
		if w.MyPE() == 1 {
			must(t, b.Set(1, 9)) // before the quiet
		}
		must(t, a.Release())
		is := map[int]error{0: shmem.ErrMismatch, 1: shmem.ErrMisuse}[w.MyPE()]
		wrong{is: is, op: "alloc", peer: -1, text: "the source of the non-blocking put at release_test.go:"}.in(w).check(t, second(shmem.Alloc[int64](ctx, w, 1)))
		must(t, w.Barrier(ctx))
		if got := w.HeapStats().Blocks; got != 2 {
			t.Errorf("%d blocks, want 2", got)
		}
		must(t, second(shmem.Alloc[int64](ctx, w, 1)))
		if got := w.HeapStats().Blocks; got != 2 {
			t.Errorf("%d blocks after the next allocation, want 2", got)
		}
		return nil
	}))
}

// TestReleaseAtTheEnd releases from many goroutines while the world is finalized, freed
// and aborted: each is released, or told that it is too late.
func TestReleaseAtTheEnd(t *testing.T) {
	for _, end := range []func(context.Context, *shmem.World, shmem.Array[int64]) error{
		func(ctx context.Context, w *shmem.World, _ shmem.Array[int64]) error { return w.Finalize(ctx) },
		func(_ context.Context, w *shmem.World, _ shmem.Array[int64]) error { w.Abort(errBoom); return nil },
		func(ctx context.Context, _ *shmem.World, a shmem.Array[int64]) error { return a.Free(ctx) },
	} {
		must(t, shmem.RunLocal(t.Context(), 1, badOptions(), func(ctx context.Context, w *shmem.World) error {
			var wg sync.WaitGroup
			var first shmem.Array[int64]
			for i := range 20 {
				a := must1(shmem.Alloc[int64](ctx, w, 1))(t)
				if i == 0 {
					first = a
				}
				wg.Go(func() {
					runtime.Gosched()
					if err := a.Release(); err != nil && !errors.Is(err, shmem.ErrClosed) && !errors.Is(err, shmem.ErrFreed) {
						t.Error(err)
					}
					if err := a.Release(); !errors.Is(err, shmem.ErrClosed) && !errors.Is(err, shmem.ErrFreed) {
						t.Errorf("released twice: %v", err)
					}
				})
			}
			if err := end(ctx, w, first); err != nil && !errors.Is(err, shmem.ErrFreed) {
				t.Error(err)
			}
			wg.Wait()
			if w.Fence() != nil { // the world is over
				return nil
			}
			must(t, must1(shmem.Alloc[int64](ctx, w, 1))(t).Free(ctx)) // takes the rest back
			if got := w.HeapStats().Blocks; got != 0 {
				t.Errorf("%d blocks are left", got)
			}
			return nil
		}))
	}
}
