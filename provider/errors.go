package provider

import (
	"errors"
	"fmt"
)

// Error is the error of every call of this package.
type Error struct {
	Op  string // the call
	Err error
}

// Error returns the call and what is wrong.
func (e *Error) Error() string { return "provider: " + e.Op + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// What can be wrong. Calls return them inside an [Error].
var (
	ErrArgument  = errors.New("invalid argument")
	ErrFreed     = errors.New("freed")
	ErrForeign   = errors.New("not of this provider")
	ErrIndirect  = errors.New("a rank cannot be loaded and stored")
	ErrElsewhere = errors.New("another rank has failed")
	ErrWild      = errors.New("a kernel left the memory that it was given") // of checked tables only
)

// detail is one of the Err values with a sentence of its own.
type detail struct {
	is   error
	text string
}

func (d *detail) Error() string { return d.text }

func (d *detail) Unwrap() error { return d.is }

func problem(is error, format string, args ...any) error {
	return &detail{is, fmt.Sprintf(format, args...)}
}

// fail wraps err for a call, once.
func fail(op string, err error) error {
	if e := (*Error)(nil); err == nil || errors.As(err, &e) {
		return err
	}
	return &Error{Op: op, Err: err}
}

// joined is ours, with what the others were told.
func joined(ours, theirs error) error { return fmt.Errorf("%w (%w)", ours, theirs) }

// none is the error of a call without a provider.
func none(op string) error { return fail(op, problem(ErrArgument, "the provider is nil")) }
