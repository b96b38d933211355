package host

import (
	"math"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
)

// Copy copies in the order of a stream. The ranges may overlap.
func (d *Driver) Copy(dev int, dst, src device.Ptr, n uintptr, stream device.Handle) error {
	if err := d.memory.check(dev, "Copy", dst, n); err != nil {
		return err
	}
	if err := d.memory.check(dev, "Copy", src, n); err != nil {
		return err
	}
	return d.queue(dev, "Copy", stream, &op{kind: opCopy, dst: uintptr(dst), src: uintptr(src), n: n})
}

// CopyIn copies from Go memory, and waits until that is done.
func (d *Driver) CopyIn(dev int, dst device.Ptr, src unsafe.Pointer, n uintptr, stream device.Handle) error {
	if err := d.memory.check(dev, "CopyIn", dst, n); err != nil {
		return err
	}
	return d.await(dev, "CopyIn", stream, &op{kind: opCopy, dst: uintptr(dst), src: uintptr(src), n: n, keep: src, waits: true})
}

// CopyOut copies to Go memory, and waits until that is done.
func (d *Driver) CopyOut(dev int, dst unsafe.Pointer, src device.Ptr, n uintptr, stream device.Handle) error {
	if err := d.memory.check(dev, "CopyOut", src, n); err != nil {
		return err
	}
	return d.await(dev, "CopyOut", stream, &op{kind: opCopy, dst: uintptr(dst), src: uintptr(src), n: n, keep: dst, waits: true})
}

// await appends an operation and waits until it is done.
func (d *Driver) await(dev int, call string, h device.Handle, o *op) error {
	s, err := d.stream(dev, call, h)
	if err != nil {
		return err
	}
	number, err := s.add(call, o, nil)
	if err != nil {
		return err
	}
	return s.finish(number)
}

// Fill sets n elements of width bytes; the address is a multiple of the width.
func (d *Driver) Fill(dev int, p device.Ptr, value uint32, width int, n uintptr, stream device.Handle) error {
	if width != 1 && width != 2 && width != 4 {
		return fail(dev, "Fill", device.ErrArgument, "elements of %d bytes: 1, 2 and 4 are possible", width)
	}
	if uintptr(p)%uintptr(width) != 0 || n > math.MaxInt/uintptr(width) {
		return fail(dev, "Fill", device.ErrArgument, "%d elements of %d bytes at %#x", n, width, p)
	}
	if err := d.memory.check(dev, "Fill", p, n*uintptr(width)); err != nil {
		return err
	}
	return d.queue(dev, "Fill", stream, &op{kind: opFill, dst: uintptr(p), value: uint64(value), width: width, n: n})
}
