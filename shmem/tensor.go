package shmem

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/goshmem/goshmem/internal/engine"
)

// Tensor is an array with a shape: a view of elements of an Array in up to MaxDims
// dimensions, row by row unless it was transposed. It is a small value: copies and views
// refer to the same memory, == says whether two are the same view, and views cost no
// allocation. The shape is this PE's own business: only the memory is symmetric.
type Tensor[T any] struct {
	a Array[T] // begins at the first element; exactly the elements if they are contiguous
	l layout
}

// NewTensor allocates a tensor of a shape, zeroed, at the same place of every PE's heap.
// Every dimension is at least 1. All PEs must ask for the same number of elements.
// Blocking, collective over the world. OpenSHMEM: shmem_calloc.
func NewTensor[T any](ctx context.Context, w *World, dims ...int) (Tensor[T], error) {
	l, err := rowMajor(dims)
	if err == nil && l.count() == 0 {
		err = problem(ErrArgument, "shape %s has no elements: at least one is needed", l.text())
	}
	if err != nil {
		return Tensor[T]{}, w.refuse(ctx, "new tensor", engine.KindAlloc, err)
	}
	a, err := Alloc[T](ctx, w, l.count())
	if err != nil {
		return Tensor[T]{}, rename(err, "new tensor")
	}
	return Tensor[T]{a, l}, nil
}

// TensorOf returns the elements of an array in a shape, row by row. The shape must have
// as many elements as the array; one dimension may be -1: what makes it so. Local.
func TensorOf[T any](a Array[T], dims ...int) (Tensor[T], error) {
	l, err := fitted(dims, a.n)
	return Tensor[T]{a, l}.view("tensor of", l, 0, err)
}

// Shape returns the lengths of the dimensions, in a slice of its own. Local.
func (t Tensor[T]) Shape() []int { return slices.Clone(t.l.shape[:t.l.dims]) }

// Strides returns how many elements apart neighbours are along each dimension, in a
// slice of its own. Along a dimension of one or none the number means nothing. Local.
func (t Tensor[T]) Strides() []int { return slices.Clone(t.l.strides[:t.l.dims]) }

// Dims returns the number of dimensions. A tensor without any has one element. Local.
func (t Tensor[T]) Dims() int { return t.l.dims }

// Len returns the number of elements. Local.
func (t Tensor[T]) Len() int { return t.a.n }

// IsContiguous says whether the elements follow each other in memory, row by row. Local.
func (t Tensor[T]) IsContiguous() bool { return t.l.contiguous() }

// World returns the world that the tensor belongs to, nil for the zero Tensor. Local.
func (t Tensor[T]) World() *World { return t.a.World() }

// Array returns the elements, row by row, as an array of the same memory: for signals,
// non-blocking transfers and all else that takes one. ErrArgument if they are not
// contiguous. Local.
func (t Tensor[T]) Array() (Array[T], error) {
	err := t.a.usable()
	if err == nil && !t.l.contiguous() {
		err = problem(ErrArgument, "shape %s with strides %s is not contiguous: copy it to a tensor that is", t.l.text(), list(t.l.strides[:t.l.dims]))
	}
	if err != nil {
		return Array[T]{}, fail(t.World(), "tensor array", noPeer, err)
	}
	return t.a, nil
}

// Via returns the tensor as operations through c see it; see Array.Via. Local.
func (t Tensor[T]) Via(c *CommContext) (Tensor[T], error) {
	a, err := t.a.Via(c)
	if err != nil {
		return Tensor[T]{}, err
	}
	return Tensor[T]{a, t.l}, nil
}

// Free gives the memory of the whole allocation back, also if t is a view of a part.
// Blocking, collective over the world; see Array.Free.
func (t Tensor[T]) Free(ctx context.Context) error { return t.a.Free(ctx) }

// Release gives up this PE's part in the whole allocation without waiting; see
// Array.Release. Not collective.
func (t Tensor[T]) Release() error { return t.a.Release() }

// String returns the element type, shape and strides, not the elements.
func (t Tensor[T]) String() string {
	return fmt.Sprintf("Tensor[%v] of shape %s, strides %s", reflect.TypeFor[T](), t.l.text(), list(t.l.strides[:t.l.dims]))
}
