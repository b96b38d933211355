package shmem_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// A team is out of order after a collective that a PE could not do, so each mistake has
// a team of its own, on a world of its own: the slots of such teams stay taken.

// mistake is a collective with wrong arguments, on some PE.
type mistake struct {
	op   string
	is   error
	text string
	call func(x data) error
}

// data is what the mistakes are made with: of 8 elements, and of 8 for each PE.
type data struct {
	ctx         context.Context
	t           *shmem.Team
	n           int
	a, b        shmem.Array[int64]
	many, other shmem.Array[int64]
	freed       shmem.Array[int64]
	gone        shmem.Array[int64] // released
	foreign     shmem.Array[int64]
}

func (x data) part(t testing.TB, a shmem.Array[int64], lo, hi int) shmem.Array[int64] {
	t.Helper()
	return must1(a.Slice(lo, hi))(t)
}

// newData makes arrays and a team of all.
func newData(t testing.TB, w *shmem.World) data {
	t.Helper()
	ctx, n := t.Context(), w.NPEs()
	x := data{ctx: ctx, n: n, t: must1(w.Team().SplitStrided(ctx, 0, 1, n, shmem.TeamConfig{}))(t)}
	x.a, x.b = must1(shmem.Alloc[int64](ctx, w, 8))(t), must1(shmem.Alloc[int64](ctx, w, 8))(t)
	x.many, x.other = must1(shmem.Alloc[int64](ctx, w, 8*n))(t), must1(shmem.Alloc[int64](ctx, w, 8*n))(t)
	x.freed, x.gone = must1(shmem.Alloc[int64](ctx, w, 8))(t), must1(shmem.Alloc[int64](ctx, w, 8))(t)
	must(t, x.freed.Free(ctx))
	must(t, x.gone.Release())
	return x
}

// mistakes lists what can be wrong on any PE, for a world of three.
func mistakes(t testing.TB) []mistake {
	sum, none := shmem.Sum[int64], shmem.Array[int64]{}
	layout := func(counts, offsets []int) shmem.Layout { return shmem.Layout{Counts: counts, Offsets: offsets} }
	good := layout([]int{1, 1, 1}, []int{0, 1, 2})
	return []mistake{
		{"broadcast", shmem.ErrPE, "root -1 out of range: the team has 3 PEs", func(x data) error { return shmem.Broadcast(x.ctx, x.t, x.b, x.a, -1) }},
		{"gather", shmem.ErrPE, "root 3 out of range: the team has 3 PEs", func(x data) error { return shmem.Gather(x.ctx, x.t, x.many, x.a, 3) }},
		{"scatter", shmem.ErrPE, "root 3 out of range: the team has 3 PEs", func(x data) error { return shmem.Scatter(x.ctx, x.t, x.a, x.many, 3) }},
		{"reduce", shmem.ErrPE, fmt.Sprintf("root %d out of range: the team has 3 PEs", math.MinInt), func(x data) error { return shmem.Reduce(x.ctx, x.t, x.b, x.a, sum, math.MinInt) }},
		{"broadcast", shmem.ErrLength, "the destination has 8 elements, the source 24: slice the longer one", func(x data) error { return shmem.Broadcast(x.ctx, x.t, x.a, x.many, 0) }},
		{"broadcast", shmem.ErrArgument, "source and destination overlap", func(x data) error {
			return shmem.Broadcast(x.ctx, x.t, x.part(t, x.a, 0, 4), x.part(t, x.a, 3, 7), 0)
		}},
		{"fcollect", shmem.ErrLength, "8 elements for 3 PEs with 8 each: 24 are needed", func(x data) error { return shmem.FCollect(x.ctx, x.t, x.b, x.a) }},
		{"fcollect", shmem.ErrArgument, "source and destination overlap", func(x data) error { return shmem.FCollect(x.ctx, x.t, x.many, x.part(t, x.many, 1, 9)) }},
		{"collect", shmem.ErrArgument, "source and destination overlap", func(x data) error { return second(shmem.Collect(x.ctx, x.t, x.many, x.part(t, x.many, 0, 8))) }},
		{"alltoall", shmem.ErrLength, "8 elements cannot be divided among 3 PEs", func(x data) error { return shmem.AllToAll(x.ctx, x.t, x.b, x.a) }},
		{"alltoall", shmem.ErrArgument, "source and destination overlap", func(x data) error { return shmem.AllToAll(x.ctx, x.t, x.many, x.many) }},
		{"alltoallv", shmem.ErrLength, "the send layout has 2 counts and 3 offsets for 3 PEs", func(x data) error {
			return shmem.AllToAllV(x.ctx, x.t, x.b, good, x.a, layout([]int{1, 1}, []int{0, 1, 2}))
		}},
		{"alltoallv", shmem.ErrLength, "the receive layout has 0 counts and 0 offsets for 3 PEs", func(x data) error {
			return shmem.AllToAllV(x.ctx, x.t, x.b, shmem.Layout{}, x.a, good)
		}},
		{"alltoallv", shmem.ErrBounds, "the send layout has -1 elements from 0 on for PE 1 of the team: the array has 8", func(x data) error {
			return shmem.AllToAllV(x.ctx, x.t, x.b, good, x.a, layout([]int{1, -1, 1}, []int{0, 0, 2}))
		}},
		{"alltoallv", shmem.ErrBounds, "the receive layout has 1 elements from -1 on for PE 0 of the team: the array has 8", func(x data) error {
			return shmem.AllToAllV(x.ctx, x.t, x.b, layout([]int{1, 1, 1}, []int{-1, 1, 2}), x.a, good)
		}},
		{"alltoallv", shmem.ErrBounds, "the receive layout has 2 elements from 7 on for PE 2 of the team: the array has 8", func(x data) error {
			return shmem.AllToAllV(x.ctx, x.t, x.b, layout([]int{1, 1, 2}, []int{0, 1, 7}), x.a, good)
		}},
		{"alltoallv", shmem.ErrBounds, "the receive layout has 9223372036854775807 elements from 9223372036854775807 on for PE 2 of the team: the array has 8", func(x data) error {
			return shmem.AllToAllV(x.ctx, x.t, x.b, layout([]int{1, 1, math.MaxInt}, []int{0, 1, math.MaxInt}), x.a, good)
		}},
		{"alltoallv", shmem.ErrArgument, "source and destination overlap", func(x data) error { return shmem.AllToAllV(x.ctx, x.t, x.a, good, x.a, good) }},
		{"allreduce", shmem.ErrArgument, "no operation: use Sum, Prod, Min, Max, And, Or or Xor", func(x data) error { return shmem.AllReduce(x.ctx, x.t, x.b, x.a, nil) }},
		{"reduce", shmem.ErrArgument, "no operation: use Sum, Prod, Min, Max, And, Or or Xor", func(x data) error {
			none := func(int64) shmem.Operation { return shmem.Operation{} }
			return shmem.Reduce(x.ctx, x.t, x.b, x.a, none, 0)
		}},
		{"allreduce", shmem.ErrLength, "the destination has 24 elements, the source 8: slice the longer one", func(x data) error { return shmem.AllReduce(x.ctx, x.t, x.many, x.a, sum) }},
		{"reduce scatter", shmem.ErrLength, "8 elements for 3 PEs with 8 each: 24 are needed", func(x data) error { return shmem.ReduceScatter(x.ctx, x.t, x.b, x.a, sum) }},
		{"reduce scatter", shmem.ErrArgument, "source and destination overlap", func(x data) error {
			return shmem.ReduceScatter(x.ctx, x.t, x.part(t, x.many, 1, 9), x.many, sum)
		}},
		{"inscan", shmem.ErrArgument, "source and destination overlap", func(x data) error {
			return shmem.InScan(x.ctx, x.t, x.part(t, x.a, 1, 8), x.part(t, x.a, 0, 7), sum)
		}},
		{"exscan", shmem.ErrArgument, "the zero value has no memory: use Alloc or AllocSignal", func(x data) error { return shmem.ExScan(x.ctx, x.t, none, x.a, sum) }},
		{"gather", shmem.ErrArgument, "the zero value has no memory: use Alloc or AllocSignal", func(x data) error { return shmem.Gather(x.ctx, x.t, x.many, none, 0) }},
		{"scatter", shmem.ErrArgument, "the zero value has no memory: use Alloc or AllocSignal", func(x data) error { return shmem.Scatter(x.ctx, x.t, none, x.many, 0) }},
		{"fcollect", shmem.ErrFreed, "the array was freed at badinput_collective_test.go:", func(x data) error { return shmem.FCollect(x.ctx, x.t, x.many, x.freed) }},
		{"broadcast", shmem.ErrFreed, "has released the array at badinput_collective_test.go:", func(x data) error { return shmem.Broadcast(x.ctx, x.t, x.gone, x.a, 0) }},
		{"reduce", shmem.ErrForeign, "an array belongs to another world than the team", func(x data) error { return shmem.Reduce(x.ctx, x.t, x.b, x.foreign, sum, 0) }},
	}
}

// TestBadCollectives makes each mistake on the last PE, where the others do something
// else, and on all PEs.
func TestBadCollectives(t *testing.T) {
	if jobSize(t) > 0 {
		return // worlds of three
	}
	must(t, shmem.RunLocal(t.Context(), 1, badOptions(), func(ctx context.Context, w *shmem.World) error {
		foreign, err := shmem.Alloc[int64](ctx, w, 8)
		for _, everybody := range []bool{false, true} {
			shmemtest.RunWith(t, 3, badOptions(), func(t testing.TB, w *shmem.World) {
				x := newData(t, w)
				x.foreign = foreign
				for _, m := range slices.Concat(mistakes(t), sliceMistakes()) {
					x.t = must1(w.Team().SplitStrided(x.ctx, 0, 1, 3, shmem.TeamConfig{}))(t)
					makeMistake(t, w, x, m, everybody || w.MyPE() == 2)
				}
			})
		}
		return err
	}))
}

// makeMistake has this PE make a mistake or, if it is innocent, a barrier.
func makeMistake(t testing.TB, w *shmem.World, x data, m mistake, mine bool) {
	t.Helper()
	if mine {
		err := m.call(x)
		wrong{is: m.is, op: m.op, peer: -1, text: m.text}.in(w).check(t, err)
		err = m.call(x)
		wrong{is: m.is, op: m.op, peer: -1, text: m.text}.in(w).check(t, err)
		return
	}
	err := x.t.Barrier(x.ctx)
	for _, text := range []string{"PE 2 gave this team up: ", m.text[:min(len(m.text), 270)]} {
		wrong{is: shmem.ErrMismatch, op: "barrier", peer: -1, text: text}.in(w).check(t, err)
	}
	wrong{is: shmem.ErrMismatch, op: "barrier", peer: -1, text: "the team is out of order since an earlier collective failed: PE 2 gave this team up: "}.in(w).check(t, x.t.Barrier(x.ctx))
	if err != nil && strings.Count(err.Error(), m.text) != 1 {
		t.Errorf("%v: should give the reason once", err)
	}
}
