package host

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// The callers of this file are wrappers around a Heap and peers without a Base;
// package shmem moves data by itself. What is for a PE of another node goes over the wire.

// Put copies n bytes to pe.
func (h *Heap) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if h.far.is(pe) {
		return h.far.outcome(h.far.wire.put(pe, heapStart+dst, src, n, false))
	}
	mem.Put(unsafe.Add(h.base[pe], dst), src, n)
	return nil
}

// PutNBI is Put, on this node: a store needs no completion.
func (h *Heap) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if h.far.is(pe) {
		return h.far.outcome(h.far.wire.put(pe, heapStart+dst, src, n, true))
	}
	return h.Put(pe, dst, src, n)
}

// Get copies n bytes from pe.
func (h *Heap) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if h.far.is(pe) {
		return h.far.outcome(h.far.wire.get(pe, heapStart+src, dst, n, false))
	}
	mem.Get(dst, unsafe.Add(h.base[pe], src), n)
	return nil
}

// GetNBI is Get, on this node.
func (h *Heap) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if h.far.is(pe) {
		return h.far.outcome(h.far.wire.get(pe, heapStart+src, dst, n, true))
	}
	return h.Get(pe, dst, src, n)
}

// PutSignal copies n bytes to pe and then applies op to the signal there.
func (h *Heap) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	if err := h.Put(pe, dst, src, n); err != nil {
		return err
	}
	if h.far.is(pe) {
		if err := h.far.outcome(h.far.wire.fence()); err != nil {
			return err
		}
	}
	_, err := h.Atomic(pe, sig, op) // an atomic orders a copy before it
	h.Ring(pe)
	return err
}

// Fence orders earlier stores before later ones.
func (h *Heap) Fence() {
	mem.Release()
	if h.far != nil {
		_ = h.far.wire.fence() // a PE that is gone gets nothing in any order
	}
}

// Quiet makes earlier stores visible before anything later is read, and waits until what
// has gone to other nodes has arrived.
func (h *Heap) Quiet(ctx context.Context) error {
	mem.Full()
	if h.far != nil {
		return h.far.quieten(ctx)
	}
	return nil
}

// Atomic applies op at at of pe and returns the old bits.
func (h *Heap) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	if h.far.is(pe) {
		old, err := h.far.wire.atomic(pe, heapStart+at, op)
		return old, h.far.outcome(err)
	}
	return op.Do(unsafe.Add(h.base[pe], at)), nil
}
