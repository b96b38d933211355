package host

import (
	"fmt"
	"runtime/debug"

	"github.com/goshmem/goshmem/internal/device"
)

// Do has f called in the order of a stream, on a goroutine of its own.
func (d *Driver) Do(dev int, h device.Handle, f func(device.Turn) error) (queued bool, err error) {
	s, err := d.stream(dev, "Do", h)
	if err != nil {
		return false, err
	}
	number, err := s.add("Do", &op{kind: opCall, call: f}, nil)
	return number > 0, err
}

// call calls f on a goroutine that f may end. An error is a fault of the stream.
func (s *stream) call(f func(device.Turn) error, t device.Turn) error {
	done := make(chan error)
	go func() {
		debug.SetPanicOnFault(true) // of this goroutine, which is new
		err := error(failed("the function has ended its goroutine"))
		defer func() {
			if p := recover(); p != nil {
				err = failed(fmt.Sprint("the function panicked: ", cause(p), lineOfPanic()))
			}
			done <- err
		}()
		err = f(t)
	}()
	err := <-done
	if err == nil || t.Fault != nil {
		return nil
	}
	return &device.Error{Driver: name, Device: s.dev, Call: "Do", Name: "a fault in a stream", Text: err.Error(), Err: broken{err}}
}

// failed is the error of a function that has returned none.
type failed string

func (f failed) Error() string { return string(f) }

// broken is an error as a fault.
type broken struct{ error }

func (b broken) Is(target error) bool { return target == device.ErrFault }

func (b broken) Unwrap() error { return b.error }
