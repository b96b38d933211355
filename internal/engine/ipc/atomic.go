package ipc

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// Atomic applies op to a word of pe.
func (l *lane) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	if err := l.p.usable(); err != nil {
		return 0, err
	}
	if l.p.reach {
		return op.Do(pointer(l.p.at(pe, at))), nil
	}
	return 0, fmt.Errorf("engine ipc: atomics: %w", device.ErrUnsupported)
}

// amo queues an atomic operation.
func (p *plane) amo(_ device.Handle, _ device.Ptr, _ engine.AMO, _ device.Ptr) error {
	return fmt.Errorf("engine ipc: atomics on streams: %w", device.ErrUnsupported)
}
