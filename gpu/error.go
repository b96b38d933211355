package gpu

import (
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/internal/device"
)

// Error is the error of every call of this package. Its text says what to do;
// errors.Is finds which of the Err values it is, errors.As what is behind it.
type Error struct {
	Op     string // the call: alloc, copy, launch
	Device string // as in "cuda:0", or a platform; "" if it is about none
	Err    error
}

// Error returns the call, the device and what is wrong.
func (e *Error) Error() string {
	where := " on " + e.Device
	if e.Device == "" {
		where = ""
	}
	return "gpu: " + e.Op + where + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// DriverError is what a vendor's library has answered. Its fields: Driver (cuda, hip,
// host), Device (its number, -1 for none), Call (the library's function), Code (the
// status), Name (the status by name), Text (the library's words, and ours on memory and
// faults), Err (one of the Err values, or nil).
type DriverError = device.Error

// What can be wrong. Calls return them inside an [Error].
var (
	ErrUnsupported = device.ErrUnsupported // this device, driver or platform cannot do it
	ErrNoDevice    = device.ErrNoDevice    // no device of that number, or of that platform
	ErrMemory      = device.ErrMemory      // the text says what was asked, what is free and what there is
	ErrArgument    = device.ErrArgument    // such a call is wrong at any time
	ErrFault       = device.ErrFault       // a kernel or copy did what it must not; see the package comment
	ErrClosed      = device.ErrClosed      // used after its Close
	ErrNoFunction  = device.ErrNoFunction  // the module has no kernel of that name
	ErrArch        = device.ErrArch        // code, or a compiler, for other architectures
	ErrBusy        = device.ErrBusy        // what it needs has not happened yet

	ErrTimeout  = errors.New("not done in time") // errors.Is also finds context.DeadlineExceeded
	ErrCompiler = errors.New("compilation failed")
)

// detail is one of the Err values with a sentence of its own.
type detail struct {
	is   error
	text string
}

func (d *detail) Error() string { return d.text }

func (d *detail) Unwrap() error { return d.is }

// absent is the error of a platform that cannot be used, as one of a device that is not
// there.
type absent struct{ error }

func (a absent) Is(target error) bool { return target == ErrNoDevice }

func (a absent) Unwrap() error { return a.error }

// problem returns an error that is one of the Err values and reads as format says.
func problem(is error, format string, args ...any) error {
	return &detail{is, fmt.Sprintf(format, args...)}
}

// noDevice is the error of a call on a nil *Device.
func noDevice(op string) error { return fail(nil, op, problem(ErrArgument, "no device: use Open")) }

// fail wraps err for a call on d; d may be nil.
func fail(d *Device, op string, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Op: op, Err: err}
	if said := new(DriverError); d != nil && !(errors.As(err, &said) && said.Device == d.index) { // which names the device itself
		e.Device = d.name
	}
	return e
}
