package nvshmem

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// memory is the symmetric memory of GPUs as one PE sees it. It is its own lane: all
// lanes share the library's order.
type memory struct {
	lib     *library
	control engine.Heap
	driver  device.Driver
	dev     int
	size    uintptr
	base    uintptr      // where the own arrays begin; for the library also the name of those of others
	peers   []device.Ptr // where everybody's begin for this GPU; 0: it cannot get there
	direct  bool         // it can get everywhere
	limited bool         // PEs share a GPU, and the library does less
	world   *group
	stream  device.Handle // for what the host does
	late    backlog
	compile func(arch, driver string) ([]byte, error)
	atomics atomics
	word    struct { // that Load copies to
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

// NewLane returns the memory itself.
func (m *memory) NewLane() engine.Lane { return m }

// World is the meeting point of all PEs.
func (m *memory) World() engine.Group { return m.world }

// Poisoned says why nothing of the library can be used any more.
func (m *memory) Poisoned() error { return m.lib.poisoned() }

// at is the address of a place in the own memory, by which the library knows that of pe
// too. What the library would end the process for is refused.
func (m *memory) at(pe int, off engine.Offset, n uintptr) (uintptr, error) {
	if uint(pe) >= uint(len(m.peers)) {
		return 0, fmt.Errorf("nvshmem: %w: there is no PE %d of %d", device.ErrArgument, pe, len(m.peers))
	}
	if n > m.size || off > m.size-n {
		return 0, fmt.Errorf("nvshmem: %w: %d bytes at %d are not in the heap of %d bytes", device.ErrArgument, n, off, m.size)
	}
	return m.base + off, nil
}

// signal is at for a word of 8 bytes that is signalled, waited for or changed.
func (m *memory) signal(pe int, off engine.Offset) (uintptr, error) {
	if off%8 != 0 {
		return 0, fmt.Errorf("nvshmem: %w: a signal at %d, which is no multiple of 8", device.ErrArgument, off)
	}
	return m.at(pe, off, 8)
}

// local refuses memory that the library cannot read or write where it would have to send
// what is there.
func (m *memory) local(pe int, p uintptr, n uintptr) error {
	if m.peers[pe] != 0 || p >= m.base && n <= m.size && p-m.base <= m.size-n {
		return nil
	}
	return fmt.Errorf("nvshmem: %w: PE %d is not reached by copies of this GPU, so the local side must be symmetric memory as well", device.ErrUnsupported, pe)
}

// Commit makes a part of the own memory read as zero.
func (m *memory) Commit(at engine.Offset, n uintptr) error {
	p, err := m.at(m.control.Rank(), at, n)
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
	_, err := m.at(m.control.Rank(), at, n)
	return err
}

// Load reads a word of the own memory past all streams but the one for this.
func (m *memory) Load(at engine.Offset, width int) (uint64, error) {
	p, err := m.at(m.control.Rank(), at, uintptr(width))
	if err != nil {
		return 0, err
	}
	m.word.Lock()
	defer m.word.Unlock()
	to := unsafe.Pointer(&m.word.bytes)
	if err := m.driver.CopyOut(m.dev, to, device.Ptr(p), uintptr(width), m.stream); err != nil {
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

// Finish waits for a stream by asking the driver, as long as the world is in order.
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
	if err := m.control.Wait(ctx, call, done); err != nil {
		return err
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
	if m.lib.poisoned() != nil || m.control.Broken() != nil {
		return nil
	}
	ctx, call := context.Background(), engine.Call{Kind: engine.KindFinalize}
	if err := m.Quiet(ctx); err != nil {
		return err
	}
	if _, err := m.lib.watched(ctx, m.control, call, &m.lib.free, m.base); err != nil {
		return err
	}
	_, err := m.lib.watched(ctx, m.control, call, &m.lib.finalize)
	return errors.Join(err, m.unloadAtomics(), m.driver.DestroyStream(m.dev, m.stream))
}
