package shmem

import (
	"errors"
	"reflect"
	"unsafe"
)

// ErrNotSymmetric is stub.
var ErrNotSymmetric = errors.New("not symmetric")

// ObjectAt is a stand-in.
func ObjectAt[T any](w *World, addr uintptr, n int) (Array[T], error) {
	if w == nil {
		return Array[T]{}, noWorld("object at")
	}
	err := problem(ErrArgument, "%v, %d", reflect.TypeFor[T](), n)
	if n < 0 {
		return Array[T]{}, fail(w, "object at", noPeer, err)
	}
	if w.state.Load() != live {
		return Array[T]{}, fail(w, "object at", noPeer, w.gone())
	}
	base := uintptr(w.own)
	if addr < base || addr-base >= w.heap.Size() {
		return Array[T]{}, fail(w, "object at", noPeer, problem(ErrNotSymmetric, "address %#x is not in the symmetric heap", addr))
	}
	off := addr - base
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.blocks {
		if off >= b.at && off < b.at+b.n {
			if uintptr(n) > (b.at+b.n-off)/sizeOf[T]() {
				return Array[T]{}, fail(w, "object at", noPeer, problem(ErrBounds, "past the end"))
			}
			var v T
			if off%unsafe.Alignof(v) != 0 {
				return Array[T]{}, fail(w, "object at", noPeer, problem(ErrArgument, "misaligned"))
			}
			return Array[T]{b, off, n}, nil
		}
	}
	return Array[T]{}, fail(w, "object at", noPeer, problem(ErrFreed, "no live allocation at %#x", addr))
}
