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
	s := session{d: d, dev: dev}
	return s.word(abi.OpRetain, uintptr(dev))
}

// session is one method's time in the library, with a device current on its thread and
// memory for what the library stores.
type session struct {
	d       *driver
	dev     int
	mem     *dl.Scratch // nil until it is needed
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
	runtime.LockOSThread()
	if err := s.use(token); err != nil {
		s.leave()
		return s, err
	}
	return s, nil
}

// use makes what the token stands for current.
func (s *session) use(token uintptr) error {
	current, err := s.word(abi.OpCurrent)
	if err != nil {
		return err
	}
	s.before = current
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
		s.d.status(abi.OpUse, s.before)
	}
	runtime.UnlockOSThread()
	if s.mem != nil {
		s.mem.Return()
	}
}

// scratch is memory for what the library stores or reads besides a word, until the
// session ends. What is called often does without: there is a lock on it.
func (s *session) scratch() *dl.Scratch {
	if s.mem == nil {
		s.mem = dl.Borrow()
	}
	return s.mem
}

// status is the way into the library: it calls the function for op, which there is.
func (d *driver) status(op abi.Op, args ...uintptr) int32 {
	return d.noted(op, dl.Call(d.fn[op], args...))
}

// noted is the status in a result. What has succeeded is evidence.
func (d *driver) noted(op abi.Op, result uintptr) int32 {
	status := dl.Status(result)
	if status == success {
		d.lib.Done(d.names[op])
	}
	return status
}

// call calls the library's function for op.
func (s *session) call(op abi.Op, args ...uintptr) error {
	if s.d.fn[op] == 0 {
		return s.d.lacks(op)
	}
	if status := s.d.status(op, args...); status != success {
		return s.d.failed(op, s.dev, status)
	}
	return nil
}

// word calls the library's function for op, which stores a word where its first argument
// says.
func (s *session) word(op abi.Op, args ...uintptr) (uintptr, error) {
	fn := s.d.fn[op]
	if fn == 0 {
		return 0, s.d.lacks(op)
	}
	word, result := dl.CallOut(fn, args...)
	if status := s.d.noted(op, result); status != success {
		return 0, s.d.failed(op, s.dev, status)
	}
	return word, nil
}

// done calls a query: not ready is an answer.
func (s *session) done(op abi.Op, args ...uintptr) (bool, error) {
	switch status := s.d.status(op, args...); status {
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
	return s.word(op, args...)
}
