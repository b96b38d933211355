package failtest_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/launch/launcher"
)

// box is a launcher with a /dev/shm and a /tmp of its own, as root.
type box struct {
	shm     string         // options of the file system at /dev/shm
	signal  syscall.Signal // what the launcher gets when all PEs are ready; 0: nothing
	restart bool           // then start another job
}

// script makes the box, and becomes the launcher when it is told to. The launcher's
// own file may be below the new /tmp.
const script = `exec 9<"$1" && mount -t tmpfs -o "$2" none /dev/shm && mount -t tmpfs none /tmp && echo boxed && read -r go && exec /proc/self/fd/9 "$3"`

// boxed runs a row in a box. Files that it leaves there are an error.
func boxed(b box) func(t *testing.T, r row) end {
	return func(t *testing.T, r row) end {
		cmd, lines, begin := open(t, b, r)
		var folders []*os.File
		for _, name := range []string{"/dev/shm", "/tmp"} { // outlive the box
			f, err := os.Open(fmt.Sprintf("/proc/%d/root%s", cmd.Process.Pid, name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			folders = append(folders, f)
		}
		begin()
		e := b.await(t, cmd, lines, r)
		for _, f := range folders {
			if left, err := f.Readdirnames(-1); err != nil || len(left) > 0 {
				t.Errorf("left in %s: %q %v", f.Name(), left, err)
			}
		}
		if b.restart {
			if e := launched(t, find("nothing"), nil); e.code != 0 {
				t.Errorf("the next job: %q", e.lines)
			}
		}
		return e
	}
}

// TestNothingStays runs the rows of processes once more, each in a box: no file of
// any name is left there.
func TestNothingStays(t *testing.T) {
	for _, r := range rows() {
		if r.pe == nil && r.program == nil || r.job != nil {
			continue
		}
		t.Run(r.fault, func(t *testing.T) {
			if e := boxed(box{})(t, r); e.code != r.code {
				t.Errorf("exit status %d, want %d\n%s", e.code, r.code, strings.Join(e.lines, "\n"))
			}
		})
	}
}

// open starts a box and returns how to begin.
func open(t *testing.T, b box, r row) (cmd *exec.Cmd, lines *bufio.Scanner, begin func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	options := b.shm
	if options == "" {
		options = "size=1g"
	}
	args := []string{"-m", "sh", "-c", script, "sh", self, options, r.fault}
	if os.Geteuid() != 0 {
		args = append([]string{"-Ur"}, args...)
	}
	cmd = exec.CommandContext(t.Context(), "unshare", args...)
	cmd.Env = append(os.Environ(), roleVar+"="+asLauncher, jobtest.Mark(), "TMPDIR=/tmp")
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	cmd.Stderr = cmd.Stdout
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	lines = bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "boxed" {
		refusal := lines.Text()
		_ = cmd.Wait() // it could not make the box
		skip.Now(t, skip.NotRoot, "no file systems of one's own: "+refusal)
	}
	return cmd, lines, func() {
		if _, err := io.WriteString(in, "go\n"); err != nil {
			t.Fatal(err)
		}
	}
}

// await reads what the job writes, sends the signal, and waits for the end.
func (b box) await(t *testing.T, cmd *exec.Cmd, lines *bufio.Scanner, r row) end {
	t.Helper()
	guard := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer guard.Stop()
	var e end
	ready := 0
	for lines.Scan() {
		e.lines = append(e.lines, lines.Text())
		if strings.HasSuffix(lines.Text(), "ready") {
			ready++
		}
		if ready == r.size() && b.signal != 0 {
			ready = -1
			if err := cmd.Process.Signal(b.signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case !guard.Stop():
		t.Errorf("it took until the limit")
	case errors.As(err, &exit):
		status := exit.Sys().(syscall.WaitStatus)
		e.code = status.ExitStatus()
		if status.Signaled() {
			e.code = 128 + int(status.Signal())
		}
	case err != nil:
		t.Fatal(err)
	}
	return e
}

// overtime runs a row with a time limit that it passes.
func overtime(t *testing.T, r row) end {
	return launched(t, r, func(s *launcher.Spec) { s.Timeout = time.Second })
}
