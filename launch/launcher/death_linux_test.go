package launcher

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// act starts this test binary in another role, without the launcher.
func act(t *testing.T, name string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), actVar+"="+name)
	r, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(r)
}

func TestLauncherKilled(t *testing.T) {
	cmd, lines := act(t, "launch")
	for range 2 {
		if !lines.Scan() || !strings.HasSuffix(lines.Text(), "ready") {
			t.Fatalf("launcher wrote %q", lines.Text())
		}
	}
	ranks := children(t, cmd.Process.Pid)
	if len(ranks) != 2 {
		t.Fatalf("launcher has children %v", ranks)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // says that it was killed
	for _, pid := range ranks {
		gone(t, pid)
	}
}

func children(t *testing.T, pid int) []int {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Fields(string(b)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, child)
		}
	}
	return found
}

func TestScratchOfKilledProcess(t *testing.T) {
	cmd, lines := act(t, "scratch")
	if !lines.Scan() {
		t.Fatal("no folder")
	}
	dir := lines.Text()
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // says that it was killed
	eventually(t, "end of the folder", func() bool {
		_, err := os.Stat(dir)
		return errors.Is(err, os.ErrNotExist)
	})
}

func TestGrandchildrenKilled(t *testing.T) {
	s, out, _ := spec("child", 1)
	if _, err := Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	gone(t, pidIn(t, out.String()))
}

// A process that left its group and holds a pipe open does not hold up the end.
func TestStrayHoldsPipe(t *testing.T) {
	s, out, _ := spec("stray", 1)
	if _, err := Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pidIn(t, out.String()), syscall.SIGKILL); err != nil {
		t.Errorf("the stray process should have lived: %v", err)
	}
}

func pidIn(t *testing.T, out string) int {
	t.Helper()
	var pid int
	if _, err := fmt.Sscanf(out, "[0] pid %d\n", &pid); err != nil {
		t.Fatalf("output %q: %v", out, err)
	}
	return pid
}

func TestWatchWithoutProcessDescriptors(t *testing.T) {
	cmd, lines := act(t, "wait")
	if !lines.Scan() {
		t.Fatal("not started")
	}
	deaths := make(chan death, 1)
	ranks, w := []*rank{{RankResult: RankResult{Rank: 0, Pid: cmd.Process.Pid}, pidfd: -1}}, newWatch()
	w.add(0, ranks[0])
	w.run(ranks, deaths)
	if err := cmd.Process.Signal(unix.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if d, want := <-deaths, (death{rank: 0, code: 129, signal: "SIGHUP"}); d != want {
		t.Errorf("%+v, want %+v", d, want)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState == nil {
		t.Errorf("the dead process should have been left to its parent: %v", err)
	}
}

// Deaths come in the order in which they happen, also when nobody looks.
func TestOrderOfDeaths(t *testing.T) {
	const n = 8
	var ranks []*rank
	for r := range n {
		cmd, lines := act(t, "wait")
		defer cmd.Wait()
		if !lines.Scan() {
			t.Fatal("not started")
		}
		pidfd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		ranks = append(ranks, &rank{RankResult: RankResult{Rank: r, Pid: cmd.Process.Pid}, pidfd: pidfd})
	}
	w := newWatch()
	for i, r := range ranks {
		w.add(i, r)
	}
	order := []int{3, 1, 7, 0, 2, 6, 5, 4}
	for _, r := range order {
		if err := unix.Kill(ranks[r].Pid, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		ranks[r].await()
	}
	deaths := make(chan death)
	w.run(ranks, deaths) // not before all are dead: a busy machine may be as late
	for _, want := range order {
		if d := <-deaths; d.rank != want || d.signal != "SIGKILL" {
			t.Errorf("%+v, want rank %d", d, want)
		}
	}
}
