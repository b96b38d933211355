package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// memory is what the arrays of a world lie in: its heap, or memory of a device. The heap
// of a world on a device is for meetings, boards, rooms and stages.
type memory struct {
	store  store          // what is allocated from
	moves  mover          // the default way to arrays of other PEs
	arrays unsafe.Pointer // where this PE's copy of every array begins
	device *deviceMemory  // nil: arrays are in the heap
	stages *stages        // if they are not: what else the heap is for
}

// store is memory that arrays are allocated from.
type store interface {
	Size() uintptr
	Commit(at engine.Offset, n uintptr) error
	Release(at engine.Offset, n uintptr) error
}

// mover is a lane that makes more of its kind.
type mover interface {
	engine.Lane
	NewLane() engine.Lane
}

// memoryOf returns the memory of a world: that of its heap, which begins at own, unless
// there is a device.
func memoryOf(h engine.Heap, own unsafe.Pointer, d *deviceMemory) memory {
	if d == nil {
		return memory{store: h, moves: h, arrays: own}
	}
	m := memory{store: d, moves: d, arrays: d.at(0), device: d}
	if c, ok := h.(engine.Counting); ok {
		of := counted{c.Around(d), d, c}
		m.store, m.moves = of, of
	}
	return m
}

// counted is memory of a device of which a heap counts what is done.
type counted struct {
	engine.Lane
	of *deviceMemory
	by engine.Counting
}

// NewLane returns another lane that is counted.
func (c counted) NewLane() engine.Lane { return c.by.Around(c.of.NewLane()) }

// Size is that of the memory.
func (c counted) Size() uintptr { return c.of.Size() }

// Commit is counted as well.
func (c counted) Commit(at engine.Offset, n uintptr) error {
	if err := c.by.Exhausted(); err != nil {
		return err
	}
	return c.of.Commit(at, n)
}

// Release gives memory back.
func (c counted) Release(at engine.Offset, n uintptr) error { return c.of.Release(at, n) }

// bytesAt returns n bytes of this PE's own memory as they are now, to be looked at only.
func (m *memory) bytesAt(at engine.Offset, n uintptr) ([]byte, error) {
	if m.device == nil {
		return unsafe.Slice((*byte)(unsafe.Add(m.arrays, at)), n), nil
	}
	copied := make([]byte, n)
	return copied, m.device.out(unsafe.Pointer(unsafe.SliceData(copied)), at, n)
}

// locate returns the offset of an address in this PE's own memory; false if it is elsewhere.
func (m *memory) locate(addr uintptr) (engine.Offset, bool) {
	off := addr - uintptr(m.arrays)
	return off, off < m.store.Size()
}
