package shmem

// Put copies this PE's copy of src to pe's copy of t. Both have the same shape; their
// strides may differ, and what is contiguous on both sides goes in one piece. They must
// not share memory if pe is this PE. It returns when src may be reused; see the package
// comment for when the data is there. Not collective. OpenSHMEM: shmem_put, shmem_iput,
// shmem_ibput.
func (t Tensor[T]) Put(src Tensor[T], pe int) error {
	to := t.a.remote(0, pe)
	if to.at == nil || !src.a.alive() || src.a.b.w != t.a.b.w || !t.l.same(&src.l) || t.a.n == 0 {
		if err := t.pair(src, pe, &t.l, &src.l); err != nil || t.a.n == 0 {
			return fail(t.World(), "tensor put", pe, err)
		}
	}
	var r runs
	r.between(&t.l, &src.l, sizeOf[T]())
	return fail(t.a.b.w, "tensor put", pe, t.a.b.putRuns(to, src.a.local(0), &r, pe))
}

// Get copies pe's copy of src to this PE's copy of t. Both have the same shape; their
// strides may differ, and they must not share memory if pe is this PE. The data is there
// when it returns. Not collective. OpenSHMEM: shmem_get, shmem_iget, shmem_ibget.
func (t Tensor[T]) Get(src Tensor[T], pe int) error {
	from := src.a.remote(0, pe)
	if from.at == nil || !t.a.alive() || t.a.b.w != src.a.b.w || !t.l.same(&src.l) || t.a.n == 0 {
		if err := src.pair(t, pe, &t.l, &src.l); err != nil || t.a.n == 0 {
			return fail(src.World(), "tensor get", pe, err)
		}
	}
	var r runs
	r.between(&t.l, &src.l, sizeOf[T]())
	return fail(src.a.b.w, "tensor get", pe, src.a.b.getRuns(t.a.local(0), from, &r, pe))
}

// PutSlice is Put from ordinary Go memory, which has the elements row by row. Not
// collective.
func (t Tensor[T]) PutSlice(src []T, pe int) error {
	err := t.a.pair(pe, t.a.n, true)
	if err == nil && len(src) != t.a.n {
		err = problem(ErrLength, "shape %s has %d elements, the source %d", t.l.text(), t.a.n, len(src))
	}
	if err == nil && t.a.n > 0 {
		p := t.l.packed()
		var r runs
		r.between(&t.l, &p, sizeOf[T]())
		err = t.a.b.putRuns(t.a.remote(0, pe), inGo(src), &r, pe)
	}
	return fail(t.World(), "tensor put slice", pe, err)
}

// GetSlice copies pe's copy of t to dst, ordinary Go memory, row by row. Not collective.
func (t Tensor[T]) GetSlice(dst []T, pe int) error {
	err := t.a.pair(pe, t.a.n, true)
	if err == nil && len(dst) != t.a.n {
		err = problem(ErrLength, "the destination has %d elements, shape %s has %d", len(dst), t.l.text(), t.a.n)
	}
	if err == nil && t.a.n > 0 {
		p := t.l.packed()
		var r runs
		r.between(&p, &t.l, sizeOf[T]())
		err = t.a.b.getRuns(inGo(dst), t.a.remote(0, pe), &r, pe)
	}
	return fail(t.World(), "tensor get slice", pe, err)
}

// pair returns what is wrong with a transfer between t on pe and local.
func (t *Tensor[T]) pair(local Tensor[T], pe int, dst, src *layout) error {
	if err := t.a.ends(local.a, pe); err != nil {
		return err
	}
	if !dst.same(src) {
		return problem(ErrLength, "the destination has shape %s, the source %s: slice, permute or reshape one of them", dst.text(), src.text())
	}
	return nil
}
