package nvshmem

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/block"
)

// memory is the symmetric memory of GPUs as one PE sees it. It is its own lane: all
// lanes share the library's order.
type memory struct {
	block.Memory
	lib     *library
	direct  bool // it can get everywhere
	limited bool // PEs share a GPU, and the library does less
	world   *group
	late    backlog
	compile func(arch, driver string) ([]byte, error)
	atomics atomics
	close   sync.Once
	ended   error // what Close returns
}

// NewLane returns the memory itself.
func (m *memory) NewLane() engine.Lane { return m }

// World is the meeting point of all PEs.
func (m *memory) World() engine.Group { return m.world }

// Poisoned says why nothing of the library can be used any more.
func (m *memory) Poisoned() error { return m.lib.Poisoned() }

// local refuses memory that the library cannot read or write where it would have to send
// what is there.
func (m *memory) local(pe int, p uintptr, n uintptr) error {
	if m.Peers[pe] != 0 || p >= m.Base && n <= m.Bytes && p-m.Base <= m.Bytes-n {
		return nil
	}
	return fmt.Errorf("nvshmem: %w: PE %d is not reached by copies of this GPU, so the local side must be symmetric memory as well", device.ErrUnsupported, pe)
}

// Commit makes a part of the own memory read as zero.
func (m *memory) Commit(at engine.Offset, n uintptr) error {
	if err := m.Zero(at, n); err != nil || n == 0 {
		return err
	}
	return m.Finish(context.Background(), engine.Call{Kind: engine.KindAlloc}, m.Stream)
}

// Finish waits for a stream, as long as the world is in order.
func (m *memory) Finish(ctx context.Context, call engine.Call, s device.Handle) error {
	fault, gaveUp := m.Await(ctx, call, s)
	if gaveUp != nil {
		return gaveUp
	}
	return fault
}

// Close gives the memory back and ends the library, together with the others. In a world
// that has failed they may not come, and the end of the process does it.
func (m *memory) Close() error {
	m.close.Do(func() { m.ended = m.finalize() })
	return m.ended
}

func (m *memory) finalize() error {
	if m.lib.Poisoned() != nil || m.Control.Broken() != nil {
		return nil
	}
	ctx, call := context.Background(), engine.Call{Kind: engine.KindFinalize}
	if err := m.Quiet(ctx); err != nil {
		return err
	}
	if _, err := m.lib.watched(ctx, m.Control, call, &m.lib.free, m.Base); err != nil {
		return err
	}
	_, err := m.lib.watched(ctx, m.Control, call, &m.lib.finalize)
	return errors.Join(err, m.unloadAtomics(), m.GPU.DestroyStream(m.Dev, m.Stream))
}
