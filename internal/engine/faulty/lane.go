package faulty

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/fault"
)

// lane is an engine.Lane whose operations are counted.
type lane struct {
	h  *Heap
	to engine.Lane
}

// NewLane returns a lane whose operations count with the others of this PE.
func (h *Heap) NewLane() engine.Lane { return &lane{h, h.Heap.NewLane()} }

// Around counts what goes through another lane of the PE.
func (h *Heap) Around(l engine.Lane) engine.Lane { return &lane{h, l} }

// Domain tells the lane below which PEs it is for, if it wants to know.
func (l *lane) Domain(pes []int) {
	if d, ok := l.to.(engine.Domained); ok {
		d.Domain(pes)
	}
}

// cross counts an operation over a link.
func (l *lane) cross(op fault.Op, pe int) error {
	if err := l.h.reach(op); err != nil {
		return err
	}
	l.h.slow(pe)
	return nil
}

// Put counts a put.
func (l *lane) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if err := l.cross(fault.Put, pe); err != nil {
		return err
	}
	return l.to.Put(pe, dst, src, n)
}

// PutNBI counts a put.
func (l *lane) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if err := l.cross(fault.Put, pe); err != nil {
		return err
	}
	return l.to.PutNBI(pe, dst, src, n)
}

// Get counts a get.
func (l *lane) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if err := l.cross(fault.Get, pe); err != nil {
		return err
	}
	return l.to.Get(pe, dst, src, n)
}

// GetNBI counts a get.
func (l *lane) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if err := l.cross(fault.Get, pe); err != nil {
		return err
	}
	return l.to.GetNBI(pe, dst, src, n)
}

// PutSignal counts a put with its signal.
func (l *lane) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	if err := l.cross(fault.Signal, pe); err != nil {
		return err
	}
	return l.to.PutSignal(pe, dst, src, n, sig, op)
}

// Atomic counts an atomic.
func (l *lane) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	if err := l.cross(fault.Atomic, pe); err != nil {
		return 0, err
	}
	return l.to.Atomic(pe, at, op)
}

// Fence counts a fence, which no fault has fail. One that is stopped until the world
// ends has no way to say so: what comes next does.
func (l *lane) Fence() {
	_ = l.h.reach(fault.Fence)
	l.to.Fence()
}

// Quiet counts a quiet.
func (l *lane) Quiet(ctx context.Context) error {
	if err := l.h.reach(fault.Quiet); err != nil {
		return err
	}
	return l.to.Quiet(ctx)
}
