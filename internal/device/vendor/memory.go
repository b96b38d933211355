package vendor

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
)

// Alloc gives device memory.
func (d *driver) Alloc(dev int, n uintptr) (device.Ptr, error) {
	return d.alloc(dev, n, abi.OpAlloc, n)
}

// AllocPinned gives host memory that all devices can reach by the address that Go uses.
func (d *driver) AllocPinned(dev int, n uintptr) (device.Ptr, error) {
	return d.alloc(dev, n, abi.OpAllocHost, n, d.flags.pinned)
}

func (d *driver) alloc(dev int, n uintptr, op abi.Op, args ...uintptr) (device.Ptr, error) {
	s, err := d.enter(dev)
	if err != nil {
		return 0, err
	}
	defer s.leave()
	p, err := s.word(op, args...)
	if err != nil {
		return 0, d.outOf(&s, err, n)
	}
	return device.Ptr(p), nil
}

// Free gives device memory back.
func (d *driver) Free(dev int, p device.Ptr) error { return d.do(dev, abi.OpFree, uintptr(p)) }

// FreePinned gives pinned memory back.
func (d *driver) FreePinned(dev int, p device.Ptr) error {
	return d.do(dev, abi.OpFreeHost, uintptr(p))
}

// HostReach is false: that a bar is large enough does not make its loads coherent.
func (d *driver) HostReach() bool { return false }

// Copy copies between device or pinned memory. Addresses say where they belong.
func (d *driver) Copy(dev int, dst, src device.Ptr, n uintptr, stream device.Handle) error {
	if d.copyKind {
		return d.do(dev, abi.OpCopy, uintptr(dst), uintptr(src), n, d.kind, uintptr(stream))
	}
	return d.do(dev, abi.OpCopy, uintptr(dst), uintptr(src), n, uintptr(stream))
}

// CopyIn copies from Go memory. What a pointer in an interface call points to does not
// move, and it is kept alive until the stream has done with it.
func (d *driver) CopyIn(dev int, dst device.Ptr, src unsafe.Pointer, n uintptr, stream device.Handle) error {
	err := d.wait(dev, stream, abi.OpCopyIn, uintptr(dst), uintptr(src), n, uintptr(stream))
	runtime.KeepAlive(src)
	return err
}

// CopyOut copies to Go memory; see CopyIn.
func (d *driver) CopyOut(dev int, dst unsafe.Pointer, src device.Ptr, n uintptr, stream device.Handle) error {
	err := d.wait(dev, stream, abi.OpCopyOut, uintptr(dst), uintptr(src), n, uintptr(stream))
	runtime.KeepAlive(dst)
	return err
}

// wait is a session of one call and of waiting for its stream.
func (d *driver) wait(dev int, stream device.Handle, op abi.Op, args ...uintptr) error {
	s, err := d.enter(dev)
	if err != nil {
		return err
	}
	defer s.leave()
	if err := s.call(op, args...); err != nil {
		return err
	}
	return s.call(abi.OpStreamSync, uintptr(stream))
}

// Fill sets elements of 1, 2 or 4 bytes.
func (d *driver) Fill(dev int, p device.Ptr, value uint32, width int, n uintptr, stream device.Handle) error {
	op := abi.OpFill32
	switch width {
	case 1:
		op, value = abi.OpFill8, value&0xff
	case 2:
		op, value = abi.OpFill16, value&0xffff
	case 4:
	default:
		return fmt.Errorf("%s:%d: fill with elements of %d bytes: %w", d.name, dev, width, device.ErrArgument)
	}
	return d.do(dev, op, uintptr(p), uintptr(value), n, uintptr(stream))
}

// Export names an allocation.
func (d *driver) Export(dev int, p device.Ptr) (device.IPCHandle, error) {
	s, err := d.enter(dev)
	if err != nil {
		return device.IPCHandle{}, err
	}
	defer s.leave()
	out := dl.Out[device.IPCHandle](s.scratch())
	err = s.call(abi.OpExport, dl.Addr(out), uintptr(p))
	return *out, err
}

// Import maps an allocation of another process.
func (d *driver) Import(dev int, h device.IPCHandle) (device.Ptr, error) {
	s, err := d.enter(dev)
	if err != nil {
		return 0, err
	}
	defer s.leave()
	out := dl.Out[uintptr](s.scratch())
	result := dl.CallByValue(d.fn[abi.OpImport], []uintptr{dl.Addr(out)}, h[:], d.flags.importing)
	if status := d.noted(abi.OpImport, result); status != success {
		return 0, d.failed(abi.OpImport, dev, status)
	}
	return device.Ptr(*out), nil
}

// CloseImport unmaps it.
func (d *driver) CloseImport(dev int, p device.Ptr) error {
	return d.do(dev, abi.OpUnimport, uintptr(p))
}

// Attributes says whose memory an address is. It asks with a device current that this
// process uses already, if there is one: making another one's context takes memory.
func (d *driver) Attributes(p device.Ptr) (device.Attributes, error) {
	s, err := d.enter(d.inUse())
	if err != nil {
		return device.Attributes{}, err
	}
	defer s.leave()
	kind, err := s.pointer(d.attributes.memoryType, p)
	if errors.Is(err, device.ErrArgument) {
		return device.Attributes{Device: -1}, nil
	}
	if err != nil {
		return device.Attributes{}, err
	}
	a := device.Attributes{Known: true, Device: -1, Pinned: int(int32(kind)) == d.memory.host}
	start, err := s.pointer(d.attributes.memoryStart, p)
	if err != nil {
		return device.Attributes{}, err
	}
	size, err := s.pointer(d.attributes.memorySize, p)
	if err != nil {
		return device.Attributes{}, err
	}
	a.Base, a.Size = device.Ptr(start), uintptr(size)
	if a.Pinned {
		return a, nil
	}
	dev, err := s.pointer(d.attributes.memoryDevice, p)
	a.Device = int(int32(dev))
	return a, err
}

// pointer asks for one attribute of an address: an int, a size or an address.
func (s *session) pointer(attribute uintptr, p device.Ptr) (uint64, error) {
	v, err := s.word(abi.OpPointer, attribute, uintptr(p))
	return uint64(v), err
}
