// Package block is what engines over a vendor's library have in common: symmetric memory of
// GPUs that the library has given as one block, the way into the library, the meetings while
// a world begins, and its errors.
package block

import (
	"context"
	"fmt"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// Memory is the block of one PE, and where those of others are. Fields are set before the
// world begins.
type Memory struct {
	Engine  string // whose memory it is, for errors
	Control engine.Heap
	GPU     device.Driver
	Dev     int
	Bytes   uintptr
	Base    uintptr       // where the own arrays begin; for the library also the name of those of others
	Peers   []device.Ptr  // where everybody's begin for this GPU; 0: it cannot get there
	Stream  device.Handle // for what the host does
	Looks   device.Handle // for Load

	word struct { // that Load copies to
		sync.Mutex
		bytes [8]byte
	}
}

// Size is the number of bytes of each PE's memory.
func (m *Memory) Size() uintptr { return m.Bytes }

// Driver drives the GPU.
func (m *Memory) Driver() (device.Driver, int) { return m.GPU, m.Dev }

// Address is where pe's memory begins for this GPU.
func (m *Memory) Address(pe int) device.Ptr { return m.Peers[pe] }

// At is the address of a place in the own memory, by which the library knows that of pe
// too. What the library would end the process for is refused.
func (m *Memory) At(pe int, off engine.Offset, n uintptr) (uintptr, error) {
	if uint(pe) >= uint(len(m.Peers)) {
		return 0, fmt.Errorf("%s: %w: there is no PE %d of %d", m.Engine, device.ErrArgument, pe, len(m.Peers))
	}
	if n > m.Bytes || off > m.Bytes-n {
		return 0, fmt.Errorf("%s: %w: %d bytes at %d are not in the heap of %d bytes", m.Engine, device.ErrArgument, n, off, m.Bytes)
	}
	return m.Base + off, nil
}

// Word is At for a word of some bytes, which has to be aligned.
func (m *Memory) Word(pe int, off engine.Offset, width uintptr) (uintptr, error) {
	if off%width != 0 {
		return 0, fmt.Errorf("%s: %w: a word of %d bytes at %d, which is no multiple of that", m.Engine, device.ErrArgument, width, off)
	}
	return m.At(pe, off, width)
}

// Zero has a stream make a part of the own memory read as zero, if there is any of it.
func (m *Memory) Zero(at engine.Offset, n uintptr) error {
	p, err := m.At(m.Control.Rank(), at, n)
	if err != nil || n == 0 {
		return err
	}
	return m.GPU.Fill(m.Dev, device.Ptr(p), 0, 1, n, m.Stream)
}

// Release has nothing to give back: the library's memory is one block.
func (m *Memory) Release(at engine.Offset, n uintptr) error {
	_, err := m.At(m.Control.Rank(), at, n)
	return err
}

// Load reads a word of the own memory past all streams but the one for this.
func (m *Memory) Load(at engine.Offset, width int) (uint64, error) {
	p, err := m.At(m.Control.Rank(), at, uintptr(width))
	if err != nil {
		return 0, err
	}
	m.word.Lock()
	defer m.word.Unlock()
	to := unsafe.Pointer(&m.word.bytes)
	if err := m.GPU.CopyOut(m.Dev, to, device.Ptr(p), uintptr(width), m.Looks); err != nil {
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

// Await waits for a stream by asking the driver, as long as the world is in order. It
// returns a fault of the stream, and why the wait was given up.
func (m *Memory) Await(ctx context.Context, call engine.Call, s device.Handle) (fault, gaveUp error) {
	done := func() bool {
		var ok bool
		ok, fault = m.GPU.StreamDone(m.Dev, s)
		return ok || fault != nil
	}
	looks, _ := m.Control.Spin()
	for range looks {
		if done() {
			return fault, nil
		}
	}
	gaveUp = m.Control.Wait(ctx, call, done)
	return fault, gaveUp
}
