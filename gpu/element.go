package gpu

// At returns element i. On device memory it waits for what is queued in the default
// stream; pinned memory is simply loaded.
func (x Slice[T]) At(i int) (T, error) {
	var v [1]T
	one, err := x.element("at", i)
	if err != nil {
		return v[0], err
	}
	if one.b.kind == PinnedMemory {
		local, err := one.Local()
		if err != nil {
			return v[0], err
		}
		return local[0], nil
	}
	err = one.CopyTo(v[:], nil)
	return v[0], err
}

// Set sets element i. On device memory it waits for what is queued in the default
// stream; pinned memory is simply stored.
func (x Slice[T]) Set(i int, v T) error {
	one, err := x.element("set", i)
	if err != nil {
		return err
	}
	if one.b.kind == PinnedMemory {
		local, err := one.Local()
		if err == nil {
			local[0] = v
		}
		return err
	}
	return one.CopyFrom([]T{v}, nil)
}

// element is element i as a slice.
func (x Slice[T]) element(op string, i int) (Slice[T], error) {
	if err := x.b.alive(); err != nil {
		return Slice[T]{}, x.fail(op, err)
	}
	if i < 0 || i >= x.n {
		return Slice[T]{}, x.fail(op, problem(ErrArgument, "element %d of %d", i, x.n))
	}
	return Slice[T]{x.b, x.off + uintptr(i)*x.elem(), 1}, nil
}
