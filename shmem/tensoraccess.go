package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// At returns an element of this PE's own copy; idx has one number for each dimension.
// Local.
func (t Tensor[T]) At(idx ...int) (v T, err error) {
	i, found := t.l.where(idx)
	if !found || !t.a.alive() {
		return v, t.lost("tensor at", idx)
	}
	if t.a.b.far != nil {
		return t.a.farAt("tensor at", t.a.offset(i))
	}
	return mem.Load[T](unsafe.Add(t.a.here(), uintptr(i)*sizeOf[T]())), nil
}

// Set writes an element of this PE's own copy. Local.
func (t Tensor[T]) Set(v T, idx ...int) error {
	i, found := t.l.where(idx)
	if !found || !t.a.alive() {
		return t.lost("tensor set", idx)
	}
	if t.a.b.far != nil {
		return t.a.farSet("tensor set", t.a.offset(i), v)
	}
	mem.Store(unsafe.Add(t.a.here(), uintptr(i)*sizeOf[T]()), v)
	return nil
}

func (t Tensor[T]) lost(op string, idx []int) error {
	err := t.a.usable()
	if err == nil {
		err = t.l.lost(idx)
	}
	return fail(t.World(), op, noPeer, err)
}

// Local returns this PE's own copy as a slice, row by row, without copying. The tensor
// must be contiguous. Local; see Array.Local.
func (t Tensor[T]) Local() ([]T, error) {
	a, err := t.Array()
	if err != nil {
		return nil, rename(err, "tensor local")
	}
	return a.Local()
}

// Fill sets every element of this PE's own copy to v. Local.
func (t Tensor[T]) Fill(v T) error {
	if err := t.a.usable(); err != nil || t.a.n == 0 {
		return fail(t.World(), "tensor fill", noPeer, err)
	}
	var r runs
	r.between(&t.l, &t.l, sizeOf[T]())
	for more := true; more; more = r.next() {
		for i := range r.n[0] {
			run := Array[T]{t.a.b, t.a.off + uintptr(r.toAt+i*r.to[0]), int(r.size / sizeOf[T]())}
			if err := run.Fill(v); err != nil {
				return rename(err, "tensor fill")
			}
		}
	}
	return nil
}

// CopyTo copies this PE's own copy to dst, row by row. dst must have as many elements.
// Local.
func (t Tensor[T]) CopyTo(dst []T) error {
	err := t.a.usable()
	if err == nil && len(dst) != t.a.n {
		err = problem(ErrLength, "the destination has %d elements, shape %s has %d", len(dst), t.l.text(), t.a.n)
	}
	if err == nil && t.a.n > 0 {
		p := t.l.packed()
		var r runs
		r.between(&p, &t.l, sizeOf[T]())
		err = t.a.b.outRuns(inGo(dst), t.a.off, t.l.reach()*sizeOf[T](), &r)
	}
	return fail(t.World(), "tensor copy to", noPeer, err)
}

// CopyFrom copies src, which has the elements row by row, to this PE's own copy. src must
// have as many elements. Local.
func (t Tensor[T]) CopyFrom(src []T) error {
	err := t.a.usable()
	if err == nil && len(src) != t.a.n {
		err = problem(ErrLength, "shape %s has %d elements, the source %d", t.l.text(), t.a.n, len(src))
	}
	if err == nil && t.a.n > 0 {
		p := t.l.packed()
		var r runs
		r.between(&t.l, &p, sizeOf[T]())
		err = t.a.b.inRuns(t.a.off, inGo(src), &r)
	}
	return fail(t.World(), "tensor copy from", noPeer, err)
}

// inGo is the local side of a blocking transfer that is ordinary Go memory.
func inGo[T any](s []T) stride {
	return stride{at: mem.Hide(unsafe.Pointer(unsafe.SliceData(s)))}
}
