package launch

import (
	"errors"
	"fmt"
)

// What went wrong, for errors.Is; the text of the error has the particulars.
var (
	// ErrDisagree says that the processes contradict each other: about the size
	// of the job, about who is which rank, or about which call comes next.
	ErrDisagree = errors.New("the processes disagree")
	// ErrLost says that a process died or closed its store while others needed it.
	ErrLost = errors.New("a process is gone")
	// ErrMissing says that a process gave up waiting for others that did not come.
	ErrMissing = errors.New("a process did not come")
	// ErrRefused says that the two ends do not hold the same token, do not mean
	// the same job, or do not run as the same user.
	ErrRefused = errors.New("handshake refused")
	// ErrVersion says that the two ends were built from releases that do not understand
	// each other.
	ErrVersion = errors.New("versions differ")
	// ErrRendezvous says that there is no usable place to meet.
	ErrRendezvous = errors.New("no usable rendezvous")
	// ErrClosed says that this store was closed.
	ErrClosed = errors.New("store is closed")
)

// Error is an error of a call that needs the other processes.
type Error struct {
	Op   string // join, broadcast, barrier
	Text string
	Err  error // one of the above, or what ended the context
}

// Error tells what failed and why.
func (e *Error) Error() string { return "launch: " + e.Op + ": " + e.Text }

// Unwrap gives the kind of error.
func (e *Error) Unwrap() error { return e.Err }

// EnvError is a variable of the environment that cannot be right.
type EnvError struct {
	Var, Value string
	Reason     string
}

// Error names the variable, its value and what is wrong with it.
func (e *EnvError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("launch: %s is not set, %s", e.Var, e.Reason)
	}
	return fmt.Sprintf("launch: %s=%q: %s", e.Var, e.Value, e.Reason)
}
