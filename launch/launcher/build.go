package launcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Build builds the Go package pkg, or Go file, into a new folder in scratch and
// returns the path of the program. If it does not build, the error has the
// compiler's text.
func Build(ctx context.Context, scratch, pkg string) (string, error) {
	out, err := target(scratch, pkg)
	if err != nil {
		return "", err
	}
	args := append(append([]string{"build"}, withoutC()...), "-o", out, pkg)
	const unstamped = "-buildvcs=false"
	_, err = goCommand(ctx, scratch, pkg, args...)
	if err != nil && strings.Contains(err.Error(), "Use "+unstamped) { // a clone of another user, most likely: the stamp is not worth a failure
		_, err = goCommand(ctx, scratch, pkg, append([]string{"build", unstamped}, args[1:]...)...)
	}
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(out); err != nil || info.Mode()&0o111 == 0 {
		// For a package that is not a program the compiler leaves an archive, or nothing.
		return "", noProgram(pkg)
	}
	return out, nil
}

func noProgram(pkg string) error {
	return &Error{1, fmt.Errorf("%s is not a program: it needs package main with a main function", pkg)}
}

// Plan returns the command by which Build would build name, nil if name is an
// executable, and an error if there is no such program or package. It builds
// nothing.
func Plan(ctx context.Context, name string) ([]string, error) {
	if !IsPackage(name) {
		_, err := lookPath(name)
		return nil, err
	}
	text, err := goCommand(ctx, "", name, "list", "-f", "{{.Name}}", name)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix("\n"+strings.TrimSpace(text), "\nmain") {
		return nil, noProgram(name)
	}
	return append(append([]string{"go", "build"}, withoutC()...), name), nil
}

// withoutC are flags that keep a program with no C of its own free of the C
// library. Where a C compiler is installed package net would bring it in, which
// costs each process 0.7 ms of a core at start. Tags of the user's own win: two
// lists of tags do not add up.
func withoutC() []string {
	if strings.Contains(os.Getenv("GOFLAGS"), "-tags") {
		return nil
	}
	return []string{"-tags=netgo,osusergo" + static("/")}
}

// static is one more tag where a system below root has not the loader of programs that are
// linked with the GNU C library, as those are that can open vendors' libraries.
func static(root string) string {
	loader := map[string]string{"amd64": "lib64/ld-linux-x86-64.so.2", "arm64": "lib/ld-linux-aarch64.so.1"}[runtime.GOARCH]
	if runtime.GOOS != "linux" || loader == "" {
		return ""
	}
	if _, err := os.Stat(filepath.Join(root, loader)); errors.Is(err, fs.ErrNotExist) {
		return ",goshmem_static"
	}
	return ""
}

// BuildTest builds the tests of the Go package pkg as Build does.
func BuildTest(ctx context.Context, scratch, pkg string) (string, error) {
	out, err := target(scratch, pkg)
	if err != nil {
		return "", err
	}
	out += ".test"
	_, err = goCommand(ctx, scratch, pkg, "test", "-c", "-o", out, pkg)
	return out, err
}

// target returns a path of its own in scratch that ends in the package's name,
// which is what process lists will show.
func target(scratch, pkg string) (string, error) {
	full, err := filepath.Abs(pkg)
	if err != nil {
		return "", &Error{1, fmt.Errorf("%s: %w", pkg, err)}
	}
	dir, err := os.MkdirTemp(scratch, "build-")
	if err != nil {
		return "", &Error{1, err}
	}
	return filepath.Join(dir, strings.TrimSuffix(filepath.Base(full), ".go")), nil
}

// goCommand runs the go command with its own temporary files in scratch, so that
// it can be killed without leaving any, and returns what it printed. It dies with this process, for which it
// needs the thread to stay.
func goCommand(ctx context.Context, scratch, pkg string, args ...string) (string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOTMPDIR="+scratch)
	cmd.WaitDelay = 2 * time.Second
	ownGroup(cmd)
	text, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("building %s: %w", pkg, context.Cause(ctx))
	case errors.Is(err, exec.ErrNotFound):
		return "", &Error{StatusNotFound, fmt.Errorf("cannot build %s: the go command is not in PATH; build it elsewhere and give the executable", pkg)}
	case err != nil:
		return "", &Error{1, fmt.Errorf("%s does not build (%w):\n%s", pkg, err, strings.TrimRight(string(text), "\n"))}
	}
	return string(text), nil
}
