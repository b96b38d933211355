package rocshmem

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
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
	lib     *library
	control engine.Heap
	driver  device.Driver
	rank    int
	dev     int
	size    uintptr
	base    uintptr      // where the own arrays begin; for the library also the name of those of others
	peers   []device.Ptr // where everybody's begin for this GPU; 0: it cannot get there
	narrow  bool         // atomics of 64 bits only
	team    rocshmem.Team
	world   *group
	stream  device.Handle // for what the host does
	looks   device.Handle // for Load
	passing sync.Mutex    // held by who uses the memory for Go memory that passes
	word    struct {      // that Load copies to
		sync.Mutex
		bytes [8]byte
	}
	close sync.Once
	ended error // what Close returns
}

// Size is the number of bytes of each PE's memory.
func (m *memory) Size() uintptr { return m.size }

// Driver drives the GPU.
func (m *memory) Driver() (device.Driver, int) { return m.driver, m.dev }

// Address is where pe's memory begins for this GPU.
func (m *memory) Address(pe int) device.Ptr { return m.peers[pe] }

// World is the meeting point of all PEs.
func (m *memory) World() engine.Group { return m.world }

// Poisoned says why nothing of the library can be used any more.
func (m *memory) Poisoned() error { return m.lib.poisoned() }

// at is the address of a place in the own memory, by which the library knows that of pe
// too. What the library would crash on is refused.
func (m *memory) at(pe int, off engine.Offset, n uintptr) (rocshmem.Symmetric, error) {
	if uint(pe) >= uint(len(m.peers)) {
		return 0, fmt.Errorf("rocshmem: %w: there is no PE %d of %d", device.ErrArgument, pe, len(m.peers))
	}
	if n > m.size || off > m.size-n {
		return 0, fmt.Errorf("rocshmem: %w: %d bytes at %d are not in the heap of %d bytes", device.ErrArgument, n, off, m.size)
	}
	return rocshmem.Symmetric(m.base + off), nil
}

// wordAt is at for a word of some bytes, which has to be aligned.
func (m *memory) wordAt(pe int, off engine.Offset, width uintptr) (rocshmem.Symmetric, error) {
	if off%width != 0 {
		return 0, fmt.Errorf("rocshmem: %w: a word of %d bytes at %d, which is no multiple of that", device.ErrArgument, width, off)
	}
	return m.at(pe, off, width)
}

// symmetric says whether memory is in the own heap.
func (m *memory) symmetric(p, n uintptr) bool {
	all := m.size + reserve
	return p >= m.base && n <= all && p-m.base <= all-n
}

// Commit makes a part of the own memory read as zero.
func (m *memory) Commit(at engine.Offset, n uintptr) error {
	p, err := m.at(m.rank, at, n)
	if err != nil || n == 0 {
		return err
	}
	if err := m.driver.Fill(m.dev, device.Ptr(p), 0, 1, n, m.stream); err != nil {
		return err
	}
	return m.Finish(context.Background(), engine.Call{Kind: engine.KindAlloc}, m.stream)
}

// Release has nothing to give back: the library's memory is one block.
func (m *memory) Release(at engine.Offset, n uintptr) error {
	_, err := m.at(m.rank, at, n)
	return err
}

// Load reads a word of the own memory past all streams but the one for this.
func (m *memory) Load(at engine.Offset, width int) (uint64, error) {
	p, err := m.at(m.rank, at, uintptr(width))
	if err != nil {
		return 0, err
	}
	m.word.Lock()
	defer m.word.Unlock()
	to := unsafe.Pointer(&m.word.bytes)
	if err := m.driver.CopyOut(m.dev, to, device.Ptr(p), uintptr(width), m.looks); err != nil {
		return 0, err
	}
	switch width {
	case 1:
		return uint64(m.word.bytes[0]), nil
	case 2:
		return uint64(mem.Load[uint16](to)), nil
	case 4:
		return uint64(mem.Load[uint32](to)), nil
	}
	return mem.Load[uint64](to), nil
}

// Finish waits for a stream by asking the driver, as long as the world is in order. What
// a stream waits for in the library is released by nothing: when the wait is given up, so
// is the library.
func (m *memory) Finish(ctx context.Context, call engine.Call, s device.Handle) error {
	var fault error
	done := func() bool {
		var ok bool
		ok, fault = m.driver.StreamDone(m.dev, s)
		return ok || fault != nil
	}
	looks, _ := m.control.Spin()
	for range looks {
		if done() {
			return fault
		}
	}
	err := m.control.Wait(ctx, call, done)
	if err != nil && m.control.Broken() != nil {
		return m.lib.poison(fmt.Errorf("rocshmem: a stream has not come to its end, so rocSHMEM cannot be used any more in this process: %w", err))
	}
	return errors.Join(err, fault)
}

// Close gives the memory back and ends the library, together with the others. In a world
// that has failed they may not come, and the end of the process does it.
func (m *memory) Close() error {
	m.close.Do(func() { m.ended = m.finalize() })
	return m.ended
}

func (m *memory) finalize() error {
	if m.lib.poisoned() != nil || m.control.Broken() != nil {
		return nil
	}
	ctx, call := context.Background(), engine.Call{Kind: engine.KindFinalize}
	if err := m.Quiet(ctx); err != nil {
		return err
	}
	err := m.lib.watched(ctx, m.control, call, "giving the heap back", func(l *rocshmem.Library) { l.Free(rocshmem.Symmetric(m.base)) })
	if err != nil {
		return err
	}
	err = m.lib.watched(ctx, m.control, call, "the end", func(l *rocshmem.Library) {
		l.BarrierAll()
		l.Finalize()
	})
	return errors.Join(err, m.world.drop(), m.driver.DestroyStream(m.dev, m.stream), m.driver.DestroyStream(m.dev, m.looks))
}
