package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/perf"
	"github.com/goshmem/goshmem/nccl/raw"
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

// NVSHMEM builds nvshmem.c into dir, and returns how it is started: with the driver's
// library and with that of NVSHMEM, which it loads. Errors as of CUDA. Blocking.
func NVSHMEM(ctx context.Context, dir string) (argv []string, err error) {
	driver, _, err := dl.Open(abi.CUDA())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	library, _, err := dl.Open(abi.NVSHMEM())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	path, _, err := program{source: "nvshmem.c", compiler: "cc", flags: []string{"-ldl"}, launcher: "cc", packages: "libc6-dev"}.build(ctx, filepath.Join(dir, "nvshmem"))
	return []string{path, driver.Path(), library.Path()}, err
}

// NCCL builds nccl.c into dir, and returns how it is started: with the driver's library and
// with the NCCL that package nccl opens; arguments follow. Errors as of CUDA. Blocking.
func NCCL(ctx context.Context, dir string) (argv []string, err error) {
	driver, _, err := dl.Open(abi.CUDA())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	library, err := raw.Open("nccl", "")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	return ncclWith(ctx, dir, driver.Path(), library.Path())
}

func ncclWith(ctx context.Context, dir, driver, library string) ([]string, error) {
	path, _, err := program{source: "nccl.c", compiler: "cc", flags: []string{"-ldl"}, launcher: "cc", packages: "libc6-dev"}.build(ctx, filepath.Join(dir, "nccl"))
	return []string{path, driver, library}, err
}

// TorchNCCL writes torch_nccl.py into dir, and returns its path.
func TorchNCCL(dir string) (string, error) {
	path := filepath.Join(dir, "torch_nccl.py")
	return path, os.WriteFile(path, torchNCCL, 0o600)
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
