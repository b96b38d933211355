package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/goshmem/goshmem/interchange"
	"github.com/goshmem/goshmem/interchange/dlpack"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/internal/python"
	"github.com/goshmem/goshmem/shmem"
)

func TestInterchange(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 2, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[int32](ctx, w, 24))(t)
		must(t, a.Fill(int32(w.MyPE())))
		part := must1(a.Slice(4, 10))(t)
		d := must1(part.Interchange())(t)
		if !slices.Equal(d.Shape, []int64{6}) || d.Strides != nil || d.Type != (interchange.Type{Code: interchange.Int, Bits: 32, Lanes: 1}) || d.Device != (interchange.Device{Type: interchange.CPU}) || d.Owner != part {
			t.Errorf("%d elements are described as %+v", part.Len(), d)
		}
		must(t, d.Validate())
		mem.At[int32](d.Pointer, 6)[5] = 77
		if v := must1(a.At(9))(t); v != 77 {
			t.Errorf("77 was stored to element 9, which is %d", v)
		}
		structs := must1(shmem.Alloc[[2]int32](ctx, w, 3))(t)
		if _, err := structs.Interchange(); !errors.Is(err, shmem.ErrArgument) {
			t.Errorf("elements of [2]int32: %v", err)
		}
		return nil
	}))
}

// TestTensorInterchange looks at views: dense, with strides, of one element, and empty.
func TestTensorInterchange(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 1, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
		x := must1(shmem.NewTensor[float64](ctx, w, 3, 4))(t)
		start := must1(x.Interchange())(t).Pointer
		column, none := must1(x.Slice(1, 2, 3))(t), must1(x.Slice(0, 1, 1))(t)
		for _, c := range []struct {
			x              shmem.Tensor[float64]
			shape, strides []int64
			at             uintptr // elements from the first
		}{
			{x, []int64{3, 4}, nil, 0},
			{x.Transpose(), []int64{4, 3}, []int64{1, 4}, 0},
			{column, []int64{3, 1}, []int64{4, 1}, 2},
			{must1(x.Index(0, 2))(t), []int64{4}, nil, 8},
			{none, []int64{0, 4}, nil, 0},
		} {
			d := must1(c.x.Interchange())(t)
			if !slices.Equal(d.Shape, c.shape) || !slices.Equal(d.Strides, c.strides) || d.Pointer != start+8*c.at {
				t.Errorf("%v is described as %+v", c.x, d)
			}
			must(t, d.Validate())
		}
		return nil
	}))
}

// TestNumPySeesTensors through DLPack and the array interface, with their strides.
func TestNumPySeesTensors(t *testing.T) {
	p := python.Start(t)
	p.Run(t, python.Exchange+"import numpy")
	must(t, shmem.RunLocal(t.Context(), 1, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
		x := must1(shmem.NewTensor[int64](ctx, w, 2, 3))(t)
		must(t, x.CopyFrom([]int64{1, 2, 3, 4, 5, 6}))
		d := must1(x.Transpose().Interchange())(t)
		e := must1(dlpack.Export(d, false))(t)
		r := must1(interchange.NewRecord(d))(t)
		var got [2][][]int64
		p.Ask(t, &got, fmt.Sprintf("x = numpy.from_dlpack(Lent(%d, False, (1, 0)))\ny = numpy.asarray(Shown(%q, %v))\nanswer = [x.tolist(), y.tolist()]\ny[2, 1] = -6\ndel x, y; gc.collect()", e.Address(), r.Attribute(), r))
		if want := "[[1 4] [2 5] [3 6]]"; fmt.Sprint(got[0]) != want || fmt.Sprint(got[1]) != want {
			t.Errorf("NumPy sees %v, want %s", got, want)
		}
		if v := must1(x.At(1, 2))(t); v != -6 || !e.Released() {
			t.Errorf("NumPy stored -6, which is %d here; released %v", v, e.Released())
		}
		return nil
	}))
}
