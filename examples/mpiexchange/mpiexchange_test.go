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
