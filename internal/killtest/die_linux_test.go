package killtest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/fault"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
)

var deathRounds = flag.Int("deaths", 1, "how often a PE dies while others are in each kind of wait")

// dieProgram is: place, victim. The victim has a fault and comes last; the others have
// none and wait as they always do.
func dieProgram(args []string) {
	ctx := context.Background()
	at, victim := places()[args[0]], must(strconv.Atoi(args[1]))
	o := shmem.Options{HeapSize: 1 << 20}
	if must(launch.Detect(os.Environ())).Rank == victim {
		o.Fault = deathIn(args[0], victim).String()
	}
	s := newStage(must(shmem.Init(ctx, o)), victim, at.teams)
	if s.w.MyPE() == victim {
		s.audience()
		time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond) // the others spin, yield or sleep by now
		s.stamp()
		if hasNoPart(args[0]) {
			quit(s.w.Barrier(ctx))
		}
		quit(at.wait(ctx, s))
	}
	s.announce()
	s.conclude(at.wait(ctx, s))
}

// hasNoPart says whether the others wait at a place for what the victim does not do.
func hasNoPart(place string) bool { return place == "lock" || place == "without" }

// deathIn is what the victim dies of: it comes to what the others are in, or else to a
// barrier. Its stage takes five allocations.
func deathIn(place string, victim int) fault.Fault {
	f := fault.Fault{Verb: fault.Kill, PE: victim, Op: fault.Op(strings.ReplaceAll(strings.TrimSuffix(place, " of slices"), " ", "")), N: 1}
	switch place {
	case "signal", "wait any", "wait all":
		f.Op = "wait"
	case "split2d":
		f.Op = "split"
	case "with", "without", "lock", "stream":
		f.Op = "barrier"
	case "started":
		f.Op = "allreduce"
	case "alloc":
		f.N = 6
	}
	return f
}

// TestDeath kills one of four PEs while the others wait: all of them learn at once
// who died of what, and where it was.
func TestDeath(t *testing.T) {
	var all durations
	for name := range places() {
		t.Run(name, func(t *testing.T) {
			for round := range *deathRounds {
				victim := []int{3, 0}[round%2]
				j := run(t, 4, "die", name, strconv.Itoa(victim))
				all = append(all, checkDeath(t, j, name, victim)...)
			}
		})
	}
	t.Logf("from death to error: %v", all)
}

// checkDeath holds every survivor's error to its form, and returns how long each took.
func checkDeath(t *testing.T, j job, name string, victim int) []time.Duration {
	t.Helper()
	p, f := places()[name], deathIn(name, victim)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	last := "alloc #5"
	if p.teams {
		last = "split #2"
	}
	form := regexp.MustCompile(fmt.Sprintf(
		`^shmem: %s: %sPE %d \(host %s, pid %d\) died with SIGKILL \(fault "%v" at %s #%d of PE %d\); it was last in %s \(stage_test.go:\d+\); PEs? .* %s`,
		p.op, details, victim, regexp.QuoteMeta(host), j.Ranks[victim].Pid, f, f.Op, f.N, victim, last, p.board))
	var took []time.Duration
	if j.Ranks[victim].Signal != "SIGKILL" {
		t.Errorf("the victim: %v\n%s", j.Ranks[victim], j.text())
	}
	for r := range j.Ranks {
		if r == victim {
			continue
		}
		after, err := time.ParseDuration(j.line(r, "after"))
		text := j.line(r, "error")
		if err != nil || j.line(r, "kind") != "died" || !form.MatchString(text) {
			t.Errorf("rank %d: %v; want an error like %v\n%s", r, err, form, j.text())
		}
		if after > latest || after < 0 {
			t.Errorf("rank %d learned of the death after %v", r, after)
		}
		took = append(took, after)
	}
	return took
}

// busyProgram takes a core for as long as it lives.
func busyProgram([]string) {
	for {
		_ = nobody()
	}
}

// TestDeathUnderLoad is TestDeath while other programs want all cores for themselves.
func TestDeathUnderLoad(t *testing.T) {
	for range 2 * runtime.NumCPU() {
		cmd := exec.Command(os.Args[0], "busy")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = errors.Join(cmd.Process.Kill(), cmd.Wait()) }() // what remains is that it was killed
	}
	var all durations
	for range *deathRounds {
		for _, name := range []string{"barrier", "wait", "alloc", "without"} {
			all = append(all, checkDeath(t, run(t, 4, "die", name, "3"), name, 3)...)
		}
	}
	t.Logf("from death to error: %v", all)
}

// durations say how long something took each time.
type durations []time.Duration

func (d durations) String() string {
	n := len(d)
	if n == 0 {
		return "never"
	}
	slices.Sort(d)
	return fmt.Sprintf("median %v, 99%% %v, maximum %v of %d", d[n/2], d[n*99/100], d[n-1], n)
}
