package shmemtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// notebook is the TB of a test that may fail.
type notebook struct {
	testing.TB
	lines    []string
	failed   bool
	cleanups []func()
}

func (n *notebook) Helper() {}

func (n *notebook) Logf(format string, args ...any) {
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notebook) Fatalf(format string, args ...any) {
	n.Logf(format, args...)
	n.failed = true
	runtime.Goexit()
}

func (n *notebook) Failed() bool { return n.failed }

func (n *notebook) Cleanup(f func()) { n.cleanups = append(n.cleanups, f) }

// in runs f as a test that fails or not, to its end, and returns what it wrote.
func in(t *testing.T, fails bool, f func(t testing.TB)) string {
	n := &notebook{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(n)
		n.failed = fails
	}()
	<-done
	for _, f := range n.cleanups {
		f()
	}
	return strings.Join(n.lines, "\n")
}

// TestFault: a test with a fault that fails says how to run it again, and then
// GOSHMEM_FAULT is the fault; one that passes says nothing.
func TestFault(t *testing.T) {
	t.Setenv(env.Fault, "")
	var o shmem.Options
	body := func(t testing.TB) { o = shmemtest.Fault(t, shmem.Options{HeapSize: 1 << 16}, "seed=7, kill") }
	if text := in(t, false, body); text != "" || o.Fault != "seed=7, kill" || o.HeapSize != 1<<16 {
		t.Errorf("%+v, told %q", o, text)
	}
	want := `with the fault "seed=7, kill"; again: GOSHMEM_FAULT='seed=7, kill' go test -run '^TestFault$'`
	if text := in(t, true, body); text != want {
		t.Errorf("told %q, want %q", text, want)
	}
	t.Setenv(env.Fault, "kill pe=1 op=put n=2")
	if in(t, false, body); o.Fault != "kill pe=1 op=put n=2" {
		t.Errorf("GOSHMEM_FAULT is set and the fault is %q", o.Fault)
	}
	t.Setenv(env.Fault, "kill pe=1")
	if text := in(t, false, body); !strings.HasPrefix(text, `shmemtest: fault: in "kill pe=1": kill needs op=`) {
		t.Errorf("a fault that is none: %q", text)
	}
}

// TestFaultWorlds has PE 1 die in a test's world, as a goroutine and as a process.
func TestFaultWorlds(t *testing.T) {
	if job, err := launch.Detect(os.Environ()); err != nil || job.Family != "none" && os.Getenv(env.TestCall) == "" {
		return // a rank of the job that this test is in would die
	}
	o := shmemtest.Fault(t, shmem.Options{HeapSize: 1 << 16, Timeout: 20 * time.Second}, "kill pe=1 op=barrier n=1")
	if os.Getenv(env.TestCall) == "" {
		err := shmem.RunLocal(t.Context(), 3, o, func(ctx context.Context, w *shmem.World) error { return w.Barrier(ctx) })
		if !errors.Is(err, shmem.ErrDied) {
			t.Errorf("goroutine PEs: %v", err)
		}
	}
	result, output := shmemtest.StartProcesses(t, 3, o, exchange)
	if result == nil {
		return
	}
	text := output.String()
	if result.First != 1 || result.Ranks[1].Signal != "SIGKILL" {
		t.Errorf("%s%s", result.Report(), text)
	}
	for _, part := range []string{"PE 1: kill pe=1 op=barrier n=1, at barrier #1 (run_test.go:", `again: GOSHMEM_FAULT='kill pe=1 op=barrier n=1' go test '-run=^TestFaultWorlds$' -count=1`, `died with SIGKILL (fault "kill pe=1 op=barrier n=1" at barrier #1 of PE 1)`} {
		if !strings.Contains(text, part) {
			t.Errorf("nobody says %s\n%s", part, text)
		}
	}
}
