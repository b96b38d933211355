package shmem_test

import (
	"testing"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// TestCollectives is a first look at all of them.
func TestCollectives(t *testing.T) {
	for _, v := range append(variants, struct {
		name string
		set  func(*shmem.Options)
	}{"plain", func(*shmem.Options) {}}) {
		o := roomy
		v.set(&o)
		for _, n := range []int{1, 2, 3, 5, 20} {
			t.Run(v.name, func(t *testing.T) { shmemtest.RunWith(t, n, o, smoke) })
		}
	}
}

func smoke(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	n, me := w.NPEs(), w.MyPE()
	for _, k := range []int{1, 2, 5, 100, 1000, 3000} {
		src := must1(shmem.Alloc[int64](ctx, w, k*n))(t)
		dst := must1(shmem.Alloc[int64](ctx, w, k*n))(t)
		part := must1(src.Slice(0, k))(t)
		small := must1(dst.Slice(0, k))(t)
		loc := must1(src.Local())(t)
		out := must1(dst.Local())(t)
		for i := range loc {
			loc[i] = int64(me*1000000 + i)
		}
		check := func(what string, i int, got, want int64) {
			t.Helper()
			if got != want {
				t.Fatalf("%s of %d: element %d is %d, want %d", what, k, i, got, want)
			}
		}
		root := n / 2
		must(t, shmem.Broadcast(ctx, w.Team(), dst, src, root))
		for i := range out {
			check("broadcast", i, out[i], int64(root*1000000+i))
		}
		must(t, shmem.FCollect(ctx, w.Team(), dst, part))
		for i := range out {
			check("fcollect", i, out[i], int64(i/k*1000000+i%k))
		}
		must(t, shmem.AllToAll(ctx, w.Team(), dst, src))
		for i := range out {
			check("alltoall", i, out[i], int64(i/k*1000000+me*k+i%k))
		}
		must(t, shmem.AllReduce(ctx, w.Team(), small, part, shmem.Sum))
		for i := range k {
			check("allreduce", i, out[i], int64(n*(n-1)/2*1000000+i*n))
		}
		must(t, shmem.ReduceScatter(ctx, w.Team(), small, src, shmem.Max))
		for i := range k {
			check("reducescatter", i, out[i], int64((n-1)*1000000+me*k+i))
		}
		must(t, shmem.InScan(ctx, w.Team(), small, part, shmem.Sum))
		for i := range k {
			check("inscan", i, out[i], int64(me*(me+1)/2*1000000+i*(me+1)))
		}
		must(t, shmem.ExScan(ctx, w.Team(), small, part, shmem.Sum))
		for i := range k {
			check("exscan", i, out[i], int64(me*(me-1)/2*1000000+i*me))
		}
		must(t, shmem.Reduce(ctx, w.Team(), small, part, shmem.Sum, root))
		if me == root {
			for i := range k {
				check("reduce", i, out[i], int64(n*(n-1)/2*1000000+i*n))
			}
		}
		must(t, shmem.Gather(ctx, w.Team(), dst, part, root))
		if me == root {
			for i := range out {
				check("gather", i, out[i], int64(i/k*1000000+i%k))
			}
		}
		must(t, shmem.Scatter(ctx, w.Team(), small, src, root))
		for i := range k {
			check("scatter", i, out[i], int64(root*1000000+me*k+i))
		}
		mine := must1(src.Slice(0, min(me, k)))(t)
		total := must1(shmem.Collect(ctx, w.Team(), dst, mine))(t)
		at := 0
		for pe := range n {
			for i := range min(pe, k) {
				check("collect", at, out[at], int64(pe*1000000+i))
				at++
			}
		}
		check("collect", 0, int64(total), int64(at))
		must(t, shmem.AllReduce(ctx, w.Team(), src, src, shmem.Sum))
		for i := range loc {
			check("in place", i, loc[i], int64(n*(n-1)/2*1000000+i*n))
		}
		must(t, src.Free(ctx))
		must(t, dst.Free(ctx))
	}
}
