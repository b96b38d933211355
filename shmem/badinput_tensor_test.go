package shmem_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// tensorUses are the calls that end in an error if a tensor has no memory. Each gets a
// tensor of shape [3 4] or what stands for it, and a good one.
func tensorUses() []struct {
	op   string
	peer int
	do   func(x, good tensor) error
} {
	ctx := context.Background()
	return []struct {
		op   string
		peer int
		do   func(x, good tensor) error
	}{
		{"tensor put", 0, func(x, good tensor) error { return x.Put(good, 0) }},
		{"tensor get", 0, func(x, good tensor) error { return good.Get(x, 0) }},
		{"tensor put slice", 0, func(x, _ tensor) error { return x.PutSlice(make([]int64, 12), 0) }},
		{"tensor get slice", 0, func(x, _ tensor) error { return x.GetSlice(make([]int64, 12), 0) }},
		{"tensor at", -1, func(x, _ tensor) error { return second(x.At(0, 0)) }},
		{"tensor set", -1, func(x, _ tensor) error { return x.Set(1, 0, 0) }},
		{"tensor fill", -1, func(x, _ tensor) error { return x.Fill(1) }},
		{"tensor copy to", -1, func(x, _ tensor) error { return x.CopyTo(make([]int64, 12)) }},
		{"tensor copy from", -1, func(x, _ tensor) error { return x.CopyFrom(make([]int64, 12)) }},
		{"tensor local", -1, func(x, _ tensor) error { return second(x.Local()) }},
		{"tensor interchange", -1, func(x, _ tensor) error { return second(x.Interchange()) }},
		{"tensor array", -1, func(x, _ tensor) error { return second(x.Array()) }},
		{"tensor index", -1, func(x, _ tensor) error { return second(x.Index(0, 0)) }},
		{"tensor slice", -1, func(x, _ tensor) error { return second(x.Slice(0, 0, 1)) }},
		{"tensor step", -1, func(x, _ tensor) error { return second(x.Step(0, 1)) }},
		{"tensor permute", -1, func(x, _ tensor) error { return second(x.Permute(1, 0)) }},
		{"tensor reshape", -1, func(x, _ tensor) error { return second(x.Reshape(12)) }},
		{"via", -1, func(x, _ tensor) error { return second(x.Via(nil)) }},
		{"release", -1, func(x, _ tensor) error { return x.Release() }},
		{"free", -1, func(x, _ tensor) error { return x.Free(ctx) }},
	}
}

type tensor = shmem.Tensor[int64]

// badTensors uses tensors that are nothing, gone, of another world, and for PEs that do
// not exist; then every call with a wrong number.
func badTensors(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	good, gone := must1(shmem.NewTensor[int64](ctx, w, 3, 4))(t), must1(shmem.NewTensor[int64](ctx, w, 3, 4))(t)
	must(t, gone.Free(ctx))
	for _, u := range tensorUses() {
		zero := wrong{is: shmem.ErrArgument, op: u.op, peer: u.peer, text: "the zero value has no memory", pe: -1}
		zero.check(t, u.do(tensor{}, good))
		freed := wrong{is: shmem.ErrFreed, op: u.op, peer: u.peer, text: "freed"}.in(w)
		freed.check(t, u.do(gone, good))
	}
	for is, bad := range map[error]tensor{shmem.ErrArgument: {}, shmem.ErrFreed: gone} { // as the local side
		wrong{is: is, op: "tensor put", peer: 0}.checkLoose(t, w, good.Put(bad, 0))
		wrong{is: is, op: "tensor get", peer: 0}.checkLoose(t, w, bad.Get(good, 0))
	}
	for _, pe := range []int{-1, w.NPEs(), math.MaxInt, math.MinInt} {
		none := must1(good.Slice(0, 1, 1))(t)
		x := wrong{is: shmem.ErrPE, op: "tensor put", peer: pe, text: fmt.Sprintf("PE %d out of range", pe)}.in(w)
		x.check(t, good.Put(good, pe))
		x.check(t, none.Put(none, pe))
		x.op = "tensor get"
		x.check(t, good.Get(good, pe))
		x.op = "tensor put slice"
		x.check(t, none.PutSlice(nil, pe))
		x.op = "tensor get slice"
		x.check(t, none.GetSlice(nil, pe))
	}
	must(t, shmem.RunLocal(ctx, 1, badOptions(), func(ctx context.Context, other *shmem.World) error {
		strange := must1(shmem.NewTensor[int64](ctx, other, 3, 4))(t)
		x := wrong{is: shmem.ErrForeign, op: "tensor put", peer: 0, text: "belong to different worlds"}
		x.checkEither(t, good.Put(strange, 0), w, other)
		x.op = "tensor get"
		x.checkEither(t, good.Get(strange, 0), w, other)
		return nil
	}))
	for i, v := range must1(good.Local())(t) {
		if v != 0 {
			t.Errorf("a refused call has written %d to element %d", v, i)
		}
	}
	badTensorShapes(t, w)
	must(t, good.Free(ctx))
}

// badTensorShapes asks every PE for the same tensors that cannot be: nobody hangs.
func badTensorShapes(t testing.TB, w *shmem.World) {
	for text, dims := range map[string][]int{
		"shape [0 5] has no elements: at least one is needed":                   {0, 5},
		"shape [3 -1]: dimension 1 must not be negative":                        {3, -1},
		"shape [1 1 1 1 1 1 1 1 1] has 9 dimensions: at most 8":                 {1, 1, 1, 1, 1, 1, 1, 1, 1},
		"shape [4294967296 4294967296] has more elements than an int can count": {1 << 32, 1 << 32},
	} {
		wrong{is: shmem.ErrArgument, op: "new tensor", peer: -1, text: text}.in(w).check(t, second(shmem.NewTensor[int64](t.Context(), w, dims...)))
	}
	wrong{is: shmem.ErrNoMemory, op: "new tensor", peer: -1, text: "no heap is that large"}.in(w).
		check(t, second(shmem.NewTensor[int64](t.Context(), w, 1<<30, 1<<30)))
	wrong{is: shmem.ErrArgument, op: "new tensor", peer: -1, text: "holds a pointer"}.in(w).
		check(t, second(shmem.NewTensor[string](t.Context(), w, 2, 2)))
}

// TestTensorErrorTexts holds whole messages of calls with wrong numbers.
func TestTensorErrorTexts(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 1, badOptions(), func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[int64](ctx, w, 12))(t)
		x := must1(shmem.TensorOf(a, 3, 4))(t)
		for want, err := range tensorTexts(t, a, x) {
			exactly(t, err, "shmem: tensor "+want)
		}
		_, err := shmem.NewTensor[int64](ctx, nil, 3)
		exactly(t, err, "shmem: new tensor: the world is nil: use Main, Init or RunLocal")
		_, err = shmem.NewTensor[int64](ctx, nil, -3)
		exactly(t, err, "shmem: new tensor: the world is nil: use Main, Init or RunLocal")
		return nil
	}))
}

func tensorTexts(t *testing.T, a shmem.Array[int64], x tensor) map[string]error {
	turned, column := x.Transpose(), must1(x.Index(1, 2))(t)
	short := make([]int64, 11)
	return map[string]error{
		"put: the destination has shape [3 4], the source [4 3]: slice, permute or reshape one of them": x.Put(turned, 0),
		"get: the destination has shape [3], the source [3 4]: slice, permute or reshape one of them":   column.Get(x, 0),
		"put slice: shape [3 4] has 12 elements, the source 11":                                         x.PutSlice(short, 0),
		"get slice: the destination has 11 elements, shape [4 3] has 12":                                turned.GetSlice(short, 0),
		"copy to: the destination has 11 elements, shape [3 4] has 12":                                  x.CopyTo(short),
		"copy from: shape [3] has 3 elements, the source 11":                                            column.CopyFrom(short),
		"at: index [3] into shape [3 4]: one number for each dimension is needed":                       second(x.At(3)),
		"at: index [0 4] is outside shape [3 4]":                                                        second(x.At(0, 4)),
		"set: index [-1 0] is outside shape [3 4]":                                                      x.Set(1, -1, 0),
		"array: shape [3] with strides [4] is not contiguous: copy it to a tensor that is":              second(column.Array()),
		"local: shape [4 3] with strides [1 4] is not contiguous: copy it to a tensor that is":          second(turned.Local()),
		"reshape: shape [4 3] with strides [1 4] is not contiguous: copy it to a tensor that is":        second(turned.Reshape(12)),
		"reshape: shape [5 -1]: no number in place of -1 makes 12 elements":                             second(x.Reshape(5, -1)),
		"reshape: shape [0 -1]: no number in place of -1 makes 12 elements":                             second(x.Reshape(0, -1)),
		"reshape: shape [-1 -1]: only one dimension can be inferred":                                    second(x.Reshape(-1, -1)),
		"reshape: shape [-2 -6]: dimension 1 must not be negative":                                      second(x.Reshape(-2, -6)),
		"reshape: shape [1 1 1 1 1 1 1 -1 1] has 9 dimensions: at most 8":                               second(x.Reshape(1, 1, 1, 1, 1, 1, 1, -1, 1)),
		"of: shape [5 3] has 15 elements, there are 12":                                                 second(shmem.TensorOf(a, 5, 3)),
		"of: shape [] has 1 elements, there are 12":                                                     second(shmem.TensorOf(a)),
		"of: shape [0 9223372036854775807 2] has more elements than an int can count":                   second(shmem.TensorOf(must1(a.Slice(0, 0))(t), 0, math.MaxInt, 2)),
		"index: dimension 2 of shape [3 4]: there are 2, counted from 0":                                second(x.Index(2, 0)),
		"index: index 4 in dimension 1 of shape [3 4]":                                                  second(x.Index(1, 4)),
		"slice: dimension -1 of shape [3 4]: there are 2, counted from 0":                               second(x.Slice(-1, 0, 0)),
		"slice: [2:1] of dimension 0 of shape [3 4]":                                                    second(x.Slice(0, 2, 1)),
		"slice: [-1:1] of dimension 0 of shape [3 4]":                                                   second(x.Slice(0, -1, 1)),
		"slice: [0:9223372036854775807] of dimension 1 of shape [3 4]":                                  second(x.Slice(1, 0, math.MaxInt)),
		"step: every 0-th element of dimension 0 of shape [3 4]: must be at least 1":                    second(x.Step(0, 0)),
		"permute: order [0 0] of the dimensions of shape [3 4]: each of 0 to 1 must be there once":      second(x.Permute(0, 0)),
		"permute: order [1] of the dimensions of shape [3 4]: each of 0 to 1 must be there once":        second(x.Permute(1)),
		"permute: order [0 2] of the dimensions of shape [3 4]: each of 0 to 1 must be there once":      second(x.Permute(0, 2)),
	}
}

// TestTensorValue holds what a tensor is as a value.
func TestTensorValue(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 1, badOptions(), func(ctx context.Context, w *shmem.World) error {
		x := must1(shmem.NewTensor[float32](ctx, w, 3, 4))(t)
		if x.Transpose().Transpose() != x || x.Transpose() == x {
			t.Error("two views of the same elements are not equal, or two of others are")
		}
		if got, want := x.Transpose().String(), "Tensor[float32] of shape [4 3], strides [1 4]"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		row := must1(must1(x.Array())(t).Slice(4, 8))(t)
		if must1(x.Index(0, 1))(t) != must1(shmem.TensorOf(row, 4))(t) {
			t.Error("a row is not equal to the tensor of its elements")
		}
		eight, seven := must1(x.Reshape(3, 1, 1, 1, 1, 1, 1, 4))(t), must1(x.Reshape(3, 1, 1, 1, 1, 1, 4))(t)
		if must1(eight.Index(1, 0))(t) != seven {
			t.Error("what is left of eight dimensions is not equal to a tensor of seven")
		}
		shape, strides := x.Shape(), x.Strides()
		shape[0], strides[0] = 100, 100
		if got := x.String(); got != "Tensor[float32] of shape [3 4], strides [4 1]" {
			t.Errorf("the slices that a tensor returns are its own: %s", got)
		}
		far := must1(x.Step(0, math.MaxInt))(t)
		if far.Len() != 4 || x.World() != w || must1(far.At(0, 3))(t) != 0 {
			t.Errorf("every very many-th row of 3: %v", far)
		}
		var zero shmem.Tensor[float32]
		if zero.Len() != 0 || zero.Dims() != 0 || zero.World() != nil || zero.String() != "Tensor[float32] of shape [], strides []" {
			t.Errorf("the zero tensor is %v", zero)
		}
		return nil
	}))
}
