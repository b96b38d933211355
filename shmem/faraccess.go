package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// Access of a PE to its own copy where that is on a device.

// isWord says whether an element is what devices load in one piece.
func isWord[T any](off engine.Offset) bool {
	n := sizeOf[T]()
	return n <= 8 && n&(n-1) == 0 && off&(n-1) == 0
}

// word loads an element that is a word, as it is now.
func word[T any](d *deviceMemory, off engine.Offset) (T, error) {
	bits, err := d.Load(off, int(sizeOf[T]()))
	return *(*T)(unsafe.Pointer(&bits)), err
}

func (a Array[T]) farAt(op string, off engine.Offset) (v T, err error) {
	if isWord[T](off) {
		v, err = word[T](a.b.far, off)
	} else {
		err = a.b.far.out(unsafe.Pointer(&v), off, sizeOf[T]())
	}
	return v, fail(a.b.w, op, noPeer, err)
}

func (a Array[T]) farSet(op string, off engine.Offset, v T) error {
	return fail(a.b.w, op, noPeer, a.b.far.in(off, unsafe.Pointer(&v), sizeOf[T]()))
}

// farFill brings some elements there, and has the device repeat them.
func (a Array[T]) farFill(v T) error {
	some := make([]T, min(a.n, 4096))
	for i := range some {
		some[i] = v
	}
	n := bytesOf(some)
	if err := a.b.far.in(a.off, unsafe.Pointer(unsafe.SliceData(some)), n); err != nil {
		return err
	}
	return a.b.far.repeat(a.off, n, a.bytes())
}
