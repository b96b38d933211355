package rocshmem

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		environ string
		want    settings
		err     error
		says    string
	}{
		{"", settings{}, nil, ""},
		{"ROCSHMEM_BACKEND=IPC OMPI_COMM_WORLD_SIZE=4", settings{backend: "ipc", mpiSize: 4}, nil, ""},
		{"ROCSHMEM_UNIQUEID_WITH_MPI=1 MASTER_PORT=29500 ROCSHMEM_BOOTSTRAP_TIMEOUT=9", settings{withMPI: true}, nil, ""},
		{"ROCSHMEM_UNIQUEID_WITH_MPI=0 OMPI_COMM_WORLD_SIZE=x", settings{}, nil, ""},
		{"ROCSHMEM_BACKEND=grow", settings{}, ErrBackend, `"grow" is none of gda, ro and ipc`},
		{"MASTER_PORT=70000", settings{}, ErrSetting, `MASTER_PORT="70000" is no port`},
		{"ROCSHMEM_MASTER_PORT=ssh", settings{}, ErrSetting, "use a number from 1 to 65535"},
		{"ROCSHMEM_MAX_NUM_TEAMS=none", settings{}, ErrSetting, "no number above 0"},
		{"ROCSHMEM_MAX_NUM_HOST_CONTEXTS=1", settings{}, ErrSetting, "unset it, or use 4"},
	} {
		got, err := readSettings(strings.Fields(c.environ))
		if !errors.Is(err, c.err) || (err == nil && got != c.want) || (err != nil && !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %+v, %v", c.environ, got, err)
		}
	}
}

// TestBackend: which one the library will take, and when it must not be started.
func TestBackend(t *testing.T) {
	for _, c := range []struct {
		built, asked, want string
		err                error
	}{
		{"GDA RO IPC", "", "ipc", nil},
		{"GDA RO IPC", "ro", "ro", nil},
		{"RO IPC", "", "ro", nil},
		{"IPC", "ipc", "ipc", nil},
		{"GDA IPC", "ipc", "", ErrBackend}, // which takes GDA whatever it is told
		{"", "", "", ErrBackend},
	} {
		got, err := settings{backend: c.asked}.choose(rocshmem.About{Backends: strings.Fields(c.built)})
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

// TestBackendOfSeveral: over several machines ipc is refused, and what the library takes by
// itself depends on their network adapters.
func TestBackendOfSeveral(t *testing.T) {
	for _, c := range []struct {
		built, asked string
		rdma         bool
		want         string
		err          error
	}{
		{"GDA RO IPC", "", true, "gda", nil},
		{"GDA RO IPC", "", false, "ro", nil},
		{"GDA RO IPC", "ipc", true, "ipc", ErrBackend},
		{"IPC", "", true, "ipc", ErrBackend},
		{"RO IPC", "", false, "ro", nil},
	} {
		got, err := settings{backend: c.asked, several: true, rdma: c.rdma}.choose(rocshmem.About{Backends: strings.Fields(c.built)})
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	root := t.TempDir()
	if rdma(root) {
		t.Error("an adapter where there is none")
	}
	for name, driver := range map[string]string{"other0": "drivers/mlx4_core", "mlx5_0": "drivers/mlx5_core"} {
		dir := filepath.Join(root, "sys/class/infiniband", name, "device")
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.Symlink(driver, filepath.Join(dir, "driver"))); err != nil {
			t.Fatal(err)
		}
	}
	if !rdma(root) {
		t.Error("no adapter")
	}
}

func TestMayStart(t *testing.T) {
	none := func() (int, bool) { return 0, false }
	of := func(n int) func() (int, bool) { return func() (int, bool) { return n, true } }
	for _, c := range []struct {
		set     settings
		backend string
		mpi     func() (int, bool)
		says    string
	}{
		{settings{}, "ipc", none, ""},
		{settings{}, "gda", of(1), ""},
		{settings{mpiSize: 4}, "ro", none, ""},
		{settings{}, "ro", of(4), ""},
		{settings{}, "ro", none, "start with mpirun -n 4"},
		{settings{mpiSize: 2}, "ro", none, "OMPI_COMM_WORLD_SIZE is 2"},
		{settings{mpiSize: 4}, "ro", of(1), "MPI's world, which has 1"}, // initialising MPI alone is no cure
		{settings{withMPI: true}, "ipc", none, "ROCSHMEM_UNIQUEID_WITH_MPI"},
	} {
		err := c.set.mayStart(c.backend, 4, c.mpi)
		if (err == nil) != (c.says == "") || (err != nil && (!errors.Is(err, ErrNeedsMPI) || !strings.Contains(err.Error(), c.says))) {
			t.Errorf("%+v, %s: %v, want %q", c.set, c.backend, err, c.says)
		}
	}
}
