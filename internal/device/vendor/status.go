package vendor

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
)

// failed is the error of a status. The first fault is kept: the device answers to all
// that comes after it with whatever it likes.
func (d *driver) failed(op abi.Op, dev int, status int32) error {
	e := &device.Error{
		Driver: d.name, Device: dev, Call: d.names[op], Code: int(status),
		Name: d.said(abi.OpErrorName, status), Text: d.said(abi.OpErrorText, status),
		Err: d.meaning(status),
	}
	if e.Name == "" {
		e.Name = fmt.Sprintf("status %d", status)
	}
	if e.Err != device.ErrFault {
		return e
	}
	e.Text += "; after this fault no device can be used any more: this process must end"
	if !d.fault.CompareAndSwap(nil, e) {
		return d.fault.Load()
	}
	return e
}

// said asks the library for its words on a status.
func (d *driver) said(op abi.Op, status int32) string {
	if d.textReturn {
		at := dl.Call(d.fn[op], uintptr(status))
		if at != 0 {
			d.lib.Done(d.names[op])
		}
		return dl.Text(at, maxText)
	}
	mem := dl.Borrow()
	defer mem.Return()
	out := dl.Out[uintptr](mem)
	if d.status(op, uintptr(status), dl.Addr(out)) != success {
		return ""
	}
	return dl.Text(*out, maxText)
}

// lacks is the error for an operation that came with a later version.
func (d *driver) lacks(op abi.Op) error {
	if d.names[op] == "" {
		return fmt.Errorf("%s: %w: it has no such function", d.name, device.ErrUnsupported)
	}
	_, err := d.lib.Lookup(d.names[op])
	return fmt.Errorf("%w: %w", device.ErrUnsupported, err)
}

// outOf adds to an error about memory what was asked for and what there is.
func (d *driver) outOf(s *session, err error, asked uintptr) error {
	var e *device.Error
	if !errors.As(err, &e) || e.Err != device.ErrMemory {
		return err
	}
	free, total, unknown := s.memoryInfo()
	if unknown != nil {
		e.Text += fmt.Sprintf("; asked for %d bytes", asked)
		return e
	}
	e.Text += fmt.Sprintf("; asked for %d bytes, %d of %d are free", asked, free, total)
	return e
}

// maxText is how much of a library's text is read.
const maxText = 1024

// text is what stands before the first zero byte.
func text(b []byte) string {
	before, _, _ := bytes.Cut(b, []byte{0})
	return string(before)
}
