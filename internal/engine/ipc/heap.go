package ipc

import (
	"errors"

	"github.com/goshmem/goshmem/internal/engine"
)

// controlSize is the heap that a PE has besides its device's: for what a world keeps in
// memory that all PEs load and store, copies of arrays among it. It takes memory only
// where it is used.
func controlSize(c engine.Config) uintptr { return (c.HeapSize + desk - 1) &^ (desk - 1) }

// heap is a PE's view of the world: a control heap, and memory of a device.
type heap struct {
	engine.Heap
	plane *plane
}

var (
	_ engine.Heap    = (*heap)(nil)
	_ engine.Devised = (*heap)(nil)
)

// Engine returns "ipc".
func (h *heap) Engine() string { return name }

// Size returns the bytes of the control heap.
func (h *heap) Size() uintptr { return h.plane.around }

// Device returns the symmetric memory.
func (h *heap) Device() engine.Device { return h.plane }

// Broken returns the error of the world or that of a stream that has waited too long.
func (h *heap) Broken() error { return h.plane.broken() }

// Close gives the device's memory back, and leaves the world.
func (h *heap) Close() error { return errors.Join(h.plane.Close(), h.Heap.Close()) }
