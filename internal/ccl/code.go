package ccl

import (
	"errors"
	"fmt"
)

// Code is what a library answers, with NCCL's numbers. New ones may come.
type Code int32

// The codes.
const (
	Success Code = iota
	UnhandledCUDA
	System
	Internal
	InvalidArgument
	InvalidUsage
	Remote
	InProgress
	Timeout
	codes
)

var codeNames = [codes]string{"ncclSuccess", "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError",
	"ncclInvalidArgument", "ncclInvalidUsage", "ncclRemoteError", "ncclInProgress", "ncclTimeout"}

// String returns NCCL's name of the code.
func (c Code) String() string {
	if c < 0 || c >= codes {
		return fmt.Sprintf("ncclResult %d, which is newer than this program", int32(c))
	}
	return codeNames[c]
}

// The sentinels that errors.Is finds in an Error. ErrInProgress is returned as it is: it
// is no failure.
var (
	ErrUnhandledCUDA   = errors.New("a call of the GPU's runtime failed")
	ErrSystem          = errors.New("a call of the system failed")
	ErrInternal        = errors.New("the library found itself in a state that should not be")
	ErrInvalidArgument = errors.New("invalid argument")
	ErrInvalidUsage    = errors.New("invalid usage")
	ErrRemote          = errors.New("another rank has ended, or the network failed")
	ErrInProgress      = errors.New("in progress")
	ErrTimeout         = errors.New("not done in time")
	ErrUnsupported     = errors.New("the library cannot do it") // by this version, or at all
	ErrMismatch        = errors.New("the ranks do not do the same")
)

// ErrDisagree is ErrMismatch that a library has found, which for it is ErrInvalidUsage.
var ErrDisagree = fmt.Errorf("%w: %w", ErrInvalidUsage, ErrMismatch)

// sentinel is what errors.Is finds for a code; nil for one that we do not know.
func (c Code) sentinel() error {
	list := [codes]error{nil, ErrUnhandledCUDA, ErrSystem, ErrInternal, ErrInvalidArgument, ErrInvalidUsage, ErrRemote, ErrInProgress, ErrTimeout}
	if c < 0 || c >= codes {
		return nil
	}
	return list[c]
}

// Error is what a library has answered.
type Error struct {
	Call string // the library's function
	Code Code   // Success: it was not called, and Err says why
	Text string // the library's words for the code
	Last string // what it warned of last, which may be about something else
	Err  error  // one of the sentinels; that of the code if nil
}

// Error is one line: what was called, and what the library said.
func (e *Error) Error() string {
	if e.Code == Success {
		return e.Call + ": " + e.Text
	}
	text := fmt.Sprintf("%s: %v (%d)", e.Call, e.Code, int32(e.Code))
	if e.Text != "" {
		text += ": " + e.Text
	}
	if e.Last != "" {
		text += "; its last warning: " + e.Last
	}
	return text
}

// Unwrap gives the sentinel.
func (e *Error) Unwrap() error {
	if e.Err != nil {
		return e.Err
	}
	return e.Code.sentinel()
}

// Unsupported is the error of a call that a library does not have, and why.
func Unsupported(call, format string, args ...any) error {
	return &Error{Call: call, Text: fmt.Sprintf(format, args...), Err: ErrUnsupported}
}
