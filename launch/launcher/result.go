package launcher

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Exit statuses that have a fixed meaning, as in a shell and in timeout(1). A
// job that fails otherwise has the status of the rank that failed first, or 128
// plus the number of the signal.
const (
	StatusUsage         = 2
	StatusTimeout       = 124
	StatusNotExecutable = 126
	StatusNotFound      = 127
	statusSignal        = 128
)

// ErrTimeout is what the error of a job that ran longer than Spec.Timeout wraps.
var ErrTimeout = errors.New("stopped at the time limit")

// ErrStopped is what the error of a job that was stopped by a signal or by the end
// of its context wraps.
var ErrStopped = errors.New("stopped")

// ErrUnsupported is what Run's error wraps where processes cannot be launched.
var ErrUnsupported = errors.New("process mode is not supported here (linux only); goroutine PEs work: see shmemtest")

// Error is the error of this package.
type Error struct {
	Code int // the status with which a command should exit
	Err  error
}

// Error returns the text of the wrapped error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// RankResult says how one process ended.
type RankResult struct {
	Rank, Pid int
	Host      string   // name of its machine, and in a job over several the number of it
	Code      int      // exit status; 128 plus the number of the signal if one ended the process
	Signal    string   // name of that signal, such as SIGKILL; "" if it exited
	Core      int      // core it was bound to; -1: none
	Stderr    []string // its last lines on stderr, at most 10, with the first of a panic in front
	Early     bool     // it ended with status 0 before any rank failed or the job was stopped
	Termed    bool     // it was still running when the launcher sent SIGTERM
	Killed    bool     // it was still running when the launcher sent SIGKILL
}

// String says how the process ended.
func (r RankResult) String() string {
	if r.Signal != "" {
		return "killed by " + r.Signal
	}
	return "exit status " + strconv.Itoa(r.Code)
}

// ending is String as part of a sentence.
func (r RankResult) ending() string {
	if r.Signal != "" {
		return "died with " + r.Signal
	}
	return "exited with status " + strconv.Itoa(r.Code)
}

// Result says how a job ended.
type Result struct {
	Ranks []RankResult // those that were started, by rank; of other machines those of which is known how they ended
	First int          // the rank that failed first, by itself and by what the ranks say; -1: none
	Err   error        // what Run returned

	follower *RankResult // the one that ended first because of First; nil: none
	lost     []lostNode  // other machines of which not all is known
}

// lostNode is a machine that did not say to the end how its ranks, n from the first, ended.
type lostNode struct {
	node     int
	host     string
	first, n int
}

// String names it, with its ranks.
func (l lostNode) String() string {
	ranks := make([]int, l.n)
	for i := range ranks {
		ranks[i] = l.first + i
	}
	return fmt.Sprintf("node %d (host %s, %s)", l.node, l.host, RankList(ranks))
}

// Report tells a person why the job failed; "" if it did not. All lines but the
// first are indented.
func (r Result) Report() string {
	if r.Err == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintln(&b, r.Err)
	if r.First >= 0 {
		r.lastWords(&b)
		if r.follower != nil {
			fmt.Fprintf(&b, "  so say the ranks, of which rank %d ended first: %v\n", r.follower.Rank, r.follower)
		}
		r.list(&b, r.ranks(func(x RankResult) bool { return x.Early }), "ended with 0 before that: ")
	}
	r.list(&b, r.ranks(r.alsoFailed), "also failed: ")
	r.list(&b, r.ranks(func(x RankResult) bool { return x.Termed }), "stopped with SIGTERM: ")
	r.list(&b, r.ranks(func(x RankResult) bool { return x.Killed }), "needed SIGKILL: ")
	for _, l := range r.lost {
		fmt.Fprintf(&b, "  not heard of to the end: %v\n", l)
	}
	return b.String()
}

func (r Result) lastWords(b *strings.Builder) {
	at := slices.IndexFunc(r.Ranks, func(x RankResult) bool { return x.Rank == r.First })
	if at < 0 { // its machine is gone
		return
	}
	lines := r.Ranks[at].Stderr
	if len(lines) > 0 {
		fmt.Fprintln(b, "  its last lines on stderr:")
	}
	for _, line := range lines {
		fmt.Fprintf(b, "    %s\n", line)
	}
}

// alsoFailed is true of ranks that failed after the first without having been told to end.
func (r Result) alsoFailed(x RankResult) bool {
	return r.First >= 0 && x.Rank != r.First && x.Code != 0 && !x.Termed && !x.Killed
}

func (r Result) list(b *strings.Builder, ranks []int, what string) {
	if len(ranks) > 0 {
		fmt.Fprintf(b, "  %s%s\n", what, RankList(ranks))
	}
}

func (r Result) ranks(which func(RankResult) bool) []int {
	var found []int
	for _, x := range r.Ranks {
		if which(x) {
			found = append(found, x.Rank)
		}
	}
	return found
}

// RankList writes ascending ranks as people do: "rank 3", "ranks 0, 2-5".
func RankList(ranks []int) string {
	var parts []string
	for i := 0; i < len(ranks); {
		j := i
		for j+1 < len(ranks) && ranks[j+1] == ranks[j]+1 {
			j++
		}
		part := strconv.Itoa(ranks[i])
		if j > i {
			part += "-" + strconv.Itoa(ranks[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	if len(ranks) == 1 {
		return "rank " + parts[0]
	}
	return "ranks " + strings.Join(parts, ", ")
}
