package nvshmem

import (
	"errors"

	"github.com/goshmem/goshmem/internal/engine"
)

// heap is a world of the host whose arrays are on GPUs.
type heap struct {
	engine.Heap
	device *memory
}

// Engine returns "nvshmem".
func (*heap) Engine() string { return name }

// Device is where the arrays are.
func (h *heap) Device() engine.Device { return h.device }

// Broken returns why the library cannot be used any more, or the error of the world.
func (h *heap) Broken() error {
	if err := h.device.Poisoned(); err != nil {
		return err
	}
	return h.Heap.Broken()
}

// Close gives the symmetric memory back before the world ends.
func (h *heap) Close() error { return errors.Join(h.device.Close(), h.Heap.Close()) }

var (
	_ engine.Devised  = (*heap)(nil)
	_ engine.Device   = (*memory)(nil)
	_ engine.Poisoned = (*memory)(nil)
)
