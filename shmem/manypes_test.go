package shmem_test

import (
	"context"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// TestManyPEs does every collective with as many goroutine PEs as there can be. Where a
// collective took a meeting for each PE this would take minutes.
func TestManyPEs(t *testing.T) {
	if jobSize(t) > 0 {
		return // a world of goroutine PEs
	}
	o := shmem.Options{HeapSize: 64 << 10, Timeout: 2 * time.Minute, Check: shmem.CheckOff}
	const n = shmem.MaxLocal
	must(t, shmem.RunLocal(t.Context(), n, o, func(ctx context.Context, w *shmem.World) error {
		team, me := w.Team(), w.MyPE()
		one, got := must1(shmem.Alloc[int64](ctx, w, 1))(t), must1(shmem.Alloc[int64](ctx, w, 1))(t)
		many, all := must1(shmem.Alloc[int32](ctx, w, n))(t), must1(shmem.Alloc[int32](ctx, w, n))(t)
		mine := must1(all.Slice(me, me+1))(t)
		must(t, one.Set(0, int64(me)))
		is := func(what string, want int64) {
			if v := must1(got.At(0))(t); v != want {
				t.Errorf("PE %d: %s gave %d, want %d", me, what, v, want)
			}
		}
		own := must1(all.Local())(t)
		are := func(what string, want func(pe int) int32) {
			for pe, v := range own {
				if v != want(pe) {
					t.Errorf("PE %d: %s gave %d for PE %d, want %d", me, what, v, pe, want(pe))
					break
				}
			}
		}
		must(t, shmem.Broadcast(ctx, team, got, one, 700))
		is("broadcast", 700)
		must(t, shmem.AllReduce(ctx, team, got, one, shmem.Sum))
		is("allreduce", n*(n-1)/2)
		must(t, shmem.InScan(ctx, team, got, one, shmem.Sum))
		is("inscan", int64(me)*int64(me+1)/2)
		must(t, mine.Set(0, int32(me)))
		must(t, shmem.FCollect(ctx, team, all, mine))
		are("fcollect", func(pe int) int32 { return int32(pe) })
		for pe, to := 0, must1(many.Local())(t); pe < n; pe++ {
			to[pe] = int32(me<<10 | pe)
		}
		must(t, shmem.AllToAll(ctx, team, all, many))
		are("alltoall", func(pe int) int32 { return int32(pe<<10 | me) })
		must(t, all.Fill(0))
		l := shmem.Layout{Counts: make([]int, n), Offsets: make([]int, n)}
		for pe := range n {
			l.Counts[pe], l.Offsets[pe] = 1, pe
		}
		must(t, shmem.AllToAllV(ctx, team, all, l, many, l))
		are("alltoallv", func(pe int) int32 { return int32(pe<<10 | me) })
		manySlices(t, ctx, team)
		must(t, shmem.Gather(ctx, team, all, must1(many.Slice(3, 4))(t), 9))
		if me == 9 {
			are("gather", func(pe int) int32 { return int32(pe<<10 | 3) })
		}
		return nil
	}))
}

// triple is an element of which rooms as small as those of goroutine PEs take less than one
// for each of many PEs.
type triple [3]int64

// manySlices passes the parts for all others through rooms that are small for so many.
func manySlices(t *testing.T, ctx context.Context, team *shmem.Team) {
	n, me := team.NPEs(), team.MyPE()
	to, from := make([]triple, n), make([]triple, n)
	for pe := range from {
		from[pe] = triple{int64(me), int64(pe), -1}
	}
	must(t, shmem.AllToAllSlice(ctx, team, to, from))
	for pe, v := range to {
		if v != (triple{int64(pe), int64(me), -1}) {
			t.Errorf("PE %d: alltoall of slices gave %v for PE %d", me, v, pe)
			break
		}
	}
	sum, parts := make([]complex128, 1), make([]complex128, n)
	for pe := range parts {
		parts[pe] = complex(float64(pe), float64(me))
	}
	must(t, shmem.ReduceScatterSlice(ctx, team, sum, parts, shmem.Sum))
	if want := complex(float64(n*me), float64(n*(n-1)/2)); sum[0] != want {
		t.Errorf("PE %d: reduce scatter of slices gave %v, want %v", me, sum[0], want)
	}
}

// TestManyPEsFar passes slices where only the engine reaches the others.
func TestManyPEsFar(t *testing.T) {
	if jobSize(t) > 0 {
		return // a world of goroutine PEs
	}
	o := shmem.Options{HeapSize: 64 << 10, Timeout: time.Minute, Check: shmem.CheckOff, NodeSize: 100}
	must(t, shmem.RunLocal(t.Context(), 300, o, func(ctx context.Context, w *shmem.World) error {
		manySlices(t, ctx, w.Team())
		return nil
	}))
}
