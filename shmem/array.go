package shmem

import "unsafe"

// Array is n elements of T at the same place in every PE's symmetric heap. It is
// a small value: copies and slices refer to the same memory. T is any type of
// fixed size without pointers.
type Array[T any] struct {
	b   *block
	off uintptr // of element 0, from the start of the heap
	n   int
}

// Len returns the number of elements. Local.
func (a Array[T]) Len() int { return a.n }

// World returns the world that the array belongs to, nil for the zero Array. Local.
func (a Array[T]) World() *World {
	if a.b == nil {
		return nil
	}
	return a.b.w
}

// Slice returns elements lo to hi-1 as an array of their own. Local.
func (a Array[T]) Slice(lo, hi int) (Array[T], error) {
	if err := a.usable(); err != nil {
		return Array[T]{}, fail(a.World(), "slice", noPeer, err)
	}
	if lo < 0 || hi < lo || hi > a.n {
		return Array[T]{}, fail(a.b.w, "slice", noPeer, problem(ErrBounds, "[%d:%d] of an array of %d elements", lo, hi, a.n))
	}
	return Array[T]{a.b, a.off + uintptr(lo)*sizeOf[T](), hi - lo}, nil
}

func sizeOf[T any]() uintptr {
	var v T
	return unsafe.Sizeof(v)
}

// bytes is the size of the whole array.
func (a Array[T]) bytes() uintptr { return uintptr(a.n) * sizeOf[T]() }

// alive says whether the array may be used now. One atomic load.
func (a Array[T]) alive() bool { return a.b != nil && a.b.state.Load() == live }

// usable is alive as an error.
func (a Array[T]) usable() error {
	if a.b == nil {
		return problem(ErrArgument, "the zero value has no memory: use Alloc or AllocSignal")
	}
	return a.b.ended()
}

// here is where element 0 of this PE's own copy is, to be given to transfers. Go may load
// and store there unless the block is far. The array must be alive.
func (a Array[T]) here() unsafe.Pointer { return unsafe.Add(a.b.own, a.off) }

// word is where element i of pe's copy is; nil if anything is unusual: then
// reach says what.
func (a Array[T]) word(i, pe int) unsafe.Pointer {
	b := a.b
	if b == nil || b.state.Load() != live || uint(i) >= uint(a.n) || uint(pe) >= uint(len(b.bases)) {
		return nil
	}
	base := b.bases[pe]
	if base == nil {
		return nil
	}
	return unsafe.Add(base, a.off+uintptr(i)*sizeOf[T]())
}

// reach returns why element i of pe's copy cannot be used; nil means that it can,
// but only through the engine.
func (a Array[T]) reach(i, pe int) error {
	if err := a.usable(); err != nil {
		return err
	}
	if err := a.b.lane.checkPE(pe); err != nil {
		return err
	}
	if uint(i) >= uint(a.n) {
		return outside(i, a.n)
	}
	return nil
}

func outside(i, n int) error { return problem(ErrBounds, "element %d of an array of %d", i, n) }

// offset is where element i is in every PE's heap.
func (a Array[T]) offset(i int) uintptr { return a.off + uintptr(i)*sizeOf[T]() }
