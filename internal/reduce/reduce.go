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

var typeNames = [types]string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128", "Float16", "BFloat16", "Float8E4M3", "Float8E5M2"}

// String returns the type as Go calls it.
func (t Type) String() string { return typeNames[t] }

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

// block is how many bytes are taken through all sources at a time: they stay in the
// innermost cache.
const block = 8192

// Scratch is room for intermediate sums. One goroutine uses it at a time.
type Scratch struct {
	sum  [block]byte
	wide [2][block]float32 // of narrow elements, of which a block has the most
}

// Fold sets n elements at dst to those of all sources combined, from the first to
// the last. Narrow floating-point numbers are combined in float32 and rounded once.
// dst may be one of the sources; otherwise it must not overlap with them.
func Fold(t Type, op Op, dst unsafe.Pointer, sources []unsafe.Pointer, n int, s *Scratch) {
	step := block / int(t.Size())
	for at := 0; at < n; at += step {
		off := uintptr(at) * t.Size()
		fold(t, op, unsafe.Add(dst, off), sources, off, min(step, n-at), s)
	}
}

// FoldTo is Fold to several destinations, each of which may be one of the sources: a
// block of all sources is read before it is written anywhere.
func FoldTo(t Type, op Op, dsts, sources []unsafe.Pointer, n int, s *Scratch) {
	step := block / int(t.Size())
	for at := 0; at < n; at += step {
		some, off := min(step, n-at), uintptr(at)*t.Size()
		first := unsafe.Add(dsts[0], off)
		fold(t, op, first, sources, off, some, s)
		for _, dst := range dsts[1:] {
			move(unsafe.Add(dst, off), first, uintptr(some)*t.Size())
		}
	}
}

// fold combines n elements, at most a block, that lie off bytes into the sources. dst
// may be one of them, so nothing is put there before the last has been read.
func fold(t Type, op Op, dst unsafe.Pointer, sources []unsafe.Pointer, off uintptr, n int, s *Scratch) {
	last := len(sources) - 1
	switch {
	case last == 0:
		move(dst, unsafe.Add(sources[0], off), uintptr(n)*t.Size())
	case last == 1:
		Combine(t, op, dst, unsafe.Add(sources[0], off), unsafe.Add(sources[1], off), n)
	case t.narrow():
		foldNarrow(t, op, dst, sources, off, n, s)
	default:
		acc := unsafe.Pointer(&s.sum)
		Combine(t, op, acc, unsafe.Add(sources[0], off), unsafe.Add(sources[1], off), n)
		for _, source := range sources[2:last] {
			Combine(t, op, acc, acc, unsafe.Add(source, off), n)
		}
		Combine(t, op, dst, acc, unsafe.Add(sources[last], off), n)
	}
}

// foldNarrow combines in float32.
func foldNarrow(t Type, op Op, dst unsafe.Pointer, sources []unsafe.Pointer, off uintptr, n int, s *Scratch) {
	acc, next := unsafe.Pointer(&s.wide[0]), unsafe.Pointer(&s.wide[1])
	widen(t, acc, unsafe.Add(sources[0], off), n)
	for _, source := range sources[1:] {
		widen(t, next, unsafe.Add(source, off), n)
		Combine(Float32, op, acc, acc, next, n)
	}
	narrow(t, dst, acc, n)
}

func move(dst, src unsafe.Pointer, n uintptr) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}
