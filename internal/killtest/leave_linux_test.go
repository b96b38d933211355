package killtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/launch/launcher"
	"github.com/goshmem/goshmem/shmem"
)

// leaver is the PE that leaves in the tests of this file.
const leaver = 2

// ways to leave that a process has without our knowing.
func ways() map[string]func() {
	return map[string]func(){
		"exit 3":  func() { os.Exit(3) },
		"exit 0":  func() { os.Exit(0) },
		"return":  func() {},
		"panic":   func() { panic("boom") },
		"nil":     func() { fmt.Println(*nobody()) },
		"SIGTERM": func() { kill(unix.SIGTERM) },
		"SIGSEGV": func() { kill(unix.SIGSEGV) },
		"SIGSTOP": func() { kill(unix.SIGSTOP) },
		"goexit":  runtime.Goexit,
	}
}

// nobody is a nil pointer that the compiler cannot see.
func nobody() *int { return map[string]*int{}["nobody"] }

// leaveProgram is: how PE 2 leaves a world that was made by Init.
func leaveProgram(args []string) {
	s := newStage(must(shmem.Init(context.Background(), shmem.Options{HeapSize: 1 << 20, Timeout: patience(args[0])})), leaver, false)
	if s.w.MyPE() == leaver {
		s.audience()
		s.stamp()
		ways()[args[0]]()
		return
	}
	s.announce()
	s.conclude(s.w.Barrier(context.Background()))
}

// patience is short for the two ways of which only the clock tells.
func patience(how string) time.Duration {
	if how == "SIGSTOP" || how == "goexit" {
		return time.Second
	}
	return 0
}

// settle is short where PE 2 does not end by itself and has to be stopped.
func settle(how string) time.Duration {
	if patience(how) > 0 {
		return time.Second
	}
	return hardLimit / 2
}

// TestLeave has one PE leave without finalize, in all the ways that there are,
// while the others are in a barrier.
func TestLeave(t *testing.T) {
	const late = "timed out after 1"
	for how, want := range map[string]struct{ kind, text string }{
		"exit 3":  {"died", "exited with status 3 without finalize"},
		"exit 0":  {"died", "exited with status 0 without finalize"},
		"return":  {"died", "exited with status 0 without finalize"},
		"panic":   {"died", "exited with status 2 without finalize"},
		"nil":     {"died", "exited with status 2 without finalize"},
		"SIGTERM": {"died", "died with SIGTERM"},
		"SIGSEGV": {"died", "exited with status 2 without finalize"}, // Go catches it and exits
		"SIGSTOP": {"timeout", late},
		"goexit":  {"timeout", late},
	} {
		t.Run(how, func(t *testing.T) {
			j := start(t, launcher.Spec{N: 4, Settle: settle(how), Grace: time.Second / 4}, "leave", how)
			begin := fmt.Sprintf("shmem: barrier: PE 2 (host %s, pid %d) ", hostName(t), j.Ranks[leaver].Pid)
			tail := "; it was last in alloc #5 (stage_test.go:"
			for _, r := range []int{0, 1, 3} {
				kind := want.kind
				if kind == "timeout" { // all run out of patience together: one may see how another ends over that
					kind, begin, tail = j.line(r, "kind"), "shmem: barrier: ", "PE 2 is absent: in no call since alloc #5 (stage_test.go:"
				}
				wantError(t, j, r, kind, begin, want.text, tail, "in barrier #1 (leave_linux_test.go:")
			}
		})
	}
}

// wantError holds what a rank reported: the kind, the beginning and some parts. A
// rank that had to be stopped has failed.
func wantError(t *testing.T, j job, r int, kind, begin string, parts ...string) {
	t.Helper()
	text := j.line(r, "error")
	bad := j.line(r, "kind") != kind || !strings.HasPrefix(text, begin)
	for _, p := range parts {
		bad = bad || !strings.Contains(text, p)
	}
	if bad || j.Ranks[r].Termed {
		t.Errorf("rank %d: want %s: %s ... %q\n%s", r, kind, begin, parts, j.text())
	}
}

func hostName(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// mainProgram is: how PE 2 leaves a world that Main made, what the others do.
func mainProgram(args []string) {
	shmem.Main(func(ctx context.Context, w *shmem.World) error {
		if w.MyPE() == leaver {
			time.Sleep(20 * time.Millisecond) // the others sleep by now, or compute
			return leaveMain(w, args[0])
		}
		for args[1] == "compute" {
			_ = nobody()
		}
		err := w.Barrier(ctx)
		fmt.Printf("kind %s\nerror %v\n", kind(err), err)
		return err
	})
}

func leaveMain(w *shmem.World, how string) error {
	switch how {
	case "error":
		return errors.New("out of cheese")
	case "exit 7":
		w.GlobalExit(7)
	case "exit 0":
		w.GlobalExit(0)
	case "finalize":
		return nil
	default:
		ways()[how]()
	}
	return errors.New("not reached")
}

// TestLeaveMain is TestLeave for functions that Main runs.
func TestLeaveMain(t *testing.T) {
	for how, want := range map[string]struct {
		code       int
		kind, text string
	}{
		"error":    {1, "failed", "failed: out of cheese; "},
		"panic":    {2, "failed", "failed: panicked: boom; "},
		"nil":      {2, "failed", "failed: panicked: runtime error: invalid memory address"},
		"goexit":   {2, "failed", "failed: "},
		"exit 3":   {3, "died", "exited with status 3 without finalize; "},
		"finalize": {1, "mismatch", ""},
	} {
		t.Run(how, func(t *testing.T) {
			j := run(t, 4, "main", how, "wait")
			begin := fmt.Sprintf("shmem: barrier: PE 2 (host %s, pid %d) ", hostName(t), j.Ranks[leaver].Pid)
			if how == "finalize" {
				begin = "shmem: barrier: "
			}
			for _, r := range []int{0, 1, 3} {
				wantError(t, j, r, want.kind, begin+want.text)
				if j.Ranks[r].Code != 1 {
					t.Errorf("rank %d: %v", r, j.Ranks[r])
				}
			}
			if j.Ranks[leaver].Code != want.code {
				t.Errorf("the leaver: %v\n%s", j.Ranks[leaver], j.text())
			}
		})
	}
}

// TestGlobalExit ends PEs that wait and PEs that compute, all with the same status.
func TestGlobalExit(t *testing.T) {
	for _, how := range []string{"exit 7", "exit 0"} {
		for _, others := range []string{"wait", "compute"} {
			t.Run(how+", others "+others, func(t *testing.T) {
				for range 10 * *deathRounds {
					j := run(t, 4, "main", how, others)
					for _, r := range j.Ranks {
						if fmt.Sprint("exit ", r.Code) != how {
							t.Fatalf("rank %d: %v\n%s", r.Rank, r, j.text())
						}
					}
					if how == "exit 7" && j.First != leaver {
						t.Errorf("rank %d is reported as the first to fail", j.First)
					}
				}
			})
		}
	}
}
