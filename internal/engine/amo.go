package engine

import (
	"math"
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// AMOKind is an atomic memory operation.
type AMOKind uint8

// The atomic memory operations. Arithmetic is on Width bytes; Float says that
// an add is a floating-point one.
const (
	AMOFetch AMOKind = iota
	AMOSet
	AMOSwap
	AMOCompareSwap
	AMOAdd
	AMOAnd
	AMOOr
	AMOXor
)

// AMO is one atomic operation with its operands, as raw bits.
type AMO struct {
	Kind  AMOKind
	Width uint8 // 4 or 8
	Float bool
	Blind bool // nobody wants the old value: it may happen later, as a put may
	Value uint64
	Cond  uint64 // AMOCompareSwap only
}

// Do applies the operation to the word at p, which the CPU reaches, and returns its old
// bits.
func (op AMO) Do(p unsafe.Pointer) uint64 {
	if op.Width == 4 {
		return uint64(op.do32(p))
	}
	return op.do64(p)
}

func (op AMO) do64(p unsafe.Pointer) uint64 {
	switch op.Kind {
	case AMOSet, AMOSwap:
		return mem.Swap64(p, op.Value)
	case AMOCompareSwap:
		return mem.CompareSwap64(p, op.Cond, op.Value)
	case AMOAdd:
		if op.Float {
			return mem.AddFloat64(p, math.Float64frombits(op.Value))
		}
		return mem.Add64(p, op.Value)
	case AMOAnd:
		return mem.And64(p, op.Value)
	case AMOOr:
		return mem.Or64(p, op.Value)
	case AMOXor:
		return mem.Xor64(p, op.Value)
	}
	return mem.Load64(p)
}

func (op AMO) do32(p unsafe.Pointer) uint32 {
	v := uint32(op.Value)
	switch op.Kind {
	case AMOSet, AMOSwap:
		return mem.Swap32(p, v)
	case AMOCompareSwap:
		return mem.CompareSwap32(p, uint32(op.Cond), v)
	case AMOAdd:
		if op.Float {
			return mem.AddFloat32(p, math.Float32frombits(v))
		}
		return mem.Add32(p, v)
	case AMOAnd:
		return mem.And32(p, v)
	case AMOOr:
		return mem.Or32(p, v)
	case AMOXor:
		return mem.Xor32(p, v)
	}
	return mem.Load32(p)
}
