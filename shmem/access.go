package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// Local returns this PE's own copy as a slice, without copying. It stays valid
// memory until the process ends, but means nothing after Free. On memory of a device it is
// ErrNoPeerAccess: CopyTo and CopyFrom work everywhere. Local.
func (a Array[T]) Local() ([]T, error) {
	err := a.usable()
	if err == nil && a.b.far != nil {
		err = problem(ErrNoPeerAccess, "the array is in memory of device %s, which Go does not load and store: use CopyTo and CopyFrom", a.b.far.name())
	}
	if err != nil {
		return nil, fail(a.World(), "local", noPeer, err)
	}
	return a.mine(), nil
}

// Peer returns pe's copy as a slice, without copying, or ErrNoPeerAccess if it
// cannot be loaded and stored directly: on another virtual node, on a device, and always
// in weak mode. Local. OpenSHMEM: shmem_ptr.
func (a Array[T]) Peer(pe int) ([]T, error) {
	if err := a.pair(pe, a.n, true); err != nil {
		return nil, fail(a.World(), "peer", pe, err)
	}
	if a.b.far != nil {
		return nil, fail(a.b.w, "peer", pe, problem(ErrNoPeerAccess, "the array is in memory of devices, which Go does not load and store: use Put and Get, and for the own copy CopyTo and CopyFrom"))
	}
	base := a.b.w.bases[a.b.lane.world(pe)]
	if base == nil {
		return nil, fail(a.b.w, "peer", pe, problem(ErrNoPeerAccess, "%s cannot be loaded and stored directly: use Put and Get", a.b.lane.name(pe)))
	}
	return unsafe.Slice((*T)(unsafe.Add(base, a.off)), a.n), nil
}

// Address returns where pe's copy begins: for this PE's own loads and stores or, on memory
// of a device, for kernels and copies of this PE's device. It is ErrNoPeerAccess if these
// cannot get there. Local. OpenSHMEM: shmem_ptr.
func (a Array[T]) Address(pe int) (uintptr, error) {
	if err := a.pair(pe, a.n, true); err != nil {
		return 0, fail(a.World(), "address", pe, err)
	}
	base := uintptr(a.b.w.bases[a.b.lane.world(pe)])
	if a.b.far != nil {
		base = uintptr(a.b.far.Address(a.b.lane.world(pe)))
	}
	if base == 0 {
		return 0, fail(a.b.w, "address", pe, problem(ErrNoPeerAccess, "%s cannot be reached directly: use Put and Get", a.b.lane.name(pe)))
	}
	return base + a.off, nil
}

// mine is this PE's own copy, which must not be far.
func (a Array[T]) mine() []T { return unsafe.Slice((*T)(a.here()), a.n) }

// At returns element i of this PE's own copy. Local.
func (a Array[T]) At(i int) (v T, err error) {
	if !a.alive() || uint(i) >= uint(a.n) {
		return v, a.localError("at", i)
	}
	if a.b.far != nil {
		return a.farAt("at", a.offset(i))
	}
	return mem.Load[T](unsafe.Add(a.b.own, a.offset(i))), nil
}

// Set writes element i of this PE's own copy. Local.
func (a Array[T]) Set(i int, v T) error {
	if !a.alive() || uint(i) >= uint(a.n) {
		return a.localError("set", i)
	}
	if a.b.far != nil {
		return a.farSet("set", a.offset(i), v)
	}
	mem.Store(unsafe.Add(a.b.own, a.offset(i)), v)
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
	if err := a.usable(); err != nil || a.n == 0 {
		return fail(a.World(), "fill", noPeer, err)
	}
	if a.b.far != nil {
		return fail(a.b.w, "fill", noPeer, a.farFill(v))
	}
	own := a.mine()
	for i := range own {
		own[i] = v
	}
	return nil
}

// CopyTo copies this PE's own copy to dst, which must have the same length. Local.
func (a Array[T]) CopyTo(dst []T) error {
	err := a.usable()
	if err == nil && len(dst) != a.n {
		err = lengths(len(dst), a.n)
	}
	if err == nil {
		err = a.b.out(unsafe.Pointer(unsafe.SliceData(dst)), a.off, a.bytes())
	}
	return fail(a.World(), "copy to", noPeer, err)
}

// CopyFrom copies src, which must have the same length, to this PE's own copy. Local.
func (a Array[T]) CopyFrom(src []T) error {
	err := a.usable()
	if err == nil && len(src) != a.n {
		err = lengths(a.n, len(src))
	}
	if err == nil {
		err = a.b.in(a.off, unsafe.Pointer(unsafe.SliceData(src)), a.bytes())
	}
	return fail(a.World(), "copy from", noPeer, err)
}

// out copies n bytes at an offset of this PE's own copy to Go memory.
func (b *block) out(dst unsafe.Pointer, off engine.Offset, n uintptr) error {
	if b.far != nil {
		return b.far.out(dst, off, n)
	}
	mem.Get(dst, unsafe.Add(b.own, off), n)
	return nil
}

// in copies n bytes of Go memory to an offset of this PE's own copy: others may have it
// in their caches.
func (b *block) in(off engine.Offset, src unsafe.Pointer, n uintptr) error {
	if b.far != nil {
		return b.far.in(off, src, n)
	}
	mem.Put(unsafe.Add(b.own, off), src, n)
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
