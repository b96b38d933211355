// Package reduce combines vectors element by element. It knows nothing of PEs: memory
// comes as addresses, elements as a Type. Sums and the like of several vectors are
// made from the first to the last, so that equal inputs give equal bits.
package reduce

import (
	"unsafe"
)

// Op is what is done with two elements.
type Op uint8

// The operations.
const (
	Sum Op = iota
	Prod
	Min
	Max
	And
	Or
	Xor
	ops
)

var opNames = [ops]string{"sum", "prod", "min", "max", "and", "or", "xor"}

// String returns the operation in the words of error messages.
func (op Op) String() string { return opNames[op] }

// Type is what an element is.
type Type uint8

// The element types.
const (
	Int8 Type = iota
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	Complex64
	Complex128
	Float16
	BFloat16
	Float8E4M3
	Float8E5M2
	types
)

var typeSizes = [types]uintptr{1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16, 2, 2, 1, 1}

// Size returns the bytes of an element.
func (t Type) Size() uintptr { return typeSizes[t] }

// narrow says whether elements are added up in float32.
func (t Type) narrow() bool { return t >= Float16 }

// Has says whether elements of type t can be combined by op.
func Has(t Type, op Op) bool { return kernels[t][op] != nil }

// kernel sets n elements at dst to those at a combined with those at b. dst may be a
// or b.
type kernel func(dst, a, b unsafe.Pointer, n int)

// Combine sets n elements at dst to those at a combined with those at b. dst may be
// a or b; otherwise they must not overlap.
func Combine(t Type, op Op, dst, a, b unsafe.Pointer, n int) { kernels[t][op](dst, a, b, n) }

// block is how many elements are taken through all sources at a time: they stay in
// the innermost cache.
const block = 2048

// Fold sets n elements at dst to those of all sources combined, from the first to
// the last. Narrow floating-point numbers are combined in float32 and rounded once.
// dst may be one of the sources; otherwise it must not overlap with them.
func Fold(t Type, op Op, dst unsafe.Pointer, sources []unsafe.Pointer, n int) {
	for at := 0; at < n; at += block {
		fold(t, op, dst, sources, at, min(block, n-at))
	}
}

// fold is Fold for n elements from element at on. dst may be a later source, so what
// comes from the earlier ones must not be put there before that has been read.
func fold(t Type, op Op, dst unsafe.Pointer, sources []unsafe.Pointer, at, n int) {
	off := uintptr(at) * t.Size()
	to := unsafe.Add(dst, off)
	switch {
	case len(sources) == 1:
		move(to, unsafe.Add(sources[0], off), uintptr(n)*t.Size())
	case len(sources) == 2:
		kernels[t][op](to, unsafe.Add(sources[0], off), unsafe.Add(sources[1], off), n)
	case t.narrow():
		foldNarrow(t, op, to, sources, off, n)
	default:
		var sum [block * 16]byte
		acc := unsafe.Pointer(&sum)
		kernels[t][op](acc, unsafe.Add(sources[0], off), unsafe.Add(sources[1], off), n)
		last := len(sources) - 1
		for _, s := range sources[2:last] {
			kernels[t][op](acc, acc, unsafe.Add(s, off), n)
		}
		kernels[t][op](to, acc, unsafe.Add(sources[last], off), n)
	}
}

// foldNarrow combines in float32.
func foldNarrow(t Type, op Op, to unsafe.Pointer, sources []unsafe.Pointer, off uintptr, n int) {
	var sum, next [block]float32
	acc, wide := unsafe.Pointer(&sum), unsafe.Pointer(&next)
	widen(t, acc, unsafe.Add(sources[0], off), n)
	for _, s := range sources[1:] {
		widen(t, wide, unsafe.Add(s, off), n)
		kernels[Float32][op](acc, acc, wide, n)
	}
	narrow(t, to, acc, n)
}

func move(dst, src unsafe.Pointer, n uintptr) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}
