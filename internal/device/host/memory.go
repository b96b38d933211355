package host

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/goshmem/goshmem/internal/device"
)

// block is an allocation, or an import of one.
type block struct {
	base     uintptr
	size     uintptr
	dev      int
	pinned   bool
	imported bool
	release  func() error
	after    []place // what must be done before its memory may be used anew
}

// memory knows all blocks of a driver.
type memory struct {
	queues queues
	arena  arena

	mu      sync.RWMutex
	blocks  []*block // sorted by base
	retired []*block // freed, with work before it that was not done then
	credit  uint64   // bytes that may be given before the machine is asked again
}

// search finds the place of an address among the blocks.
func (m *memory) search(p uintptr) (int, bool) {
	return slices.BinarySearchFunc(m.blocks, p, func(b *block, p uintptr) int {
		switch {
		case b.base+b.size <= p:
			return -1
		case b.base > p:
			return 1
		}
		return 0
	})
}

// at returns the block that an address lies in, or nil.
func (m *memory) at(p uintptr) *block {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if i, ok := m.search(p); ok {
		return m.blocks[i]
	}
	return nil
}

// count is how many blocks there are, those included that wait to be released.
func (m *memory) count() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.blocks) + len(m.retired)
}

// insert makes a block known.
func (m *memory) insert(b *block) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, _ := m.search(b.base)
	m.blocks = slices.Insert(m.blocks, i, b)
}

// check says why a range of bytes is no good. Memory that is not of this driver is
// taken as it is: the caller vouches for it.
func (m *memory) check(dev int, call string, p device.Ptr, n uintptr) error {
	if n == 0 {
		return nil
	}
	if n > math.MaxInt || uintptr(p)+n < n {
		return fail(dev, call, device.ErrArgument, "%d bytes at %#x", n, p)
	}
	b := m.at(uintptr(p))
	switch {
	case p == 0:
		return fail(dev, call, device.ErrArgument, "the address is 0")
	case b != nil && uintptr(p)+n > b.base+b.size:
		return fail(dev, call, device.ErrArgument, "%d bytes at %#x: the allocation ends after %d", n, p, b.base+b.size-uintptr(p))
	case b == nil && m.arena.holds(uintptr(p)):
		return fail(dev, call, device.ErrArgument, "the memory at %#x is freed, or never was an allocation's", p)
	}
	return nil
}

// take removes the block that begins at p. Its memory is released when the work that
// is in streams now is done.
func (d *Driver) take(dev int, call string, p device.Ptr, fits func(*block) bool) error {
	if err := d.device(dev, call); err != nil {
		return err
	}
	m := &d.memory
	m.mu.Lock()
	i, ok := m.search(uintptr(p))
	if !ok || m.blocks[i].base != uintptr(p) || !fits(m.blocks[i]) {
		defer m.mu.Unlock()
		if ok {
			return fail(dev, call, device.ErrArgument, "%#x is in %s of device %d that begins at %#x", p, m.blocks[i].what(), m.blocks[i].dev, m.blocks[i].base)
		}
		return fail(dev, call, device.ErrArgument, "nothing that can be freed begins at %#x: it is freed already, or was never given", p)
	}
	b := m.blocks[i]
	m.blocks = slices.Delete(m.blocks, i, i+1)
	m.mu.Unlock()
	b.after = m.queues.ends()
	m.mu.Lock()
	m.retired = append(m.retired, b)
	m.mu.Unlock()
	return m.sweep(dev, call)
}

func (b *block) what() string {
	switch {
	case b.imported:
		return "an import"
	case b.pinned:
		return "pinned memory"
	}
	return "an allocation"
}

// sweep releases retired blocks whose time has come.
func (m *memory) sweep(dev int, call string) error {
	m.mu.Lock()
	var ready []*block
	m.retired = slices.DeleteFunc(m.retired, func(b *block) bool {
		ok := !slices.ContainsFunc(b.after, func(p place) bool { return !p.passed() })
		if ok {
			ready = append(ready, b)
		}
		return ok
	})
	m.mu.Unlock()
	for _, b := range ready {
		if err := b.release(); err != nil {
			return refused(dev, call, err)
		}
	}
	return nil
}

// afford says whether the machine has n bytes. To ask it takes longer than an allocation
// does, so after a good answer it is not asked for a small part of what was free.
func (m *memory) afford(n uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n > m.credit {
		free, total := available()
		if n > free {
			return fmt.Errorf("asked %d bytes, free %d of %d", n, free, total)
		}
		m.credit = max(n, free/256)
	}
	m.credit -= n
	return nil
}

// alloc gives a block to a device.
func (d *Driver) alloc(dev int, call string, n uintptr, pinned bool) (device.Ptr, error) {
	if err := d.device(dev, call); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, fail(dev, call, device.ErrArgument, "0 bytes are asked for")
	}
	if err := d.memory.sweep(dev, call); err != nil {
		return 0, err
	}
	if err := d.memory.afford(uint64(n)); err != nil {
		return 0, fail(dev, call, device.ErrMemory, "%v", err)
	}
	p, err := d.memory.arena.alloc(n)
	if err != nil {
		free, total := available()
		return 0, fail(dev, call, device.ErrMemory, "asked %d bytes, free %d of %d: %v", n, free, total, err)
	}
	release := func() error { return d.memory.arena.free(p) }
	d.memory.insert(&block{base: p, size: n, dev: dev, pinned: pinned, release: release})
	return device.Ptr(p), nil
}

// Alloc gives shared memory that is there: to touch it cannot fail.
func (d *Driver) Alloc(dev int, n uintptr) (device.Ptr, error) {
	return d.alloc(dev, "Alloc", n, false)
}

// Free gives an allocation back. Its address is no good from now on; its memory is used
// anew after the work that is queued now. That waits for nothing.
func (d *Driver) Free(dev int, p device.Ptr) error {
	return d.take(dev, "Free", p, func(b *block) bool { return b.dev == dev && !b.pinned && !b.imported })
}

// AllocPinned gives the same memory as Alloc, of no device.
func (d *Driver) AllocPinned(dev int, n uintptr) (device.Ptr, error) {
	return d.alloc(dev, "AllocPinned", n, true)
}

// FreePinned gives memory of AllocPinned back, as Free does.
func (d *Driver) FreePinned(dev int, p device.Ptr) error {
	return d.take(dev, "FreePinned", p, func(b *block) bool { return b.pinned })
}

// HostReach is true: all memory is the host's.
func (d *Driver) HostReach() bool { return true }

// Attributes says whose memory an address is.
func (d *Driver) Attributes(p device.Ptr) (device.Attributes, error) {
	b := d.memory.at(uintptr(p))
	if b == nil {
		return device.Attributes{Device: -1}, nil
	}
	a := device.Attributes{Known: true, Device: b.dev, Pinned: b.pinned, Base: device.Ptr(b.base), Size: b.size}
	if b.pinned {
		a.Device = -1
	}
	return a, nil
}
