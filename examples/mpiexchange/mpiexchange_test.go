package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/internal/skip"
)

func TestOpenMPI(t *testing.T) {
	runUnder(t, "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe")
}

func TestMPICH(t *testing.T) { runUnder(t, "mpiexec.hydra") }

// TestApart: a job of several whom MPI does not know is no job of worlds of one.
func TestApart(t *testing.T) {
	t.Setenv("GOSHMEM_RANK", "1")
	t.Setenv("GOSHMEM_SIZE", "4")
	t.Setenv("GOSHMEM_RDZV", "unix:@nobody")
	if err := apart(1); err == nil || !strings.Contains(err.Error(), "goshmem started 4 processes") || !strings.Contains(err.Error(), "mpirun or mpiexec.hydra -n 4") {
		t.Error(err)
	}
	if err := apart(4); err != nil {
		t.Error(err)
	}
}

// runUnder runs the example as 1, 2 and 4 ranks of a launcher.
func runUnder(t *testing.T, launcher string, flags ...string) {
	if _, err := exec.LookPath(launcher); err != nil {
		skip.Now(t, skip.NoMPI, launcher+" is not installed")
	}
	program := jobtest.Build(t, ".")
	for _, n := range []int{1, 2, 4} {
		cmd := exec.Command(launcher, append(slices.Clone(flags), "-n", fmt.Sprint(n), program)...)
		cmd.Env = append(os.Environ(), "OMPI_MCA_btl_base_warn_component_unused=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		var want []string
		for pe := range n {
			want = append(want, fmt.Sprintf("PE %d of %d: the sum of all PE numbers is %d", pe, n, n*(n-1)/2))
		}
		got := strings.Split(strings.TrimSpace(string(out)), "\n")
		slices.Sort(got)
		jobtest.Expect(t, got, want...)
	}
}
