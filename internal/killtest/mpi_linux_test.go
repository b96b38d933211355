package killtest_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/shmem"
)

// mpi runs four ranks of a program under somebody else's launcher and returns what
// they wrote. All of them must be gone when it ends.
func mpi(t *testing.T, argv ...string) string {
	t.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		skip.Now(t, skip.NoMPI, argv[0]+" is not installed")
	}
	ctx, cancel := context.WithTimeout(t.Context(), hardLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), jobtest.Mark(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err == nil || ctx.Err() != nil {
		t.Errorf("%s ended with %v, %v\n%s", argv[0], err, ctx.Err(), &out)
	}
	jobtest.NoLeftovers(t)
	return out.String()
}

// mpirunProgram is: file for what the survivors report. Each of them stays until all
// have, because this launcher goes from SIGCONT to SIGTERM to SIGKILL as fast as
// processes end, and loses output on the way.
func mpirunProgram(args []string) {
	signal.Ignore(unix.SIGTERM)
	os.Stdout = must(os.OpenFile(args[0], os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600))
	s := newStage(must(shmem.Init(context.Background(), shmem.Options{HeapSize: 1 << 20})), 3, false)
	if s.w.MyPE() == 3 {
		s.audience()
		s.stamp()
		kill(unix.SIGKILL)
	}
	s.announce()
	err := s.w.Barrier(context.Background())
	s.report(err)
	for end := time.Now().Add(latest); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if strings.Count(string(must(os.ReadFile(args[0]))), "\nerror ") == 3 {
			break
		}
	}
	os.Exit(1)
}

// TestDeathUnderMpirun: the launcher ends the others too when a rank has died, and
// leaves them about a second. They know at once.
func TestDeathUnderMpirun(t *testing.T) {
	told := regexp.MustCompile(`(?m)^error shmem: barrier: PE 3 \(host \S+, pid \d+\) died with SIGKILL; it was last in alloc #5 \(stage_test.go:\d+\); .* in barrier #1`)
	for round := range *deathRounds {
		file := filepath.Join(t.TempDir(), strconv.Itoa(round))
		out := mpi(t, "mpirun", "--oversubscribe", "-np", "4", os.Args[0], "mpirun", file)
		report, err := os.ReadFile(file)
		if n := len(told.FindAll(report, -1)); n != 3 {
			t.Errorf("%d of 3 ranks say who died (%v)\n%s\n%s", n, err, report, out)
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
