package shmem

import (
	"fmt"
	"math"
	"slices"
)

// MaxDims is the most dimensions that a Tensor has.
const MaxDims = 8

// layout says which elements a tensor has, counted from its first: along dimension i
// there are shape[i], strides[i] apart. Arrays of fixed size make it a value: to copy,
// to compare with ==, and without allocation on the way of a transfer.
type layout struct {
	dims           int
	shape, strides [MaxDims]int
}

// rowMajor is the layout in which the last dimension is the densest, without gaps. A
// dimension of none counts as one in the strides, so that they stay within an int.
func rowMajor(dims []int) (l layout, err error) {
	if len(dims) > MaxDims {
		return l, problem(ErrArgument, "shape %s has %d dimensions: at most %d", list(dims), len(dims), MaxDims)
	}
	l.dims = len(dims)
	n := 1
	for i := l.dims - 1; i >= 0; i-- {
		d := dims[i]
		if d < 0 {
			return l, problem(ErrArgument, "shape %s: dimension %d must not be negative", list(dims), i)
		}
		l.shape[i], l.strides[i] = d, n
		if d = max(d, 1); n > math.MaxInt/d {
			return l, problem(ErrArgument, "shape %s has more elements than an int can count", list(dims))
		}
		n *= d
	}
	return l, nil
}

// fitted is the row-major layout of n elements. One dimension may be -1: whatever makes
// the number right.
func fitted(dims []int, n int) (layout, error) {
	var filled [MaxDims]int
	if open := slices.Index(dims, -1); open >= 0 && len(dims) <= MaxDims {
		if slices.Contains(dims[open+1:], -1) {
			return layout{}, problem(ErrArgument, "shape %s: only one dimension can be inferred", list(dims))
		}
		copy(filled[:], dims)
		filled[open] = 1
		l, err := rowMajor(filled[:len(dims)])
		if err != nil {
			return layout{}, err
		}
		if c := l.count(); c == 0 || n%c != 0 {
			return layout{}, problem(ErrLength, "shape %s: no number in place of -1 makes %d elements", list(dims), n)
		}
		filled[open] = n / l.count()
		dims = filled[:len(dims)]
	}
	l, err := rowMajor(dims)
	if err == nil && l.count() != n {
		err = problem(ErrLength, "shape %s has %d elements, there are %d", list(dims), l.count(), n)
	}
	return l, err
}

// packed is the row-major layout of the same shape: how Go memory holds a tensor.
func (l *layout) packed() layout {
	p := layout{dims: l.dims, shape: l.shape}
	for i, n := l.dims-1, 1; i >= 0; i-- {
		p.strides[i] = n
		n *= max(l.shape[i], 1)
	}
	return p
}

// count is the number of elements.
func (l *layout) count() int {
	n := 1
	for _, d := range l.shape[:l.dims] {
		n *= d
	}
	return n
}

// reach is how many elements there are from the first to the last in memory.
func (l *layout) reach() uintptr {
	last := 0
	for i, d := range l.shape[:l.dims] {
		last += (d - 1) * l.strides[i]
	}
	return uintptr(last + 1)
}

// contiguous says whether the elements follow each other in row-major order.
func (l *layout) contiguous() bool {
	n := 1
	for i := l.dims - 1; i >= 0; i-- {
		if l.shape[i] == 0 {
			return true
		}
		if l.shape[i] != 1 && l.strides[i] != n {
			n = 0 // no stride is 0; a dimension of none may still come
		}
		n *= l.shape[i]
	}
	return n > 0
}

// same says whether two layouts have the same shape.
func (l *layout) same(other *layout) bool {
	if l.dims != other.dims {
		return false
	}
	for i := range l.dims {
		if l.shape[i] != other.shape[i] {
			return false
		}
	}
	return true
}

// where is the place of the element with an index, false if there is none.
func (l *layout) where(idx []int) (place int, found bool) {
	if len(idx) != l.dims {
		return 0, false
	}
	for i, x := range idx {
		if uint(x) >= uint(l.shape[i]) {
			return 0, false
		}
		place += x * l.strides[i]
	}
	return place, true
}

// lost says why where has found nothing.
func (l *layout) lost(idx []int) error {
	if len(idx) != l.dims {
		return problem(ErrArgument, "index %s into shape %s: one number for each dimension is needed", list(idx), l.text())
	}
	return problem(ErrBounds, "index %s is outside shape %s", list(idx), l.text())
}

// has returns an error if there is no such dimension.
func (l *layout) has(dim int) error {
	if uint(dim) >= uint(l.dims) {
		return problem(ErrBounds, "dimension %d of shape %s: there are %d, counted from 0", dim, l.text(), l.dims)
	}
	return nil
}

// text is the shape, for an error.
func (l *layout) text() string { return list(l.shape[:l.dims]) }

// list writes numbers for an error. The copy is what escapes, not what the caller has:
// the variadic arguments of a call that goes well stay on its stack.
func list(numbers []int) string { return fmt.Sprint(slices.Clone(numbers)) }
