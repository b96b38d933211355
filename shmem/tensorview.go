package shmem

// Index returns the elements whose index in a dimension is i, as a tensor without that
// dimension: row i is Index(0, i), column i of a matrix Index(1, i). Local.
func (t Tensor[T]) Index(dim, i int) (Tensor[T], error) {
	l, err := t.l, t.l.has(dim)
	if err == nil && uint(i) >= uint(l.shape[dim]) {
		err = problem(ErrBounds, "index %d in dimension %d of shape %s", i, dim, t.l.text())
	}
	if err != nil {
		return t.view("tensor index", l, 0, err)
	}
	copy(l.shape[dim:], l.shape[dim+1:])
	copy(l.strides[dim:], l.strides[dim+1:])
	l.dims--
	l.shape[l.dims], l.strides[l.dims] = 0, 0
	return t.view("tensor index", l, i*t.l.strides[dim], nil)
}

// Slice returns the elements whose index in a dimension is lo to hi-1. Local.
func (t Tensor[T]) Slice(dim, lo, hi int) (Tensor[T], error) {
	l, err := t.l, t.l.has(dim)
	if err == nil && (lo < 0 || hi < lo || hi > l.shape[dim]) {
		err = problem(ErrBounds, "[%d:%d] of dimension %d of shape %s", lo, hi, dim, t.l.text())
	}
	if err != nil || lo == hi { // nothing stays where it is: beyond the last element there may be no memory
		lo, hi = 0, 0
	}
	if err == nil {
		l.shape[dim] = hi - lo
		lo *= l.strides[dim]
	}
	return t.view("tensor slice", l, lo, err)
}

// Step returns every k-th element along a dimension, from the first on. Local.
func (t Tensor[T]) Step(dim, k int) (Tensor[T], error) {
	l, err := t.l, t.l.has(dim)
	if err == nil && k < 1 {
		err = problem(ErrArgument, "every %d-th element of dimension %d of shape %s: must be at least 1", k, dim, t.l.text())
	}
	if err == nil && l.shape[dim] > 1 {
		l.shape[dim] = (l.shape[dim]-1)/k + 1
		l.strides[dim] *= k // may overflow only if there is no second element left
	}
	return t.view("tensor step", l, 0, err)
}

// Transpose returns the tensor with its dimensions in reverse order. Local; no error, as
// it looks at no memory.
func (t Tensor[T]) Transpose() Tensor[T] {
	l := layout{dims: t.l.dims}
	for i := range l.dims {
		l.shape[i], l.strides[i] = t.l.shape[l.dims-1-i], t.l.strides[l.dims-1-i]
	}
	return Tensor[T]{t.a, l}
}

// Permute returns the tensor with its dimensions in another order: dimension i of the
// result is dims[i]. Local.
func (t Tensor[T]) Permute(dims ...int) (Tensor[T], error) {
	l := layout{dims: t.l.dims}
	var seen [MaxDims]bool
	good := len(dims) == l.dims
	for i := 0; good && i < l.dims; i++ {
		d := dims[i]
		if good = uint(d) < uint(l.dims) && !seen[d]; good {
			seen[d] = true
			l.shape[i], l.strides[i] = t.l.shape[d], t.l.strides[d]
		}
	}
	if !good {
		return t.view("tensor permute", l, 0, problem(ErrArgument, "order %s of the dimensions of shape %s: each of 0 to %d must be there once", list(dims), t.l.text(), l.dims-1))
	}
	return t.view("tensor permute", l, 0, nil)
}

// Reshape returns the elements, row by row, in another shape of as many elements. One
// dimension may be -1: what makes it so. The tensor must be contiguous. Local.
func (t Tensor[T]) Reshape(dims ...int) (Tensor[T], error) {
	a, err := t.Array()
	if err != nil {
		return Tensor[T]{}, rename(err, "tensor reshape")
	}
	l, err := fitted(dims, a.n)
	return t.view("tensor reshape", l, 0, err)
}

// view is the end of all that makes views: l, with its first element skip elements after
// that of t, unless t has ended or err says what else is wrong.
func (t Tensor[T]) view(op string, l layout, skip int, err error) (Tensor[T], error) {
	if ended := t.a.usable(); ended != nil {
		err = ended
	}
	if err != nil {
		return Tensor[T]{}, fail(t.World(), op, noPeer, err)
	}
	return Tensor[T]{Array[T]{t.a.b, t.a.offset(skip), l.count()}, l}, nil
}
