package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/perf"
)

// CUDA builds cuda.c into dir, and has it open the driver's library that package gpu
// opens. Errors: ErrMissing without a C compiler or without that library. Blocking.
func CUDA(ctx context.Context, dir string) (perf.Peer, error) {
	for _, p := range gpu.Platforms() {
		if p.Name != "cuda" {
			continue
		}
		if p.Err != nil {
			return perf.Peer{}, fmt.Errorf("%w: %w", ErrMissing, p.Err)
		}
		return cuda(ctx, dir, p.Library)
	}
	return perf.Peer{}, errors.New("package gpu does not know platform cuda")
}

// Streams builds streams.c into dir, and returns how it is started: with the driver's
// library that package gpu opens. Errors as of CUDA. Blocking.
func Streams(ctx context.Context, dir string) (argv []string, err error) {
	for _, p := range gpu.Platforms() {
		switch {
		case p.Name != "cuda":
			continue
		case p.Err != nil:
			return nil, fmt.Errorf("%w: %w", ErrMissing, p.Err)
		}
		path, _, err := program{source: "streams.c", compiler: "cc", flags: []string{"-ldl"}, launcher: "cc", packages: "libc6-dev"}.build(ctx, dir)
		return []string{path, p.Library}, err
	}
	return nil, errors.New("package gpu does not know platform cuda")
}

// cuda builds the program for a library.
func cuda(ctx context.Context, dir, library string) (perf.Peer, error) {
	p := program{source: "cuda.c", compiler: "cc", flags: []string{"-ldl"}, launcher: "cc", packages: "libc6-dev"}
	path, _, err := p.build(ctx, dir)
	if err != nil {
		return perf.Peer{}, err
	}
	command := func(ctx context.Context, socket string, _ int, _ []int) *exec.Cmd {
		return exec.CommandContext(ctx, path, socket, library)
	}
	return perf.Peer{Name: "C", Command: command}, nil
}
