package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// IsPackage says whether name, from a command line, means a Go package that must
// be built rather than an executable: a folder or Go file named by a path, or an
// import path such as example.com/x/cmd/y that is no file.
func IsPackage(name string) bool {
	if !strings.ContainsAny(name, `/\`) && name != "." && name != ".." {
		return false // a command, to be found in PATH
	}
	info, err := os.Stat(name)
	if err != nil {
		first, _, _ := strings.Cut(name, "/")
		return strings.Contains(strings.TrimLeft(first, "."), ".")
	}
	return info.IsDir() || strings.HasSuffix(name, ".go")
}

// lookPath returns the absolute path of a program.
func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		return path, nil
	}
	cause := err
	if wrapped := new(exec.Error); errors.As(err, &wrapped) {
		cause = wrapped.Err
	}
	if info, serr := os.Stat(name); serr == nil && info.IsDir() {
		cause = fmt.Errorf("%w (a folder; the path of a Go package starts with ./)", cause)
	}
	return "", &Error{statusOf(err), fmt.Errorf("cannot run %s: %w", name, cause)}
}

// explained adds to an error of a start what it may come from.
func explained(err error) error {
	if errors.Is(err, syscall.ENOEXEC) {
		return fmt.Errorf("%w (it is no program for this machine, or a script without a #! line)", err)
	}
	return err
}

// statusOf returns the exit status that a shell gives to a program that it could
// not start because of err.
func statusOf(err error) int {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return StatusNotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC), errors.Is(err, syscall.EISDIR):
		return StatusNotExecutable
	}
	return 1
}
