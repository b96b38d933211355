package killtest_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/fault"
	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/launch/launcher"
	"github.com/goshmem/goshmem/shmem"
)

// faultProgram is: operation. What goes wrong is in its environment.
func faultProgram(args []string) {
	ctx := context.Background()
	w, err := shmem.Init(ctx, shmem.Options{HeapSize: 1 << 20})
	if err == nil {
		err = tour(ctx, w, fault.Op(args[0]))
	}
	if err == nil {
		err = w.Finalize(ctx)
	}
	fmt.Printf("kind %s\nerror %v\n", kind(err), err)
	if err == nil {
		return
	}
	if w != nil {
		w.Abort(err) // as shmem.Main does: the others learn why
	}
	os.Exit(1)
}

// launchTour runs the program as four processes.
func launchTour(t *testing.T, text string, op fault.Op, more ...string) job {
	t.Helper()
	s := launcher.Spec{N: 4, Settle: hardLimit / 2, Env: append(more, env.Fault+"="+text)}
	if strings.HasPrefix(text, "stop") { // such a process does not end by itself
		s.Settle, s.Grace = latest, -1
	}
	return start(t, s, "fault", string(op))
}

// survivors holds what those say whom the fault is not for.
func (j job) survivors(t *testing.T, victims []int, kinds []string, form string) {
	t.Helper()
	for r := range j.Ranks {
		if slices.Contains(victims, r) {
			continue
		}
		if !slices.Contains(kinds, j.line(r, "kind")) || !regexp.MustCompile(form).MatchString(j.line(r, "error")) {
			t.Errorf("rank %d: want %v, %s\n%s", r, kinds, form, j.text())
		}
	}
}

// tells holds the line that a rank writes about its fault.
func (j job) tells(t *testing.T, rank int, begin string) {
	t.Helper()
	line := j.line(rank, "goshmem: fault:")
	if !strings.HasPrefix(line, begin) || !strings.Contains(line, "; again: GOSHMEM_FAULT='") || !strings.Contains(line, " goshmem run -n 4 ") {
		t.Errorf("rank %d tells %q, want %q and the command\n%s", rank, line, begin, j.text())
	}
}

// TestFaultKillProcesses kills a process at each operation.
func TestFaultKillProcesses(t *testing.T) {
	all := append(strikes(fault.Kill), fault.Fault{Verb: fault.Kill, PE: struck, Op: "init", N: 1})
	for _, f := range all {
		t.Run(f.String(), func(t *testing.T) {
			j := launchTour(t, f.String(), f.Op)
			if j.Ranks[struck].Signal != "SIGKILL" || j.First != struck {
				t.Errorf("PE 2 was not killed first\n%s", j.text())
			}
			at := fmt.Sprintf("%s #%d", f.Op, f.N)
			j.tells(t, struck, fmt.Sprintf("PE 2: %v, at %s (", f, at))
			j.survivors(t, []int{struck}, []string{"died"}, fmt.Sprintf(`PE 2 \(host \S+, pid %d\) died with SIGKILL \(fault "%v" at %s of PE 2\)`, j.Ranks[struck].Pid, f, at))
		})
	}
	jobtest.NoLeftovers(t)
}

// TestFaultFailProcesses has operations of a process fail.
func TestFaultFailProcesses(t *testing.T) {
	for _, op := range []fault.Op{"init", fault.Put, fault.Atomic, "barrier", "allreduce", fault.Alloc, "finalize"} {
		f := fault.Fault{Verb: fault.Fail, PE: struck, Op: op, N: times(op)}
		j := launchTour(t, f.String(), op)
		j.tells(t, struck, fmt.Sprintf("PE 2: %v, at %s #%d (", f, op, f.N))
		text := fmt.Sprintf("%s #%d of PE 2 fails (a fault that was asked for: %q)", op, f.N, f)
		if !strings.Contains(j.line(struck, "error"), text) {
			t.Errorf("PE 2 does not say %s\n%s", text, j.text())
		}
		j.survivors(t, []int{struck}, []string{"failed", "mismatch"}, regexp.QuoteMeta(text))
	}
}

// TestFaultStopProcesses stops a process as SIGSTOP does: the launcher has to kill it.
func TestFaultStopProcesses(t *testing.T) {
	for _, op := range []fault.Op{fault.Get, "broadcast"} {
		f := fault.Fault{Verb: fault.Stop, PE: struck, Op: op, N: 2}
		j := launchTour(t, f.String(), op, env.Timeout+"=200ms")
		if !j.Ranks[struck].Killed {
			t.Errorf("PE 2 was not stopped\n%s", j.text())
		}
		j.survivors(t, []int{struck}, []string{"timeout", "mismatch", "failed"}, fmt.Sprintf(`PE 2 is (absent: )?in stop \(%s #2, \w+_test.go:\d+\)`, op))
	}
	jobtest.NoLeftovers(t)
}

// TestFaultHarmlessProcesses delays and slows: all ends well.
func TestFaultHarmlessProcesses(t *testing.T) {
	for text, rank := range map[string]int{"delay pe=2 op=get n=1 by=5ms": 2, "slow link=1-3 by=1ms": 3} {
		j := launchTour(t, text, fault.Any)
		if j.Err != nil {
			t.Errorf("%s: %s", text, j.text())
		}
		j.tells(t, rank, fmt.Sprintf("PE %d: %s, at ", rank, text))
	}
}

// TestFaultExhaustProcesses lets one process find no memory.
func TestFaultExhaustProcesses(t *testing.T) {
	j := launchTour(t, "exhaust pe=2 n=7", fault.Any)
	j.tells(t, struck, "PE 2: exhaust pe=2 n=7, at alloc #7 (fault_test.go:")
	j.survivors(t, nil, []string{"mismatch", "*shmem.Error"}, `^shmem: alloc: (PE 2 refused alloc #7 \(\S+\): )?symmetric heap exhausted at alloc #7 of PE 2 \(`)
}

// TestFaultLoseProcesses loses a virtual node of two processes at once.
func TestFaultLoseProcesses(t *testing.T) {
	for _, op := range []fault.Op{fault.Put, "barrier", "fcollect", "finalize"} {
		f := fault.Fault{Verb: fault.Lose, Node: 1, Op: op, N: times(op)}
		j := launchTour(t, f.String(), op, env.NodeSize+"=2")
		for _, victim := range []int{2, 3} {
			if j.Ranks[victim].Signal != "SIGKILL" {
				t.Errorf("%v: PE %d was not killed\n%s", f, victim, j.text())
			}
		}
		j.survivors(t, []int{2, 3}, []string{"died"}, fmt.Sprintf(`PE [23] \(.*\) died with SIGKILL \(fault "%v" at %s #%d of PE 2\)`, f, op, f.N))
	}
	jobtest.NoLeftovers(t)
}

// TestFaultSeedProcesses draws a fault: two jobs with the same seed end alike.
func TestFaultSeedProcesses(t *testing.T) {
	for seed := range 4 {
		text := fmt.Sprintf("seed=%d,kill", seed)
		one, two := launchTour(t, text, fault.Any), launchTour(t, text, fault.Any)
		if one.First != two.First || one.Ranks[one.First].Signal != "SIGKILL" {
			t.Fatalf("%s: first rank %d and then rank %d\n%s\n%s", text, one.First, two.First, one.text(), two.text())
		}
		told := one.line(one.First, "goshmem: fault:")
		if again := two.line(one.First, "goshmem: fault:"); told == "" || told != again {
			t.Errorf("%s: told %q and then %q", text, told, again)
		}
	}
}
