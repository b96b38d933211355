package shmem_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

func TestZZCost(t *testing.T) {
	for _, rounds := range []int{1000} {
		var off, on []time.Duration
		for i := range 7 {
			for _, seed := range []uint64{0, uint64(i + 1)} {
				o := shmem.Options{HeapSize: 1 << 20, Check: shmem.CheckOff, Weak: seed}
				var took time.Duration
				must(t, shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
					a := must1(shmem.Alloc[int64](ctx, w, 64))(t)
					b := must1(shmem.Alloc[int64](ctx, w, 64))(t)
					must(t, w.Barrier(ctx))
					start := time.Now()
					for range rounds {
						if err := a.Put(b, 1-w.MyPE()); err != nil {
							return err
						}
						if err := w.Barrier(ctx); err != nil {
							return err
						}
					}
					if w.MyPE() == 0 {
						took = time.Since(start)
					}
					return nil
				}))
				if seed == 0 {
					off = append(off, took/time.Duration(rounds))
				} else {
					on = append(on, took/time.Duration(rounds))
				}
			}
		}
		slices.Sort(off)
		slices.Sort(on)
		t.Logf("%d rounds: off %v on %v factor %.1f; all %v %v", rounds, off[3], on[3], float64(on[3])/float64(off[3]), off, on)
	}
}
