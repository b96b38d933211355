package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// Local returns this PE's own copy as a slice, without copying. It stays valid
// memory until the process ends, but means nothing after Free. Local.
func (a Array[T]) Local() ([]T, error) {
	if err := a.usable(); err != nil {
		return nil, fail(a.World(), "local", noPeer, err)
	}
	return unsafe.Slice((*T)(a.here()), a.n), nil
}

// Peer returns pe's copy as a slice, without copying, or ErrNoPeerAccess if it
// cannot be loaded and stored directly: on another virtual node, and always in weak mode.
// Local. OpenSHMEM: shmem_ptr.
func (a Array[T]) Peer(pe int) ([]T, error) {
	if err := a.pair(pe, a.n, true); err != nil {
		return nil, fail(a.World(), "peer", pe, err)
	}
	base := a.b.w.bases[a.b.lane.world(pe)]
	if base == nil {
		return nil, fail(a.b.w, "peer", pe, problem(ErrNoPeerAccess, "%s cannot be loaded and stored directly: use Put and Get", a.b.lane.name(pe)))
	}
	return unsafe.Slice((*T)(unsafe.Add(base, a.off)), a.n), nil
}

// At returns element i of this PE's own copy. Local.
func (a Array[T]) At(i int) (v T, err error) {
	if !a.alive() || uint(i) >= uint(a.n) {
		return v, a.localError("at", i)
	}
	return mem.Load[T](unsafe.Add(a.b.w.own, a.offset(i))), nil
}

// Set writes element i of this PE's own copy. Local.
func (a Array[T]) Set(i int, v T) error {
	if !a.alive() || uint(i) >= uint(a.n) {
		return a.localError("set", i)
	}
	mem.Store(unsafe.Add(a.b.w.own, a.offset(i)), v)
	return nil
}

func (a Array[T]) localError(op string, i int) error {
	if err := a.usable(); err != nil {
		return fail(a.World(), op, noPeer, err)
	}
	return fail(a.b.w, op, noPeer, outside(i, a.n))
}

// Fill sets every element of this PE's own copy to v. Local.
func (a Array[T]) Fill(v T) error {
	own, err := a.Local()
	if err != nil {
		return rename(err, "fill")
	}
	for i := range own {
		own[i] = v
	}
	return nil
}

// CopyTo copies this PE's own copy to dst, which must have the same length. Local.
func (a Array[T]) CopyTo(dst []T) error {
	own, err := a.Local()
	if err != nil {
		return rename(err, "copy to")
	}
	if len(dst) != a.n {
		return fail(a.b.w, "copy to", noPeer, lengths(len(dst), a.n))
	}
	mem.Get(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(own)), a.bytes())
	return nil
}

// CopyFrom copies src, which must have the same length, to this PE's own copy. Local.
func (a Array[T]) CopyFrom(src []T) error {
	own, err := a.Local()
	if err != nil {
		return rename(err, "copy from")
	}
	if len(src) != a.n {
		return fail(a.b.w, "copy from", noPeer, lengths(a.n, len(src)))
	}
	mem.Put(unsafe.Pointer(unsafe.SliceData(own)), unsafe.Pointer(unsafe.SliceData(src)), a.bytes()) // others may have it in their caches
	return nil
}

// rename gives an error of an inner call the name of the outer one.
func rename(err error, op string) error {
	if e, ok := err.(*Error); ok {
		e.Op = op
	}
	return err
}

func lengths(dst, src int) error {
	return problem(ErrLength, "the destination has %d elements, the source %d: slice the longer one", dst, src)
}
