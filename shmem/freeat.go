package shmem

import (
	"context"

	"github.com/goshmem/goshmem/internal/engine"
)

// FreeAt is [Array.Free] of the allocation that begins at a local address. Where
// none begins the PE refuses, so that the others do not wait for it: all get an
// error. Blocking, collective over the world. OpenSHMEM: shmem_free.
func FreeAt(ctx context.Context, w *World, addr uintptr) error {
	if w == nil {
		return noWorld("free")
	}
	b := w.beginsAt(addr)
	if b == nil {
		return w.refuse(ctx, "free", engine.KindFree, problem(ErrFreed, "no allocation begins at %#x: it was freed, or this is not what an allocation returned", addr))
	}
	return b.free(ctx)
}

// beginsAt returns the block whose first byte on this PE is at addr, nil if there
// is none.
func (w *World) beginsAt(addr uintptr) *block {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.blocks[addr-uintptr(w.own)]
}
