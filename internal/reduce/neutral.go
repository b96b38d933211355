package reduce

import (
	"math"
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
)

// Neutral sets n elements at dst to what op does nothing with.
func Neutral(t Type, op Op, dst unsafe.Pointer, n int) {
	size := t.Size()
	one := neutral(t, op)
	for i := range n {
		move(unsafe.Add(dst, uintptr(i)*size), unsafe.Pointer(&one), size)
	}
}

// neutral returns the bytes of one element.
func neutral(t Type, op Op) (e [2]uint64) {
	switch {
	case op == Sum, op == Or, op == Xor:
	case op == And:
		e[0] = math.MaxUint64
	case op == Prod:
		put(&e, t, 1)
	case t >= Float32 && op == Min:
		put(&e, t, math.Inf(1))
	case t >= Float32:
		put(&e, t, math.Inf(-1))
	default:
		e[0] = limit(t, op)
	}
	return e
}

// limit is the largest integer for Min, the smallest for Max.
func limit(t Type, op Op) uint64 {
	bits := uint(t.Size() * 8)
	largest := uint64(1)<<(bits-1) - 1
	if t >= Uint8 {
		largest = math.MaxUint64 >> (64 - bits)
	}
	if op == Min {
		return largest
	}
	if t >= Uint8 {
		return 0
	}
	return largest + 1
}

// put writes a number as a t; what a narrow type has no room for becomes its largest.
func put(e *[2]uint64, t Type, x float64) {
	p := unsafe.Pointer(e)
	switch t {
	case Float32, Complex64:
		*(*float32)(p) = float32(x)
	case Float64, Complex128:
		*(*float64)(p) = x
	case Float16:
		*(*dtype.Float16)(p) = dtype.F16(float32(x))
	case BFloat16:
		*(*dtype.BFloat16)(p) = dtype.BF16(float32(x))
	case Float8E4M3:
		*(*dtype.Float8E4M3)(p) = dtype.F8E4M3(float32(x))
	case Float8E5M2:
		*(*dtype.Float8E5M2)(p) = dtype.Float8E5M2FromBits(0x7c | uint8(math.Float64bits(x)>>63<<7))
		if x == 1 {
			*(*dtype.Float8E5M2)(p) = dtype.F8E5M2(1)
		}
	default:
		*(*uint64)(p) = uint64(x)
	}
}
