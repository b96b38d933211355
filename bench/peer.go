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

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/perf"
)

//go:embed peers/*.c peers/*.h
var sources embed.FS

//go:embed peers/torch_nccl.py
var torchNCCL []byte

// ErrMissing is what the error of each peer wraps if its library is not installed.
var ErrMissing = errors.New("a library to compare with is not installed")

// program is a peer before it is built.
type program struct {
	source   string // in folder peers
	compiler string
	flags    []string
	launcher string
	packages string // of Debian
}

// find looks for the tools, and returns where they are.
func (p program) find() (compiler, launcher string, err error) {
	paths := make([]string, 3)
	for i, tool := range []string{p.compiler, p.launcher, "cc"} {
		if paths[i], err = exec.LookPath(tool); err != nil {
			return "", "", fmt.Errorf("%w: apt-get install %s gcc (%w)", ErrMissing, p.packages, err)
		}
	}
	return paths[0], paths[1], nil
}

// build compiles the program into a folder of its own in dir.
func (p program) build(ctx context.Context, dir string) (path, launcher string, err error) {
	compiler, launcher, err := p.find()
	if err != nil {
		return "", "", err
	}
	dir = filepath.Join(dir, p.compiler)
	if err := os.CopyFS(dir, sources); err != nil {
		return "", "", err
	}
	path = filepath.Join(dir, "program")
	args := append([]string{"-O2", "-o", path, filepath.Join(dir, "peers", p.source)}, p.flags...)
	if text, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("compile %s: %w\n%s", p.source, err, text)
	}
	return path, launcher, nil
}

// heapSize is what each PE's symmetric heap has, with room for all areas.
const heapSize = "512M"

// OSHMEM builds oshmem.c with Open MPI's compiler into dir. Blocking.
func OSHMEM(ctx context.Context, dir string) (perf.Peer, error) {
	path, launcher, err := program{"oshmem.c", "oshcc", []string{"-ldl"}, "oshrun", "openmpi-bin libopenmpi-dev"}.build(ctx, dir)
	if err != nil {
		return perf.Peer{}, err
	}
	version, err := firstLine(ctx, launcher, "--version")
	if err != nil {
		return perf.Peer{}, err
	}
	return perf.Peer{Name: perf.OSHMEM, Version: version, Command: openMPI(launcher, path), Lacks: []string{perf.OpReduceScatter}, Heap: true}, nil
}

// Collectives builds all peers that have collectives into dir. Blocking.
func Collectives(ctx context.Context, dir string) ([]perf.Peer, error) {
	first, err := OSHMEM(ctx, dir)
	rest, failed := MPI(ctx, dir)
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	return append([]perf.Peer{first}, rest...), nil
}

// MPI builds the peers that have MPI into dir. Blocking.
func MPI(ctx context.Context, dir string) ([]perf.Peer, error) {
	open, openLauncher, err := program{"mpi.c", "mpicc.openmpi", nil, "mpirun.openmpi", "openmpi-bin libopenmpi-dev"}.build(ctx, dir)
	mpich, hydra, failed := program{"mpi.c", "mpicc.mpich", nil, "mpiexec.hydra", "mpich libmpich-dev"}.build(ctx, dir)
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	return []perf.Peer{
		{Name: perf.OpenMPI, Command: openMPI(openLauncher, open)},
		{Name: perf.MPICH, Command: withHydra(hydra, mpich), Spins: true},
	}, nil
}

// OverNodes is MPI with Open MPI alone, and has its jobs and ours go over tcp of this
// machine between nodes of two PEs, Open MPI's within the nodes as well. It sets variables
// of this process. Blocking.
func OverNodes(ctx context.Context, dir string) ([]perf.Peer, error) {
	for name, value := range map[string]string{
		env.NodeSize: "2", env.NodeTransport: engine.UCX, "UCX_TLS": "tcp", "UCX_NET_DEVICES": "lo",
		"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "lo",
	} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	path, launcher, err := program{"mpi.c", "mpicc.openmpi", nil, "mpirun.openmpi", "openmpi-bin libopenmpi-dev"}.build(ctx, dir)
	return []perf.Peer{{Name: perf.OpenMPI, Command: openMPI(launcher, path)}}, err
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

// command makes what starts a job. The program binds itself, to the same cores as ours.
type command = func(ctx context.Context, socket string, pes int, cores []int) *exec.Cmd

// openMPI starts jobs with a launcher of Open MPI, which must be asked for more PEs than
// cores.
func openMPI(launcher, program string) command {
	return func(ctx context.Context, socket string, pes int, cores []int) *exec.Cmd {
		args := []string{"--bind-to", "none", "-np", strconv.Itoa(pes)}
		if len(cores) == 0 {
			args = append(args, "--oversubscribe")
		}
		cmd := exec.CommandContext(ctx, launcher, append(args, arguments(program, socket, cores)...)...)
		cmd.Env = append(os.Environ(), "SHMEM_SYMMETRIC_SIZE="+heapSize, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		return cmd
	}
}

// withHydra starts jobs with the launcher of MPICH.
func withHydra(launcher, program string) command {
	return func(ctx context.Context, socket string, pes int, cores []int) *exec.Cmd {
		args := []string{"-bind-to", "none", "-n", strconv.Itoa(pes)}
		return exec.CommandContext(ctx, launcher, append(args, arguments(program, socket, cores)...)...)
	}
}

func arguments(program, socket string, cores []int) []string {
	args := []string{program, socket}
	for _, core := range cores {
		args = append(args, strconv.Itoa(core))
	}
	return args
}
