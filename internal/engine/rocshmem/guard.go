package rocshmem

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine/block"
)

// What the library would answer by ending the process, or not at all.
var (
	// ErrBackend is a ROCSHMEM_BACKEND that the library would ignore or not run.
	ErrBackend = errors.New("ROCSHMEM_BACKEND cannot be followed")
	// ErrNeedsMPI is the RO backend under a launcher that is not mpirun.
	ErrNeedsMPI = errors.New("the RO backend needs MPI")
	// ErrSetting is a variable whose value the library would read wrongly.
	ErrSetting = errors.New("a variable of rocSHMEM has a value that it cannot use")
)

// guarded is a refusal of these, as the kind that callers know.
func guarded(err error) error {
	if errors.Is(err, ErrSetting) {
		return block.Of(device.ErrArgument, fmt.Errorf("rocshmem: %w", err))
	}
	return block.Of(device.ErrUnsupported, fmt.Errorf("rocshmem: %w", err))
}

const (
	heapVar    = "ROCSHMEM_HEAP_SIZE"
	backendVar = "ROCSHMEM_BACKEND"
	withMPIVar = "ROCSHMEM_UNIQUEID_WITH_MPI"
	sizeVar    = "OMPI_COMM_WORLD_SIZE"
)

// settings are the variables that decide how the library starts.
type settings struct {
	backend string // gda, ro, ipc; "" for the library's choice
	withMPI bool
	mpiSize int // of the job that mpirun has started; 0: it was another launcher

	several, rdma bool // PEs are on several machines; which have network adapters that GDA works with
}

// backends are the words that the library knows, in the order in which it looks for them.
func backends() []string { return []string{"gda", "ro", "ipc"} }

// readSettings refuses texts that the library would silently take for something else.
func readSettings(environ []string) (settings, error) {
	m := map[string]string{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		m[name] = value
	}
	s := settings{backend: strings.ToLower(m[backendVar]), withMPI: m[withMPIVar] != "" && m[withMPIVar] != "0"}
	if s.backend != "" && !slices.Contains(backends(), s.backend) {
		return s, fmt.Errorf("%w: %q is none of gda, ro and ipc: the library would take a part of it, or ignore it", ErrBackend, m[backendVar])
	}
	for _, name := range []string{"MASTER_PORT", "ROCSHMEM_MASTER_PORT"} {
		if port, err := strconv.Atoi(m[name]); m[name] != "" && (err != nil || port < 1 || port > 65535) {
			return s, fmt.Errorf("%w: %s=%q is no port: use a number from 1 to 65535", ErrSetting, name, m[name])
		}
	}
	for _, name := range []string{"ROCSHMEM_MAX_NUM_TEAMS", "ROCSHMEM_MAX_NUM_CONTEXTS", "ROCSHMEM_MAX_NUM_HOST_CONTEXTS", "ROCSHMEM_BOOTSTRAP_TIMEOUT"} {
		if n, err := strconv.Atoi(m[name]); m[name] != "" && (err != nil || n < 1) {
			return s, fmt.Errorf("%w: %s=%q is no number above 0", ErrSetting, name, m[name])
		}
	}
	if m["ROCSHMEM_MAX_NUM_HOST_CONTEXTS"] == "1" {
		return s, fmt.Errorf("%w: ROCSHMEM_MAX_NUM_HOST_CONTEXTS=1 leaves no host context for reductions, and the library would end the process: unset it, or use 4", ErrSetting)
	}
	s.mpiSize, _ = strconv.Atoi(m[sizeVar]) // without a number it is as if it was not there
	return s, nil
}

// choose is the backend that the library will choose, if it can reach all PEs.
func (s settings) choose(about rocshmem.About) (string, error) {
	backend, err := s.expect(about)
	if err == nil && backend == "ipc" && s.several {
		err = fmt.Errorf("%w: ipc reaches the GPUs of one machine, and the PEs are on several: use a rocSHMEM that was built with gda or ro (%s), or engine host", ErrBackend, backendVar)
	}
	return backend, err
}

// rdma says whether the system below root has a network adapter that GDA works with.
func rdma(root string) bool {
	drivers, err := filepath.Glob(filepath.Join(root, "sys/class/infiniband/*/device/driver"))
	if err != nil { // the pattern is right
		return false
	}
	return slices.ContainsFunc(drivers, func(link string) bool {
		to, err := os.Readlink(link)
		return err == nil && slices.Contains([]string{"mlx5_core", "bnxt_en", "ionic"}, filepath.Base(to))
	})
}

// expect is the backend that the library will choose, as it does itself: builds with all
// three look at the variable; others have a fixed order.
func (s settings) expect(about rocshmem.About) (string, error) {
	has := func(b string) bool { return slices.Contains(about.Backends, strings.ToUpper(b)) }
	var built []string
	for _, b := range backends() {
		if has(b) {
			built = append(built, b)
		}
	}
	switch {
	case len(built) == 0:
		return "", fmt.Errorf("%w: the shim was built over a rocSHMEM without any backend", ErrBackend)
	case len(built) == 3 && s.backend != "":
		return s.backend, nil
	case len(built) == 3 && !s.several:
		return "ipc", nil
	case len(built) == 3 && !s.rdma:
		return "ro", nil
	case len(built) == 3:
		return "gda", nil
	case s.backend != "" && s.backend != built[0]:
		return "", fmt.Errorf("%w: %s was asked for, and this rocSHMEM was built with %s, of which it takes %s whatever the variable says: unset it, or build rocSHMEM with -DUSE_GDA=ON -DUSE_RO=ON -DUSE_IPC=ON",
			ErrBackend, s.backend, strings.Join(built, ", "), built[0])
	}
	return built[0], nil
}

// mayStart says why the library would end the process instead of starting size PEs.
// initialised says that MPI is initialised in this process, and for how many.
func (s settings) mayStart(backend string, size int, initialised func() (int, bool)) error {
	if backend != "ro" && !s.withMPI {
		return nil
	}
	why := "the RO backend"
	if backend != "ro" {
		why = withMPIVar
	}
	if n, ok := initialised(); ok && n == size {
		return nil
	} else if ok {
		return fmt.Errorf("%w: %s needs all %d PEs in MPI's world, which has %d: start the program with mpirun -n %d", ErrNeedsMPI, why, size, n, size)
	}
	if s.mpiSize == size {
		return nil
	}
	if s.mpiSize != 0 {
		return fmt.Errorf("%w: %s needs mpirun to have started all %d PEs, and %s is %d", ErrNeedsMPI, why, size, sizeVar, s.mpiSize)
	}
	return fmt.Errorf("%w: %s works under Open MPI's mpirun only, and the library would end the process: start with mpirun -n %d (Open MPI 5.0 with ROCm; goshmem doctor rocshmem looks at it), or use %s=ipc or gda with a rocSHMEM that was built with them", ErrNeedsMPI, why, size, backendVar)
}
