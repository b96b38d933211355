package shmem

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/fault"
)

// Error is the error of every call of this package. Its text says what to do;
// errors.Is finds which of the Err values it is, errors.As what is behind it.
type Error struct {
	Op     string // the call, in the words of the field: put, barrier, alloc
	PE     int    // the PE that got the error, -1 before there is a world
	Peer   int    // the PE that the call was for, as the caller numbered it, -1 if it was for none
	Engine string // the engine of the world, empty before there is one
	Site   string // in checked mode, or where a collective was started: the line of the program, file:line
	Err    error
}

// Error returns the call and what is wrong, in checked mode also where.
func (e *Error) Error() string {
	text := "shmem: " + e.Op + ": " + e.Err.Error()
	if e.Site != "" && !strings.Contains(text, e.Site) {
		text += " (" + e.Site + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// What can be wrong. Calls return them inside an [Error].
var (
	ErrClosed               = errors.New("closed")
	ErrFreed                = errors.New("freed")
	ErrPE                   = errors.New("PE out of range")
	ErrBounds               = errors.New("out of bounds")
	ErrLength               = errors.New("lengths differ")
	ErrForeign              = errors.New("belongs to another world")
	ErrArgument             = errors.New("invalid argument")
	ErrNoMemory             = errors.New("symmetric heap exhausted")
	ErrNotMember            = errors.New("this PE is not a member of the team")
	ErrConcurrentCollective = errors.New("another goroutine of this PE is in a collective of this team")
	ErrNoPeerAccess         = errors.New("the memory of this PE cannot be loaded and stored directly")
	ErrMisuse               = errors.New("misuse") // found in checked mode only

	ErrFault = fault.ErrFault // Options.Fault asked for it

	ErrTimeout  = engine.ErrTimeout  // a wait took too long; errors.Is also finds context.DeadlineExceeded
	ErrDied     = engine.ErrDied     // the process of a PE is gone
	ErrFailed   = engine.ErrFailed   // a PE gave up; the text has its error
	ErrMismatch = engine.ErrMismatch // PEs called different things, or with different arguments, or one no longer comes
)

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

// noPeer is the Peer of calls that are for no PE in particular.
const noPeer = -1

// fail wraps err for a call on w; w may be nil.
func fail(w *World, op string, peer int, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Op: op, PE: -1, Peer: peer, Err: err}
	if w != nil {
		e.PE, e.Engine = w.rank, w.heap.Engine()
		if w.info.Checked {
			e.Site = engine.Site()
		}
	}
	return e
}
