// Package reduce combines vectors element by element. It knows nothing of PEs: memory
// comes as addresses, elements as a Type. Sums and the like of several vectors are
// made from the first to the last, so that equal inputs give equal bits.
//
// On amd64 vectors are combined by assembly (vector_amd64.go); what is shorter than a
// register, and everything on other machines and under the race detector, which does
// not see what assembly touches, in plain Go (plain.go). Both give equal bits but for
// this: which NaN comes of two of them, or of none, may differ.
package reduce

//go:generate go run -C ../../tools ./reducegen ../internal/reduce

import "unsafe"

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

// Narrow says whether elements are added up in float32.
func (t Type) Narrow() bool { return t >= Float16 }

// Has says whether elements of type t can be combined by op.
func Has(t Type, op Op) bool { return kernels[t][op] != nil }

// kernel sets n elements at dst to those at a combined with those at b. dst may be a
// or b.
type kernel func(dst, a, b unsafe.Pointer, n int)
