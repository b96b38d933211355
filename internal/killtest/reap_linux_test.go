package killtest_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/launch/launcher"
)

// reap runs n ranks of a program under a parent that collects each the moment it
// ends, as a shell does. Our launcher leaves zombies until the job is over.
func reap(t *testing.T, n int, argv ...string) job {
	t.Helper()
	var j job
	var ranks []*exec.Cmd
	place := fmt.Sprintf("unix:@killtest-%d-%d", os.Getpid(), now())
	for r := range n {
		out := &output{}
		cmd := exec.CommandContext(t.Context(), os.Args[0], argv...)
		cmd.Stdout, cmd.Stderr = out, out
		cmd.Env = append(os.Environ(), "GOSHMEM_RANK="+strconv.Itoa(r), "GOSHMEM_SIZE="+strconv.Itoa(n),
			"GOSHMEM_LOCAL_RANK="+strconv.Itoa(r), "GOSHMEM_LOCAL_SIZE="+strconv.Itoa(n), "GOSHMEM_RDZV="+place)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ranks, j.outputs = append(ranks, cmd), append(j.outputs, out)
		j.Ranks = append(j.Ranks, launcher.RankResult{Rank: r, Pid: cmd.Process.Pid})
	}
	ends := make(chan struct{})
	for r, cmd := range ranks {
		go func() {
			j.Ranks[r].Code, j.Ranks[r].Signal = end(t, cmd.Wait())
			ends <- struct{}{}
		}()
	}
	for range ranks {
		<-ends
	}
	return j
}

// end takes apart what Wait returns.
func end(t *testing.T, err error) (code int, signal string) {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Error(err)
	}
	if exit == nil {
		return 0, ""
	}
	if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal()), unix.SignalName(status.Signal())
	}
	return exit.ExitCode(), ""
}

// TestSignalNamed: whoever collects the dead process and when, the others can say
// which signal it was.
func TestSignalNamed(t *testing.T) {
	for range 5 * *deathRounds {
		checkDeath(t, reap(t, 4, "die", "barrier", "0"), "barrier", 0)
		checkDeath(t, run(t, 4, "die", "barrier", "3"), "barrier", 3)
	}
}
