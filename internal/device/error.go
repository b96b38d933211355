package device

import (
	"errors"
	"fmt"
)

// The kinds of error that callers tell apart with errors.Is. An Error wraps at most one.
var (
	ErrUnsupported = errors.New("not supported here")
	ErrNoDevice    = errors.New("no device")
	ErrMemory      = errors.New("out of device memory")
	ErrArgument    = errors.New("invalid argument")
	ErrFault       = errors.New("the device is unusable after a fault: this process must end") // sticky
	ErrClosed      = errors.New("closed")
	ErrNoFunction  = errors.New("no such function")
	ErrArch        = errors.New("code for another architecture")
	ErrBusy        = errors.New("not ready")
)

// Error is what a driver's library has answered.
type Error struct {
	Driver string // cuda, hip, host
	Device int    // -1: none
	Call   string // the library's function
	Code   int    // the library's status
	Name   string // the status by name
	Text   string // the library's words
	Err    error  // one of the above, a Go function's own, or nil
}

// Error is one line: what was called, and what the library said.
func (e *Error) Error() string {
	where := e.Driver
	if e.Device >= 0 {
		where = fmt.Sprintf("%s:%d", e.Driver, e.Device)
	}
	text := fmt.Sprintf("%s: %s: %s", where, e.Call, e.Name)
	if e.Text != "" && e.Text != e.Name { // HIP 5.2 has the same for both
		text += " (" + e.Text + ")"
	}
	return text
}

// Unwrap gives the kind.
func (e *Error) Unwrap() error { return e.Err }
