package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTooFewFiles: the cure is said before anything is started, and works.
func TestTooFewFiles(t *testing.T) {
	for limit, want := range map[int]int{64: 1, 74: 0} {
		cmd, stdout, stderr := command(t, "run", "-n", "10", "--no-prefix", "echo", "started")
		cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, limit)}, cmd.Args...)
		if status := statusOf(t, cmd.Run()); status != want || (stdout.Len() == 0) != (want == 1) {
			t.Errorf("%d files: status %d, stdout %q, stderr %q", limit, status, stdout, stderr)
		}
		if want == 1 {
			contains(t, stderr.String(), "goshmem: 10 ranks need 74 open files, and 64 are allowed: ulimit -n 74 before")
		}
	}
}

func TestRunPackage(t *testing.T) {
	status, stdout, stderr := call(t, "run", "-n", "3", "./testdata/hello", "-n", "x y")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	slices.Sort(lines)
	var want []string
	for r := range 3 {
		want = append(want, fmt.Sprintf(`[%s %d] hello from %d of 3 ["-n" "x y"]`, host(t), r, r))
	}
	if status != 0 || stderr != "" || !slices.Equal(lines, want) {
		t.Errorf("status %d, stderr %q, stdout:\n%s", status, stderr, stdout)
	}
}

func host(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	short, _, _ := strings.Cut(name, ".")
	return short
}

func TestRunFailure(t *testing.T) {
	status, _, stderr := call(t, "run", "-n", "2", "./testdata/hello", "fail1")
	if status != 3 {
		t.Errorf("status %d", status)
	}
	contains(t, stderr, "] rank 1 gives up\n", "goshmem: rank 1 (host ", ") failed first: exit status 3\n",
		"  its last lines on stderr:\n    rank 1 gives up\n", "  stopped with SIGTERM: rank 0\n")
}

// TestRunWeak: the ranks get the seed, and who sees them fail how to see it again.
func TestRunWeak(t *testing.T) {
	status, stdout, stderr := call(t, "run", "-n", "2", "--no-prefix", "--weak", "17", "sh", "-c", "echo $GOSHMEM_WEAK")
	if status != 0 || stdout != "17\n17\n" || stderr != "" {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	status, _, stderr = call(t, "run", "-n", "2", "--weak", "17", "./testdata/hello", "fail1")
	if status != 3 {
		t.Errorf("status %d", status)
	}
	contains(t, stderr, "goshmem: weak mode, seed 17: to see this again run goshmem run -n 2 --weak 17 ./testdata/hello fail1\n")
}

func TestRunTimeout(t *testing.T) {
	status, _, stderr := call(t, "run", "-n", "2", "--timeout", "100ms", "sleep", "100")
	if status != 124 {
		t.Errorf("status %d", status)
	}
	contains(t, stderr, "goshmem: stopped at the time limit of 100ms\n")
}

func TestRunFlags(t *testing.T) {
	dir := t.TempDir()
	status, stdout, stderr := call(t, "run", "-n", "2", "--no-prefix", "--bind", "cores", "--env", "A=1", "--env", "B=2,3", "--output-dir", dir,
		"sh", "-c", `echo "$A $B"`)
	if status != 0 || stdout != "1 2,3\n1 2,3\n" {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
	contains(t, stderr, "goshmem: rank 0 runs on core ", "goshmem: rank 1 runs on core ")
	for r := range 2 {
		b, err := os.ReadFile(fmt.Sprintf("%s/rank-%d.stdout", dir, r))
		if err != nil || string(b) != "1 2,3\n" {
			t.Errorf("rank %d: file %q, %v", r, b, err)
		}
	}
}

// TestRunModes: the ranks get the modes of a world from the environment and from flags.
func TestRunModes(t *testing.T) {
	t.Setenv("GOSHMEM_NODE_SIZE", "2")
	status, stdout, stderr := call(t, "run", "-n", "2", "--no-prefix", "--env", "GOSHMEM_CHECK=1", "sh", "-c", "echo $GOSHMEM_CHECK $GOSHMEM_NODE_SIZE")
	if status != 0 || stdout != "1 2\n1 2\n" {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// TestRunFault: what a fault says to run again is the package, not what was built of it.
func TestRunFault(t *testing.T) {
	status, stdout, stderr := call(t, "run", "-n", "2", "--env", "GOSHMEM_FAULT=kill pe=1 op=barrier n=1", "../../examples/ring")
	if status != 128+9 {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
	contains(t, stderr, "again: GOSHMEM_FAULT='kill pe=1 op=barrier n=1' goshmem run -n 2 ../../examples/ring\n")
}

func TestRunInput(t *testing.T) {
	cmd, stdout, _ := command(t, "run", "-n", "2", "--no-prefix", "cat")
	cmd.Stdin = strings.NewReader("some text")
	if err := cmd.Run(); err != nil || stdout.String() != "some text\n" {
		t.Errorf("error %v, stdout %q", err, stdout)
	}
}

func TestDryRun(t *testing.T) {
	status, stdout, stderr := call(t, "run", "-n", "2", "--dry-run", "--env", "A=b", "./testdata/broken", "arg")
	if status != 0 || stderr != "" || strings.Count(stdout, "  run   ./testdata/broken arg\n") != 2 {
		t.Errorf("status %d, stderr %q, stdout:\n%s", status, stderr, stdout)
	}
	contains(t, stdout, "build go build -tags=netgo,osusergo ./testdata/broken\n["+host(t)+" 0]\n  env   GOSHMEM_RANK=0\n", "  env   A=b\n", "\n["+host(t)+" 1]\n  env   GOSHMEM_RANK=1\n")
}

// running starts a job of two that waits, and returns when both ranks do. The
// scanner has what they write.
func running(t *testing.T, args ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd, _, _ := command(t, append([]string{"run", "-n", "2", "--grace", "1h", "./testdata/hello"}, args...)...)
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	both(t, lines, "ready")
	return cmd, lines
}

// both waits until both ranks have said a word.
func both(t *testing.T, lines *bufio.Scanner, word string) {
	t.Helper()
	for said := 0; said < 2; {
		if !lines.Scan() {
			t.Fatalf("the job ended before both ranks were %s", word)
		}
		if strings.HasSuffix(lines.Text(), word) {
			said++
		}
	}
}

func TestInterrupt(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd, _ := running(t, "wait")
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if status := statusOf(t, cmd.Wait()); status != 128+int(sig) {
			t.Errorf("%v: status %d", sig, status)
		}
	}
}

func TestInterruptTwice(t *testing.T) {
	cmd, lines := running(t, "deaf", "wait")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	both(t, lines, "caught") // two signals at once would count as one
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if status := statusOf(t, cmd.Wait()); status != 130 {
		t.Errorf("status %d", status)
	}
}

// The ranks die with the launcher, and the program that was built goes too.
func TestLauncherKilled(t *testing.T) {
	cmd, _ := running(t, "deaf", "wait")
	tmp := cmd.Env[len(cmd.Env)-1][len("TMPDIR="):]
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if status := statusOf(t, cmd.Wait()); status != -1 {
		t.Errorf("status %d", status)
	}
	eventually(t, func() bool {
		left, err := os.ReadDir(tmp)
		return err == nil && len(left) == 0 && len(using(t, tmp)) == 0
	})
}

// using returns the processes that run a program in dir, which may be deleted.
func using(t *testing.T, dir string) []string {
	t.Helper()
	procs, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, p := range procs {
		exe, err := os.Readlink("/proc/" + p.Name() + "/exe")
		if err == nil && strings.HasPrefix(exe, dir) {
			found = append(found, p.Name())
		}
	}
	return found
}

// A signal during the build ends the command at once and leaves nothing.
func TestInterruptDuringBuild(t *testing.T) {
	cmd, _, stderr := command(t, "run", "-n", "2", "./testdata/hello", "wait")
	cmd.Env = append(cmd.Env, "GOFLAGS=-a -buildvcs=false") // everything anew: minutes
	tmp := cmd.Env[len(cmd.Env)-2][len("TMPDIR="):]
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		dirs, err := os.ReadDir(tmp)
		return err == nil && len(dirs) > 0 && compiling(tmp+"/"+dirs[0].Name())
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if status := statusOf(t, cmd.Wait()); status != 130 {
		t.Errorf("status %d, stderr %s", status, stderr)
	}
}

func compiling(scratch string) bool {
	entries, err := os.ReadDir(scratch)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "go-build") })
}

// eventually polls for what another process does.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("did not happen within 10s")
		}
	}
}
