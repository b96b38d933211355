package shmem

import (
	"reflect"
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// ObjectAt returns the n elements at an address in this PE's symmetric heap as an
// array, for code that deals in addresses. The whole range must lie in one
// allocation. The array that comes with an error answers every call with that error: a
// collective that gets it refuses, so that all members hear of it. Local. OpenSHMEM: a
// symmetric data object's address; shmem_addr_accessible.
func ObjectAt[T any](w *World, addr uintptr, n int) (Array[T], error) {
	if w == nil {
		return Array[T]{}, noWorld("object at")
	}
	b, off, err := objectAt[T](w, addr, n)
	if err != nil {
		return Array[T]{b: w.absent(err)}, fail(w, "object at", noPeer, err)
	}
	return Array[T]{b, off, n}, nil
}

func objectAt[T any](w *World, addr uintptr, n int) (*block, uintptr, error) {
	if n < 0 || n > int(w.store.Size()/max(sizeOf[T](), 1)) {
		return nil, 0, problem(ErrBounds, "%d elements: the symmetric heap has %d bytes", n, w.store.Size())
	}
	if path := mem.PointerIn(reflect.TypeFor[T]()); path != "" {
		return nil, 0, problem(ErrArgument, "%v holds a pointer (%s), which means nothing to another PE", reflect.TypeFor[T](), path)
	}
	off, b, err := w.find(addr, uintptr(n)*sizeOf[T]())
	var v T
	if err == nil && addr%unsafe.Alignof(v) != 0 {
		err = problem(ErrArgument, "address %#x is not aligned to the %d bytes of the type", addr, unsafe.Alignof(v))
	}
	return b, off, err
}

// find returns the allocation that has n bytes at addr, and their offset.
func (w *World) find(addr, n uintptr) (uintptr, *block, error) {
	lo, size := uintptr(w.arrays), w.store.Size()
	if w.state.Load() != live {
		return 0, nil, w.gone()
	}
	if addr < lo || addr-lo >= size {
		return 0, nil, problem(ErrBounds, "address %#x is not in this PE's symmetric heap, [%#x, %#x)", addr, lo, lo+size)
	}
	off := addr - lo
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.holder(off)
	switch {
	case b == nil:
		return 0, nil, problem(ErrFreed, "address %#x (offset %d) is in no live allocation", addr, off)
	case off+n > b.at+b.n:
		return 0, nil, problem(ErrBounds, "%d bytes at %#x end %d bytes past the end of alloc #%d (%d bytes, %s)", n, addr, off+n-b.at-b.n, b.seq, b.n, b.site)
	}
	return off, b, b.ended()
}
