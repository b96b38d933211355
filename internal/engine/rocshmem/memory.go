package rocshmem

import (
	"context"
	"errors"
	"sync"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/block"
)

const (
	// maxTeams is how many slots for teams a world has.
	maxTeams = 64
	// scratchSize is what a slot has of the memory behind the arrays, for collectives that
	// are put together; the last one is what Go memory passes through on its way to PEs that
	// are not reached by copies.
	scratchSize = 64 << 10
	reserve     = (maxTeams + 1) * scratchSize
	bounce      = maxTeams * scratchSize
	// spare is what the library takes of its heap for itself, and more.
	spare = 64 << 20
)

// memory is the symmetric memory of GPUs as one PE sees it. It is its own lane: all
// lanes share one stream.
type memory struct {
	block.Memory
	lib     *library
	rank    int
	narrow  bool // atomics of 64 bits only
	team    rocshmem.Team
	world   *group
	passing sync.Mutex // held by who uses the memory for Go memory that passes
	close   sync.Once
	ended   error // what Close returns
}

// World is the meeting point of all PEs.
func (m *memory) World() engine.Group { return m.world }

// Poisoned says why nothing of the library can be used any more.
func (m *memory) Poisoned() error { return m.lib.Poisoned() }

// at is At for the library's calls.
func (m *memory) at(pe int, off engine.Offset, n uintptr) (rocshmem.Symmetric, error) {
	p, err := m.At(pe, off, n)
	return rocshmem.Symmetric(p), err
}

// wordAt is Word for the library's calls.
func (m *memory) wordAt(pe int, off engine.Offset, width uintptr) (rocshmem.Symmetric, error) {
	p, err := m.Word(pe, off, width)
	return rocshmem.Symmetric(p), err
}

// symmetric says whether memory is in the own heap.
func (m *memory) symmetric(p, n uintptr) bool {
	all := m.Bytes + reserve
	return p >= m.Base && n <= all && p-m.Base <= all-n
}

// Commit makes a part of the own memory read as zero.
func (m *memory) Commit(at engine.Offset, n uintptr) error {
	if err := m.Zero(at, n); err != nil || n == 0 {
		return err
	}
	return m.Finish(context.Background(), engine.Call{Kind: engine.KindAlloc}, m.Stream)
}

// Finish waits for a stream, as long as the world is in order. What a stream waits for in
// the library is released by nothing: when the wait is given up, so is the library.
func (m *memory) Finish(ctx context.Context, call engine.Call, s device.Handle) error {
	fault, gaveUp := m.Await(ctx, call, s)
	switch {
	case gaveUp == nil:
		return fault
	case m.Control.Broken() != nil:
		return m.lib.Poison("a stream has not come to its end", gaveUp)
	}
	return errors.Join(gaveUp, fault)
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
	err := m.lib.watched(ctx, m.Control, call, "giving the heap back", func(l *rocshmem.Library) { l.Free(rocshmem.Symmetric(m.Base)) })
	if err != nil {
		return err
	}
	err = m.lib.watched(ctx, m.Control, call, "the end", func(l *rocshmem.Library) {
		l.BarrierAll()
		l.Finalize()
	})
	return errors.Join(err, m.world.drop(), m.GPU.DestroyStream(m.Dev, m.Stream), m.GPU.DestroyStream(m.Dev, m.Looks))
}
