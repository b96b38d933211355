package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/internal/reduce"
)

// Reduction is what a reduction does with two elements: one of Sum, Prod, Min, Max,
// And, Or and Xor, given to a call as it stands. One that the element type does not
// have does not compile.
type Reduction[T any] func(T) Operation

// Operation identifies a reduction. Only the functions of this package make one.
type Operation struct {
	op   reduce.Op
	real bool // made by one of them
}

// The element types of reductions.
type (
	// Integer has all reductions.
	Integer interface {
		int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr
	}
	// Real has an order: Sum, Prod, Min and Max. Floating-point types narrower than
	// float32 are combined in float32 and rounded once.
	Real interface {
		Integer | float32 | float64 | dtype.Float16 | dtype.BFloat16 | dtype.Float8E4M3 | dtype.Float8E5M2
	}
	// Numeric has Sum and Prod.
	Numeric interface {
		Real | complex64 | complex128
	}
)

// Sum adds. Local. NCCL: ncclSum; rocSHMEM: ROCSHMEM_SUM.
func Sum[T Numeric](T) Operation { return Operation{reduce.Sum, true} }

// Prod multiplies. Local. NCCL: ncclProd; rocSHMEM: ROCSHMEM_PROD.
func Prod[T Numeric](T) Operation { return Operation{reduce.Prod, true} }

// Min takes the smaller; if one is not a number, that. Local. NCCL: ncclMin; rocSHMEM:
// ROCSHMEM_MIN.
func Min[T Real](T) Operation { return Operation{reduce.Min, true} }

// Max takes the larger; if one is not a number, that. Local. NCCL: ncclMax; rocSHMEM:
// ROCSHMEM_MAX.
func Max[T Real](T) Operation { return Operation{reduce.Max, true} }

// And is the bitwise and. Local. rocSHMEM: ROCSHMEM_AND.
func And[T Integer](T) Operation { return Operation{reduce.And, true} }

// Or is the bitwise or. Local. rocSHMEM: ROCSHMEM_OR.
func Or[T Integer](T) Operation { return Operation{reduce.Or, true} }

// Xor is the bitwise exclusive or. Local. rocSHMEM: ROCSHMEM_XOR.
func Xor[T Integer](T) Operation { return Operation{reduce.Xor, true} }

// elementOf returns what T is to package reduce.
func elementOf[T Numeric]() reduce.Type {
	var v T
	switch any(v).(type) {
	case int8:
		return reduce.Int8
	case int16:
		return reduce.Int16
	case int32:
		return reduce.Int32
	case uint8:
		return reduce.Uint8
	case uint16:
		return reduce.Uint16
	case uint32:
		return reduce.Uint32
	case float32:
		return reduce.Float32
	case float64:
		return reduce.Float64
	case complex64:
		return reduce.Complex64
	case complex128:
		return reduce.Complex128
	case dtype.Float16:
		return reduce.Float16
	case dtype.BFloat16:
		return reduce.BFloat16
	case dtype.Float8E4M3:
		return reduce.Float8E4M3
	case dtype.Float8E5M2:
		return reduce.Float8E5M2
	case int, int64:
		return signed(unsafe.Sizeof(v))
	}
	return unsigned(unsafe.Sizeof(v))
}

func signed(size uintptr) reduce.Type {
	if size == 4 {
		return reduce.Int32
	}
	return reduce.Int64
}

func unsigned(size uintptr) reduce.Type {
	if size == 4 {
		return reduce.Uint32
	}
	return reduce.Uint64
}
