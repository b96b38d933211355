package perf

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const noCompiler = "no C compiler"

// compile makes a program of C source in dir and returns its path, "" with the reason
// if it cannot be had.
func compile(ctx context.Context, dir, name string, source []byte, flags ...string) (path, missing string, err error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", noCompiler, nil
	}
	program := filepath.Join(dir, name)
	if err := os.WriteFile(program+".c", source, 0o600); err != nil {
		return "", "", err
	}
	text, err := exec.CommandContext(ctx, cc, append(flags, "-o", program, program+".c")...).CombinedOutput()
	if err != nil {
		return "", "", fmt.Errorf("compile %s.c: %w\n%s", name, err, text)
	}
	return program, "", nil
}
