// Package bench starts the programs that stand for other libraries in a comparison.
// Each takes orders as perf.Order says.
package bench

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/perf"
)

//go:embed peers/oshmem.c peers/order.h
var sources embed.FS

// ErrMissing is what the error of OSHMEM wraps if the library is not installed.
var ErrMissing = errors.New("the OSHMEM of Open MPI is not installed: apt-get install openmpi-bin libopenmpi-dev gcc")

// heapSize is what each PE's symmetric heap has, with room for the two areas.
const heapSize = "192M"

// OSHMEM builds oshmem.c with Open MPI's compiler into dir. Blocking.
func OSHMEM(ctx context.Context, dir string) (perf.Peer, error) {
	var paths []string
	for _, tool := range []string{"oshcc", "oshrun", "cc"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			return perf.Peer{}, fmt.Errorf("%w (%w)", ErrMissing, err)
		}
		paths = append(paths, path)
	}
	for _, name := range []string{"oshmem.c", "order.h"} {
		text, err := sources.ReadFile("peers/" + name)
		if err != nil {
			return perf.Peer{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return perf.Peer{}, err
		}
	}
	program := filepath.Join(dir, "oshmem")
	text, err := exec.CommandContext(ctx, paths[0], "-O2", "-o", program, filepath.Join(dir, "oshmem.c"), "-ldl").CombinedOutput()
	if err != nil {
		return perf.Peer{}, fmt.Errorf("compile the peer: %w\n%s", err, text)
	}
	version, err := firstLine(ctx, paths[1], "--version")
	if err != nil {
		return perf.Peer{}, err
	}
	return perf.Peer{Name: "Open MPI OSHMEM", Version: version, Command: launch(paths[1], program)}, nil
}

// firstLine is the first line that a program writes.
func firstLine(ctx context.Context, argv ...string) (string, error) {
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line, nil
}

// launch makes the command that starts a job. The program binds itself, to the
// same cores as ours; more PEs than cores must be asked for.
func launch(oshrun, program string) func(ctx context.Context, socket string, pes int, cores []int) *exec.Cmd {
	return func(ctx context.Context, socket string, pes int, cores []int) *exec.Cmd {
		args := []string{"--bind-to", "none", "-np", strconv.Itoa(pes)}
		if len(cores) == 0 {
			args = append(args, "--oversubscribe")
		}
		args = append(args, program, socket)
		for _, core := range cores {
			args = append(args, strconv.Itoa(core))
		}
		cmd := exec.CommandContext(ctx, oshrun, args...)
		cmd.Env = append(os.Environ(), "SHMEM_SYMMETRIC_SIZE="+heapSize, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		return cmd
	}
}
