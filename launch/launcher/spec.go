package launcher

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/goshmem/goshmem/internal/env"
)

// MaxProcs is the largest number of processes in a job. All of them run on this
// machine, each with five descriptors and a few threads in use here, and worlds
// of goroutine PEs end at the same size: a larger number is a typing mistake.
const MaxProcs = 1024

// Values of Spec.Bind.
const (
	BindNone  = "none"
	BindCores = "cores"
)

// Spec says what to run. Only N and Argv are needed.
type Spec struct {
	N    int      // number of processes on this machine, 1 to MaxProcs
	Argv []string // program and arguments; the program is looked up in PATH

	Nodes *Nodes // the other machines of the job; nil: there are none

	Env   []string // extra NAME=value, over the inherited environment
	Dir   string   // working directory; "": that of this process
	Stdin *os.File // stdin of rank 0; nil: /dev/null, as for all other ranks
	Bind  string   // BindNone (also "") or BindCores: rank r runs on the r-th available core, counted round

	Timeout time.Duration // limit for the whole job; 0: none
	Settle  time.Duration // time for the others to end by themselves after a first failure; 0: 1s, negative: none
	Grace   time.Duration // time between SIGTERM (or a signal passed on) and SIGKILL; 0: 5s, negative: none

	// Signals delivers the signals to pass on, usually from signal.Notify:
	// each stops the job, and an interrupt that comes second kills it.
	Signals <-chan os.Signal

	// Ended, if set, is called when a rank has ended, of whose output there may be
	// more to come. The job waits for it.
	Ended func(RankResult)

	// Stdout and Stderr get the lines of all ranks, each line whole and with
	// the prefix in front; nil: dropped. A line of more than 1 MiB is cut into
	// several.
	Stdout, Stderr io.Writer
	// Prefix replaces "[host rank] ".
	Prefix func(rank int) string
	// OutputDir additionally gets the untouched output of every rank, in files
	// rank-0.stdout, rank-0.stderr and so on.
	OutputDir string
	// Output, if set, replaces Stdout and Stderr: the untouched output of a rank
	// goes to the writers it returns (nil: dropped). Each stream has a goroutine
	// that writes.
	Output func(rank int) (stdout, stderr io.Writer)
	// Merge joins stderr to stdout in one pipe, which keeps their order: all
	// output goes where stdout goes.
	Merge bool
}

// Check returns an error (of exit status 2) that says what is wrong with s. Run
// calls it; a command may do so before it spends time on a build.
func (s Spec) Check() error {
	switch {
	case s.N < 1:
		return usageError("number of processes is %d: at least 1 is needed", s.N)
	case s.N > MaxProcs:
		return usageError("number of processes is %d: at most %d processes run on one machine", s.N, MaxProcs)
	case len(s.Argv) == 0:
		return usageError("no program given")
	case s.Bind != "" && s.Bind != BindNone && s.Bind != BindCores:
		return usageError("unknown binding %q: use %s or %s", s.Bind, BindCores, BindNone)
	case s.Timeout < 0:
		return usageError("time limit %v is negative: leave it out for no limit", s.Timeout)
	}
	if err := s.Nodes.check(); err != nil {
		return err
	}
	return s.checkEnv()
}

func (s Spec) checkEnv() error {
	for _, line := range s.Env {
		name, _, ok := strings.Cut(line, "=")
		if !ok || name == "" {
			return usageError("environment entry %q: want NAME=value", line)
		}
		if reserved[name] {
			return usageError("environment entry %s: the launcher sets this one itself", name)
		}
	}
	if err := env.Unknown(append(os.Environ(), s.Env...)); err != nil {
		return usageError("%w", err)
	}
	return nil
}

func usageError(format string, args ...any) error {
	return &Error{Code: StatusUsage, Err: fmt.Errorf(format, args...)}
}

// wait turns a duration of Spec into one for a timer.
func wait(d, zero time.Duration) time.Duration {
	switch {
	case d == 0:
		return zero
	case d < 0:
		return 0
	}
	return d
}

// Cores returns the core of every rank, -1 for all without binding.
func (s Spec) Cores() ([]int, error) {
	var available []int
	if s.Bind == BindCores {
		var err error
		if available, err = availableCores(); err != nil {
			return nil, err
		}
	}
	cores := make([]int, s.N)
	for r := range cores {
		cores[r] = -1
		if len(available) > 0 {
			cores[r] = available[r%len(available)]
		}
	}
	return cores, nil
}

// prefix returns what stands in front of the lines of a rank.
func (s Spec) prefix(rank int) string {
	if s.Prefix != nil {
		return s.Prefix(rank)
	}
	return fmt.Sprintf("[%s %d] ", hostName(), rank)
}

// hostName returns the short name of this machine.
func hostName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost" // a label only: a job must not fail for want of it
	}
	short, _, _ := strings.Cut(name, ".")
	return short
}
