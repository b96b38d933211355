package host

import (
	"context"
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
	return op.Do(unsafe.Add(h.base[pe], at)), nil
}
