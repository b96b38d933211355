package shmem

import (
	"context"

	"github.com/goshmem/goshmem/internal/engine"
)

// IsSymmetric says whether an address is in this PE's symmetric heap, allocated or
// not. Local. OpenSHMEM: shmem_addr_accessible.
func IsSymmetric(w *World, addr uintptr) bool {
	return w != nil && addr-uintptr(w.arrays) < w.store.Size()
}

// FreeAt is [Array.Free] of the allocation that begins at a local address. Where
// none begins the PE refuses, so that the others do not wait for it: all get an
// error. Errors: ErrForeign outside symmetric memory, else ErrFreed. Blocking, collective over the world. OpenSHMEM: shmem_free.
func FreeAt(ctx context.Context, w *World, addr uintptr) error {
	if w == nil {
		return noWorld("free")
	}
	if b := w.beginsAt(addr); b != nil {
		return b.free(ctx)
	}
	if !IsSymmetric(w, addr) {
		return w.refuse(ctx, "free", engine.KindFree, problem(ErrForeign, "%#x is not in symmetric memory", addr))
	}
	return w.refuse(ctx, "free", engine.KindFree, problem(ErrFreed, "no allocation begins at %#x: it was freed, or this is not what an allocation returned", addr))
}

// beginsAt returns the allocation whose first byte on this PE is at addr, nil if
// there is none.
func (w *World) beginsAt(addr uintptr) *block {
	w.mu.Lock()
	defer w.mu.Unlock()
	off := addr - uintptr(w.arrays)
	if i, found := w.place(off); found {
		return w.blocks[i]
	}
	return nil
}
