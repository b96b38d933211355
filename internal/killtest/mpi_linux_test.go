package killtest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/skip"
)

// mpi runs four ranks of a program under somebody else's launcher and returns what
// they wrote. All of them must be gone when it ends.
func mpi(t *testing.T, argv ...string) string {
	t.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		skip.Now(t, skip.NoMPI, argv[0]+" is not installed")
	}
	before := leftovers(t)
	ctx, cancel := context.WithTimeout(t.Context(), hardLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s", mark, argv[0]), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err == nil || ctx.Err() != nil {
		t.Errorf("%s ended with %v, %v\n%s", argv[0], err, ctx.Err(), &out)
	}
	noLeftovers(t, before)
	return out.String()
}

// TestDeathUnderMpirun: the launcher ends the others about a second after a rank
// has died; they know long before.
func TestDeathUnderMpirun(t *testing.T) {
	for range *deathRounds {
		out := mpi(t, "mpirun", "--oversubscribe", "-np", "4", os.Args[0], "die", "barrier", "3")
		told := regexp.MustCompile(`(?m)^error shmem: barrier: PE 3 \(host \S+, pid \d+\) died with SIGKILL; it was last in alloc #4 \(stage_test.go:\d+\); .* in barrier #1`)
		if n := len(told.FindAllString(out, -1)); n != 3 {
			t.Errorf("%d of 3 ranks say who died\n%s", n, out)
		}
	}
}

// TestDeathUnderHydra: this launcher kills the others at once. What counts is that
// it says so and that nothing stays.
func TestDeathUnderHydra(t *testing.T) {
	for range *deathRounds {
		mpi(t, "mpiexec.hydra", "-n", "4", os.Args[0], "die", "barrier", "3")
	}
}
