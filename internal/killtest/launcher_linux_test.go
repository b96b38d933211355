package killtest_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/launch/launcher"
	"github.com/goshmem/goshmem/shmem"
)

// launchProgram is a launcher of processes that do not end by themselves.
func launchProgram([]string) {
	_, err := launcher.Run(context.Background(), launcher.Spec{
		N: 4, Argv: []string{os.Args[0], "hold"},
		Stdout: os.Stdout, Stderr: os.Stderr, Prefix: func(int) string { return "" },
	})
	quit(err)
}

// holdProgram says its process number when all have met, and waits or computes.
func holdProgram([]string) {
	ctx := context.Background()
	w := must(shmem.Init(ctx, shmem.Options{HeapSize: 1 << 20}))
	fmt.Println("pid", os.Getpid())
	for w.MyPE() == 0 {
		_ = nobody()
	}
	fmt.Println(w.Barrier(ctx))
}

// TestLauncherDies: when the launcher is killed its processes go too, those that
// compute and those that wait for them.
func TestLauncherDies(t *testing.T) {
	cmd := exec.Command(os.Args[0], "launch")
	cmd.Env = append(os.Environ(), jobtest.Mark())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	for lines := bufio.NewScanner(out); len(pids) < 4 && lines.Scan(); {
		if word, found := strings.CutPrefix(lines.Text(), "pid "); found {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || len(pids) != 4 {
		t.Fatalf("the launcher ended with %v after starting %v", err, pids)
	}
	for _, pid := range pids {
		gone(t, pid)
	}
	jobtest.NoLeftovers(t)
}

// gone wants a process dead soon; whether somebody collects it is another matter.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %d lives", pid)
}
