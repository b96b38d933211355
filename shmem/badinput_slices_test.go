package shmem_test

import (
	"fmt"
	"math"

	"github.com/goshmem/goshmem/shmem"
)

// pointing is an element that means nothing to another PE.
type pointing struct {
	n    int
	next *pointing
}

// sliceMistakes are those that can be made with collectives of slices, for a world of three.
func sliceMistakes() []mistake {
	type floats = []float64
	sum := shmem.Sum[float64]
	const overlap = "source and destination overlap"
	own := make(floats, 24)
	return append([]mistake{
		{"broadcast", shmem.ErrPE, "root -1 out of range: the team has 3 PEs", func(x data) error { return shmem.BroadcastSlice(x.ctx, x.t, own, -1) }},
		{"broadcast", shmem.ErrPE, "root 3 out of range: the team has 3 PEs", func(x data) error { return shmem.BroadcastSlice(x.ctx, x.t, floats(nil), 3) }},
		{"broadcast", shmem.ErrPE, fmt.Sprintf("root %d out of range: the team has 3 PEs", math.MinInt), func(x data) error { return shmem.BroadcastSlice(x.ctx, x.t, own, math.MinInt) }},
		{"fcollect", shmem.ErrLength, "8 elements for 3 PEs with 8 each: 24 are needed", func(x data) error { return shmem.FCollectSlice(x.ctx, x.t, own[:8], own[16:24]) }},
		{"fcollect", shmem.ErrLength, "0 elements for 3 PEs with 1 each: 3 are needed", func(x data) error { return shmem.FCollectSlice(x.ctx, x.t, nil, own[:1]) }},
		{"fcollect", shmem.ErrLength, "24 elements for 3 PEs with 0 each: 0 are needed", func(x data) error { return shmem.FCollectSlice(x.ctx, x.t, own, nil) }},
		{"fcollect", shmem.ErrArgument, overlap, func(x data) error { return shmem.FCollectSlice(x.ctx, x.t, own, own[1:9]) }},
		{"alltoall", shmem.ErrLength, "8 elements cannot be divided among 3 PEs", func(x data) error { return shmem.AllToAllSlice(x.ctx, x.t, own[:8], own[8:16]) }},
		{"alltoall", shmem.ErrLength, "the destination has 3 elements, the source 6: slice the longer one", func(x data) error { return shmem.AllToAllSlice(x.ctx, x.t, own[:3], own[3:9]) }},
		{"alltoall", shmem.ErrArgument, overlap, func(x data) error { return shmem.AllToAllSlice(x.ctx, x.t, own, own) }},
		{"allreduce", shmem.ErrLength, "the destination has 2 elements, the source 3: slice the longer one", func(x data) error { return shmem.AllReduceSlice(x.ctx, x.t, own[:2], own[2:5], sum) }},
		{"allreduce", shmem.ErrArgument, overlap, func(x data) error { return shmem.AllReduceSlice(x.ctx, x.t, own[:8], own[1:9], sum) }},
		{"allreduce", shmem.ErrArgument, "no operation: use Sum, Prod, Min, Max, And, Or or Xor", func(x data) error { return shmem.AllReduceSlice(x.ctx, x.t, own, own, nil) }},
		{"reduce scatter", shmem.ErrLength, "24 elements for 3 PEs with 9 each: 27 are needed", func(x data) error { return shmem.ReduceScatterSlice(x.ctx, x.t, make(floats, 9), own, sum) }},
		{"reduce scatter", shmem.ErrLength, "3 elements for 3 PEs with 0 each: 0 are needed", func(x data) error { return shmem.ReduceScatterSlice(x.ctx, x.t, nil, own[:3], sum) }},
		{"reduce scatter", shmem.ErrArgument, overlap, func(x data) error { return shmem.ReduceScatterSlice(x.ctx, x.t, own[:8], own, sum) }},
		{"reduce scatter", shmem.ErrArgument, "no operation: use Sum, Prod, Min, Max, And, Or or Xor", func(x data) error { return shmem.ReduceScatterSlice(x.ctx, x.t, own[:8], own[:24], nil) }},
	}, pointerMistakes()...)
}

// pointerMistakes pass elements that hold a pointer, of whatever depth.
func pointerMistakes() []mistake {
	texts := make([]string, 3)
	list := make([][2]pointing, 3)
	list[0][1].next = &list[1][0]
	list[0][1].n++
	return []mistake{
		{"broadcast", shmem.ErrArgument, "string holds a pointer", func(x data) error { return shmem.BroadcastSlice(x.ctx, x.t, texts, 0) }},
		{"fcollect", shmem.ErrArgument, "holds a pointer (next: ptr)", func(x data) error { return shmem.FCollectSlice(x.ctx, x.t, list, list[:1]) }},
		{"alltoall", shmem.ErrArgument, "holds a pointer", func(x data) error { return shmem.AllToAllSlice(x.ctx, x.t, make([]any, 3), make([]any, 3)) }},
	}
}
