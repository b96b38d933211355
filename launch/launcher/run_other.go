//go:build !linux

package launcher

import (
	"context"
	"os"
	"os/exec"
)

// Supported says whether processes can be started on this system.
func Supported() error { return &Error{1, ErrUnsupported} }

// Run runs a job until its last process is gone; here it cannot.
func Run(context.Context, Spec) (Result, error) {
	return Result{First: -1, Err: Supported()}, Supported()
}

func availableCores() ([]int, error) { return nil, Supported() }

func signalName(s os.Signal) string { return s.String() }

func ownGroup(*exec.Cmd) {}

func ownSession(*exec.Cmd) {}

// Absent is for jobs over several machines; here there are none.
func Absent(_ context.Context, _ Spec, why error) error { return why }
