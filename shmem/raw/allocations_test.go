//go:build !race

package raw_test

import (
	"context"
	"testing"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

// TestAllocations: moving data allocates nothing, but for the race detector.
func TestAllocations(t *testing.T) {
	o := options
	o.Check = shmem.CheckOff // which records every operation
	err := shmem.RunLocal(t.Context(), 1, o, func(ctx context.Context, w *shmem.World) error {
		p := newPE(t, w)
		src, dst := p.pair(4)
		team, room := p.world(), p.malloc(8)
		for name, f := range map[string]func() error{
			"putmem":          func() error { return raw.Putmem(w, dst, src, 16, 0) },
			"getmem":          func() error { return raw.Getmem(w, dst, src, 16, 0) },
			"int_p":           func() error { return raw.IntP(w, dst, 1, 0) },
			"fetch_add":       func() error { _, err := raw.IntAtomicFetchAdd(w, dst, 1, 0); return err },
			"add":             func() error { return raw.DoubleAtomicSet(w, dst, 1.5, 0) },
			"test":            func() error { _, err := raw.IntTest(w, dst, raw.CmpEq, 1); return err },
			"signal":          func() error { return raw.PutmemSignal(w, dst, src, 8, dst+8, 1, raw.SignalSet, 0) },
			"wait_until_any":  func() error { _, err := raw.IntWaitUntilAny(ctx, w, src, 4, 0, raw.CmpNe, -9); return err },
			"wait_until_all":  func() error { return raw.IntWaitUntilAllVector(ctx, w, src, 4, 0, raw.CmpEq, src) },
			"wait_until_some": func() error { _, err := raw.IntWaitUntilSome(ctx, w, src, 1, room, 0, raw.CmpNe, -9); return err },
			"alltoallmem":     func() error { return raw.Alltoallmem(ctx, team, dst, src, 16) },
			"broadcastmem":    func() error { return raw.Broadcastmem(ctx, team, dst, src, 16, 0) },
			"sum_reduce":      func() error { return raw.CtxIntSumReduce(ctx, nil, team, dst, src, 4) },
			"reduce_scatter":  func() error { return raw.CtxFloatMaxReduceScatter(ctx, nil, team, dst, src, 4) },
		} {
			if n := testing.AllocsPerRun(100, func() { p.ok(f()) }); n != 0 {
				t.Errorf("%s allocates %v times", name, n)
			}
		}
		p.free(room)
		p.free(dst)
		p.free(src)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
