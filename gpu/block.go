package gpu

import (
	"reflect"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/mem"
)

// MemoryKind says where memory is.
type MemoryKind int

// The kinds of memory.
const (
	DeviceMemory MemoryKind = iota // of a device; Go reaches it by copies, on platform host directly
	PinnedMemory                   // of the host, which devices reach too; Go may load and store it
)

// String is "device" or "pinned".
func (k MemoryKind) String() string {
	if k == PinnedMemory {
		return "pinned"
	}
	return "device"
}

// block is one allocation, import, or range of somebody else's memory.
type block struct {
	d    *Device
	kind MemoryKind
	at   device.Ptr
	n    uintptr
	life
	free func(dev int, p device.Ptr) error // nil: not ours
}

// adopt makes memory of the driver a block that gives it back when it is closed.
func (d *Device) adopt(kind MemoryKind, at device.Ptr, n uintptr, free func(int, device.Ptr) error) *block {
	d.blocks.Add(1)
	d.bytes.Add(int64(n))
	return &block{d: d, kind: kind, at: at, n: n, free: free}
}

func (b *block) close() error {
	if !b.end() || b.free == nil {
		return nil
	}
	b.d.blocks.Add(-1)
	b.d.bytes.Add(-int64(b.n))
	return b.free(b.d.index, b.at)
}

// alive says why the memory cannot be used.
func (b *block) alive() error {
	switch {
	case b == nil:
		return problem(ErrArgument, "the zero Slice has no memory: use Alloc")
	case b.ended():
		return problem(ErrClosed, "the memory is closed")
	}
	return nil
}

// stream returns the stream that s stands for in a call about the block, and its
// device: pinned memory takes streams of every device of its platform.
func (b *block) stream(s *Stream) (*Device, device.Handle, error) {
	d := b.d
	if s != nil && b.kind == PinnedMemory && s.d.p == d.p {
		d = s.d
	}
	h, err := s.On(d)
	return d, h, err
}

// allocate makes a block of n elements.
func allocate(d *Device, kind MemoryKind, t reflect.Type, n int) (*block, error) {
	bytes, err := extent(t, n)
	if err != nil {
		return nil, err
	}
	drv := d.driver()
	alloc, free := drv.Alloc, drv.Free
	if kind == PinnedMemory {
		alloc, free = drv.AllocPinned, drv.FreePinned
	}
	at, err := alloc(d.index, bytes)
	if err != nil {
		return nil, err
	}
	return d.adopt(kind, at, bytes, free), nil
}

// extent returns the bytes of n elements of t, or why there cannot be so many.
func extent(t reflect.Type, n int) (uintptr, error) {
	const most = 1 << 47 // what addresses can tell apart
	if path := mem.PointerIn(t); path != "" {
		return 0, problem(ErrArgument, "%v holds a pointer (%s), which means nothing to a device", t, path)
	}
	switch {
	case n <= 0:
		return 0, problem(ErrArgument, "%d elements: at least one is needed", n)
	case t.Size() == 0:
		return 0, problem(ErrArgument, "%v has no size", t)
	case uintptr(n) > most/t.Size():
		return 0, problem(ErrMemory, "%d elements of %d bytes: no device has that much", n, t.Size())
	}
	return uintptr(n) * t.Size(), nil
}
