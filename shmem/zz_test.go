package shmem_test

import (
	"context"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

func TestZZ(t *testing.T) {
	err := shmem.RunLocal(t.Context(), 4, roomy, func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[int64](ctx, w, 8))(t)
		b := must1(shmem.Alloc[int64](ctx, w, 8))(t)
		s := must1(w.Device().NewStream())(t)
		must(t, b.Fill(int64(w.MyPE())))
		must(t, w.BarrierOnStream(s))
		must(t, a.PutOnStream(s, b, (w.MyPE()+1)%4))
		must(t, w.BarrierOnStream(s))
		must(t, s.Synchronize(ctx))
		if v := must1(a.At(3))(t); v != int64(w.MyPE()+3)%4 {
			t.Error(v)
		}
		must(t, w.Sync(ctx))
		for range 100 {
			must(t, shmem.AllReduceOnStream(nil, w.Team(), a, b, shmem.Sum))
		}
		must(t, w.DefaultStream().Synchronize(ctx))
		if v := must1(a.At(3))(t); v != 6 {
			t.Error(v)
		}
		must(t, s.Close())
		must(t, a.Free(ctx))
		must(t, b.Free(ctx))
		return nil
	})
	must(t, err)
}
