package nccl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/ccl"
)

// Error is the error of every call of this package: which call, of which rank, and what is
// wrong. errors.Is finds which of the Err values it is, errors.As a *[LibraryError].
type Error struct {
	Op     string // the call: all-reduce, split, init
	Comm   string // the communicator: "rank 2 of 4 on cuda:2", with its name if it has one; "" for none
	Err    error
	Advice string // what to look at; "" if nothing is known
}

// Error is one line. It does not say again what an error that is behind it says, too.
func (e *Error) Error() string {
	const who = "nccl: "
	text := who + e.Op + ": "
	if e.Comm != "" {
		text += e.Comm + ": "
	}
	text += strings.NewReplacer(text, "", who, "").Replace(e.Err.Error())
	if e.Advice != "" {
		text += " (" + e.Advice + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// LibraryError is what a library has answered. Its fields: Call (its function), Code
// (ncclResult_t), Text (its words for the code), Last (what it warned of last in this
// process), Err (one of the Err values).
type LibraryError = ccl.Error

// What can be wrong. Calls return them inside an [Error].
var (
	ErrArgument    = errors.New("invalid argument of a call")   // such a call is wrong at any time
	ErrClosed      = errors.New("closed")                       // used after Close or Abort
	ErrMismatch    = ccl.ErrMismatch                            // versions, devices, and in checked mode and on the host library calls
	ErrNoLibrary   = errors.New("the library cannot be loaded") // the text says what was tried
	ErrUnsupported = ccl.ErrUnsupported                         // this version, or this library, cannot do it
	ErrTimeout     = ccl.ErrTimeout                             // not done in time
	ErrRemote      = ccl.ErrRemote                              // another rank has ended, or the network failed

	ErrUnhandledCUDA   = ccl.ErrUnhandledCUDA
	ErrSystem          = ccl.ErrSystem
	ErrInternal        = ccl.ErrInternal
	ErrInvalidArgument = ccl.ErrInvalidArgument // the library says so
	ErrInvalidUsage    = ccl.ErrInvalidUsage    // the library says so
)

// timed gives an error of the ranks' meeting point its kind if their time was over.
func timed(err error) error {
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrTimeout) {
		return &kinded{ErrTimeout, err}
	}
	return err
}

// parted gives one its kind when the ranks have met before: then another one has gone.
func parted(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return timed(err)
	}
	return &kinded{ErrRemote, err}
}

// kinded is an error with one of the Err values, which its text does not need.
type kinded struct{ kind, err error }

func (k *kinded) Error() string { return k.err.Error() }

func (k *kinded) Unwrap() []error { return []error{k.kind, k.err} }

// list is several errors in one line.
type list []error

func (l list) Error() string {
	var parts []string
	for _, err := range l {
		if text := err.Error(); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; and ")
}

func (l list) Unwrap() []error { return l }

// several is nil, the only error, or all.
func several(errs ...error) error {
	var first error
	var all list
	for _, err := range errs {
		switch {
		case err == nil:
		case first == nil:
			first = err
		case all == nil:
			all = list{first, err}
		default:
			all = append(all, err)
		}
	}
	if all == nil {
		return first
	}
	return all
}

// detail is one of the Err values with a sentence of its own.
type detail struct {
	is   error
	text string
}

func (d *detail) Error() string { return d.text }

func (d *detail) Unwrap() error { return d.is }

// problem returns an error that is one of the Err values and reads as format says.
func problem(is error, format string, args ...any) error {
	return &detail{is, fmt.Sprintf(format, args...)}
}

// failed wraps err for a call that is about no communicator yet.
func failed(op string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*Error); ok && e.Op == op { // it knows already, and whose it is
		return err
	}
	return &Error{Op: op, Err: err, Advice: advice(err)}
}

// fail wraps err for a call on c; c may be nil.
func (c *Comm) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*Error); ok && e.Op == op {
		return err
	}
	return &Error{Op: op, Comm: c.String(), Err: err, Advice: advice(err)}
}

// advice is what is behind an answer of the library more often than not.
func advice(err error) string {
	var e *LibraryError
	if inner := (*Error)(nil); errors.As(err, &inner) || !errors.As(err, &e) { // an inner one has its own
		return ""
	}
	words := strings.ToLower(e.Last)
	for _, known := range []struct{ word, advice string }{
		{"duplicate gpu", "two ranks have the same GPU: look at CUDA_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES, and at the local rank"},
		{"/dev/shm", "the shared memory of this container may be too small: start it with a larger --shm-size"},
		{"shared memory", "the shared memory of this container may be too small: start it with a larger --shm-size"},
		{"no socket interface", "NCCL_SOCKET_IFNAME names no interface that is there"},
		{"out of memory", "the device has no memory left: each communicator takes some, too"},
	} {
		if strings.Contains(words, known.word) {
			return known.advice
		}
	}
	switch e.Code {
	case ccl.UnhandledCUDA, ccl.System, ccl.Internal:
		return "NCCL_DEBUG=INFO has the library say more; `goshmem doctor` looks at what it needs"
	case ccl.Remote:
		return "look at what the other ranks have written: one of them has ended"
	}
	return ""
}

// late is the error of a wait that was given up.
func late(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("given up: %w", cause)
	}
	return fmt.Errorf("%w: %w", ErrTimeout, cause)
}
