package host

import (
	"context"
	"math"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// The callers of this file are wrappers around a Heap and peers without a Base;
// package shmem moves data by itself.

// Put copies n bytes to pe.
func (h *Heap) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	mem.Put(unsafe.Add(h.base[pe], dst), src, n)
	return nil
}

// PutNBI is Put: a store needs no completion.
func (h *Heap) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	return h.Put(pe, dst, src, n)
}

// Get copies n bytes from pe.
func (h *Heap) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	mem.Get(dst, unsafe.Add(h.base[pe], src), n)
	return nil
}

// GetNBI is Get.
func (h *Heap) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	return h.Get(pe, dst, src, n)
}

// PutSignal copies n bytes to pe and then applies op to the signal there.
func (h *Heap) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	if err := h.Put(pe, dst, src, n); err != nil {
		return err
	}
	_, err := h.Atomic(pe, sig, op) // an atomic orders the copy before it
	h.Ring(pe)
	return err
}

// Fence orders earlier stores before later ones.
func (h *Heap) Fence() { mem.Release() }

// Quiet makes earlier stores visible before anything later is read.
func (h *Heap) Quiet(context.Context) error {
	mem.Full()
	return nil
}

// Atomic applies op at at of pe and returns the old bits.
func (h *Heap) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	p := unsafe.Add(h.base[pe], at)
	if op.Width == 4 {
		return uint64(atomic32(p, op)), nil
	}
	return atomic64(p, op), nil
}

func atomic64(p unsafe.Pointer, op engine.AMO) uint64 {
	switch op.Kind {
	case engine.AMOSet, engine.AMOSwap:
		return mem.Swap64(p, op.Value)
	case engine.AMOCompareSwap:
		return mem.CompareSwap64(p, op.Cond, op.Value)
	case engine.AMOAdd:
		if op.Float {
			return mem.AddFloat64(p, math.Float64frombits(op.Value))
		}
		return mem.Add64(p, op.Value)
	case engine.AMOAnd:
		return mem.And64(p, op.Value)
	case engine.AMOOr:
		return mem.Or64(p, op.Value)
	case engine.AMOXor:
		return mem.Xor64(p, op.Value)
	}
	return mem.Load64(p)
}

func atomic32(p unsafe.Pointer, op engine.AMO) uint32 {
	v := uint32(op.Value)
	switch op.Kind {
	case engine.AMOSet, engine.AMOSwap:
		return mem.Swap32(p, v)
	case engine.AMOCompareSwap:
		return mem.CompareSwap32(p, uint32(op.Cond), v)
	case engine.AMOAdd:
		if op.Float {
			return mem.AddFloat32(p, math.Float32frombits(v))
		}
		return mem.Add32(p, v)
	case engine.AMOAnd:
		return mem.And32(p, v)
	case engine.AMOOr:
		return mem.Or32(p, v)
	case engine.AMOXor:
		return mem.Xor32(p, v)
	}
	return mem.Load32(p)
}
