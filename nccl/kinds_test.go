package nccl_test

import (
	"math"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/nccl"
)

// kind is an element type, and how its numbers are made and read.
type kind[T any] struct {
	t         nccl.DataType
	from      func(v float64) T
	to        func(x T) float64
	whole     bool    // integers: averages are cut off
	eight     bool    // floats of eight bits: few numbers are exact
	tolerance float64 // of averages
}

func integer[T int8 | uint8 | int32 | uint32 | int64 | uint64]() kind[T] {
	t, _ := ccl.TypeOf[T]()
	return kind[T]{t: t, from: func(v float64) T { return T(v) }, to: func(x T) float64 { return float64(x) }, whole: true}
}

func float[T float32 | float64](tolerance float64) kind[T] {
	t, _ := ccl.TypeOf[T]()
	return kind[T]{t: t, from: func(v float64) T { return T(v) }, to: func(x T) float64 { return float64(x) }, tolerance: tolerance}
}

// narrow is a type of package dtype.
type narrow interface{ Float32() float32 }

func half[T narrow](from func(float32) T, tolerance float64) kind[T] {
	t, size := ccl.TypeOf[T]()
	return kind[T]{t: t, from: func(v float64) T { return from(float32(v)) }, to: func(x T) float64 { return float64(x.Float32()) },
		eight: size == 1, tolerance: tolerance}
}

// typed is what a check does with one type.
type typed func(r *rank) error

// ofAllTypes makes a check of every type. The functions are the same generic one.
func ofAllTypes(name string, i8, u8, i32, u32, i64, u64, f32, f64, f16, bf16, e4m3, e5m2 typed) []check {
	var list []check
	for i, run := range []typed{i8, u8, i32, u32, i64, u64, f16, f32, f64, bf16, e4m3, e5m2} {
		list = append(list, check{name + "/" + nccl.DataType(i).String(), run})
	}
	return list
}

func reductionChecks() []check {
	return ofAllTypes("reduce", reductions(integer[int8]()), reductions(integer[uint8]()), reductions(integer[int32]()), reductions(integer[uint32]()),
		reductions(integer[int64]()), reductions(integer[uint64]()), reductions(float[float32](1e-5)), reductions(float[float64](1e-12)),
		reductions(half(dtype.F16, 0.01)), reductions(half(dtype.BF16, 0.03)), reductions(half(dtype.F8E4M3, 0.3)), reductions(half(dtype.F8E5M2, 0.5)))
}

func moveChecks() []check {
	return ofAllTypes("move", moves(integer[int8]()), moves(integer[uint8]()), moves(integer[int32]()), moves(integer[uint32]()),
		moves(integer[int64]()), moves(integer[uint64]()), moves(float[float32](0)), moves(float[float64](0)),
		moves(half(dtype.F16, 0)), moves(half(dtype.BF16, 0)), moves(half(dtype.F8E4M3, 0)), moves(half(dtype.F8E5M2, 0)))
}

// operation is what a reduction is tried with: what a rank gives, and what comes of it.
type operation struct {
	op   nccl.Op
	give func(rank, i int) float64
	want func(i int) float64
	mean bool
}

// operations keeps to numbers that the type has exactly, but for averages.
func operations[T any](k kind[T], size int) []operation {
	n := float64(size)
	step := func(i int) float64 { return float64(i % 5) }
	mine := func(rank, i int) float64 { return float64(rank+1) + step(i) }
	sum := operation{nccl.Sum, mine, func(i int) float64 { return n*(n+1)/2 + n*step(i) }, false}
	avg := operation{nccl.Avg, mine, func(i int) float64 { return (n+1)/2 + step(i) }, true}
	if k.eight {
		same := func(_, i int) float64 { return float64(1 + i%2) }
		sum.give, sum.want = same, func(i int) float64 { return n * same(0, i) }
		avg.give, avg.want = same, func(i int) float64 { return same(0, i) }
	}
	if k.whole {
		mean := avg.want
		avg.want = func(i int) float64 { return math.Floor(mean(i)) }
	}
	return []operation{sum, avg,
		{nccl.Prod, func(rank, i int) float64 { return float64(1 + b2i(rank == i%size)) }, func(int) float64 { return 2 }, false},
		{nccl.Max, mine, func(i int) float64 { return n + step(i) }, false},
		{nccl.Min, mine, func(i int) float64 { return 1 + step(i) }, false},
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
