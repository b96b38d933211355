package vendor

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
)

// home is how a device is made current: by its primary context, which is shared with
// whoever else uses the device in this process, or by its number. A context is taken
// when it is first needed, since each one takes memory of the device, and is never
// given back: others may have handles in it.
type home struct {
	once  sync.Once
	taken atomic.Bool
	token uintptr
	err   error
}

// token returns what makes dev current.
func (d *driver) token(dev int) (uintptr, error) {
	if dev < 0 || dev >= len(d.devices) {
		return 0, fmt.Errorf("%s: there is no device %d of %d: %w", d.name, dev, len(d.devices), device.ErrArgument)
	}
	if !d.contexts {
		return uintptr(dev), nil
	}
	h := &d.devices[dev]
	h.once.Do(func() { h.token, h.err = d.retain(dev) })
	return h.token, h.err
}

func (d *driver) retain(dev int) (uintptr, error) {
	s := session{d: d, dev: dev, mem: dl.Borrow()}
	defer s.mem.Return()
	out := dl.Out[uintptr](s.mem)
	err := s.call(abi.OpRetain, dl.Addr(out), uintptr(dev))
	return *out, err
}

// session is one method's time in the library, with a device current on its thread and
// memory for what the library stores.
type session struct {
	d       *driver
	dev     int
	mem     *dl.Scratch
	before  uintptr
	restore bool
}

// enter holds the thread, and makes dev its current device. The caller leaves.
//
// A thread that had no context keeps ours, which saves two calls the next time; it
// could not have been used for anything before.
func (d *driver) enter(dev int) (session, error) {
	s := session{d: d, dev: dev}
	if fault := d.fault.Load(); fault != nil {
		return s, fault
	}
	token, err := d.token(dev)
	if err != nil {
		return s, err
	}
	s.mem = dl.Borrow()
	runtime.LockOSThread()
	if err := s.use(token); err != nil {
		s.leave()
		return s, err
	}
	return s, nil
}

// use makes what the token stands for current.
func (s *session) use(token uintptr) error {
	current := dl.Out[uintptr](s.mem)
	if err := s.call(abi.OpCurrent, dl.Addr(current)); err != nil {
		return err
	}
	s.before = *current
	if s.before == token {
		return nil
	}
	s.restore = s.before != 0 || !s.d.contexts
	return s.call(abi.OpUse, token)
}

// leave gives the thread back as it was. That cannot fail unless the device has, which
// the call before has told, or the next one will.
func (s *session) leave() {
	if s.restore {
		dl.Call(s.d.fn[abi.OpUse], s.before)
	}
	runtime.UnlockOSThread()
	s.mem.Return()
}

// call calls the library's function for op.
func (s *session) call(op abi.Op, args ...uintptr) error {
	fn := s.d.fn[op]
	if fn == 0 {
		return s.d.lacks(op)
	}
	if status := dl.Status(dl.Call(fn, args...)); status != success {
		return s.d.failed(op, s.dev, status)
	}
	return nil
}

// done calls a query: not ready is an answer.
func (s *session) done(op abi.Op, args ...uintptr) (bool, error) {
	switch status := dl.Status(dl.Call(s.d.fn[op], args...)); status {
	case success:
		return true, nil
	case s.d.notReady:
		return false, nil
	default:
		return false, s.d.failed(op, s.dev, status)
	}
}

// do is a session of one call.
func (d *driver) do(dev int, op abi.Op, args ...uintptr) error {
	s, err := d.enter(dev)
	if err != nil {
		return err
	}
	err = s.call(op, args...)
	s.leave()
	return err
}

// make is a session of one call that stores a handle or an address.
func (d *driver) make(dev int, op abi.Op, args ...uintptr) (uintptr, error) {
	s, err := d.enter(dev)
	if err != nil {
		return 0, err
	}
	defer s.leave()
	out := dl.Out[uintptr](s.mem)
	err = s.call(op, append([]uintptr{dl.Addr(out)}, args...)...)
	return *out, err
}
