package block

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// kinds are those that callers can ask for, by the names that packages gpu and shmem have
// for them.
func kinds() []error {
	return []error{engine.ErrTimeout, engine.ErrDied, engine.ErrFailed, engine.ErrMismatch, context.Canceled, context.DeadlineExceeded,
		device.ErrUnsupported, device.ErrNoDevice, device.ErrMemory, device.ErrArgument, device.ErrFault, device.ErrArch}
}

// Sorted gives an error of no kind, such as a status of the library, the kind that the other
// PEs see: that one has failed.
func Sorted(err error) error {
	if err == nil || slices.ContainsFunc(kinds(), func(k error) bool { return errors.Is(err, k) }) {
		return err
	}
	return fmt.Errorf("%w: %w", engine.ErrFailed, err)
}

// Reason is what the other PEs are told of an error: nothing, if it is from one of them.
func Reason(err error) string {
	var theirs *engine.Stall
	if errors.As(err, &theirs) {
		return ""
	}
	return err.Error()
}

// Differ is the error of PEs that do not fit together. All of them find it.
func Differ(format string, args ...any) error {
	return &engine.Stall{Cause: engine.ErrMismatch, Detail: fmt.Sprintf(format, args...)}
}

// Of is err, in its own words, as an error of a kind as well; err itself if there is none.
func Of(kind, err error) error {
	if kind == nil {
		return err
	}
	return &sorted{err, kind}
}

type sorted struct{ err, kind error }

func (s *sorted) Error() string { return s.err.Error() }

func (s *sorted) Unwrap() []error { return []error{s.err, s.kind} }
