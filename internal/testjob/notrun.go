package testjob

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goshmem/goshmem/launch/launcher"
)

// settle is how long the other ranks may go on after one has died. What waits for
// it fails at once; a test that does not notice must not cost its time limit.
const settle = 5 * time.Second

// listTime is ample for a test binary to say which tests it has.
const listTime = 30 * time.Second

// deathError is the cause of the end of a job of which a rank died.
type deathError struct{ rank int }

func (e deathError) Error() string { return fmt.Sprintf("rank %d died", e.rank) }

// watchDeaths returns a function for launcher.Spec.Ended that stops the job some
// time after a rank has died. Whether it has is looked up in the end, when the
// last of its output is certain to be here.
func watchDeaths(stop context.CancelCauseFunc, ranks []*transcript) func(launcher.RankResult) {
	return func(r launcher.RankResult) {
		time.AfterFunc(settle, func() {
			if !ranks[r.Rank].complete.Load() {
				stop(deathError{r.Rank})
			}
		})
	}
}

// dead returns the rank whose death left tests out, -1 if there is none: of those
// that ended by themselves before all tests had, the one that failed first.
func dead(ranks []*transcript, res launcher.Result) int {
	died := func(r launcher.RankResult) bool {
		return !ranks[r.Rank].complete.Load() && !r.Termed && !r.Killed
	}
	if res.First >= 0 && died(res.Ranks[res.First]) {
		return res.First
	}
	return slices.IndexFunc(res.Ranks, died)
}

// notRun returns a verdict for the tests that no rank came to, with none if there
// are no such tests.
func (r *run) notRun(ctx context.Context, p pkg, binary string, ranks []*transcript, res launcher.Result) []verdict {
	rank := dead(ranks, res)
	if rank < 0 {
		return nil
	}
	all, err := r.tests(ctx, p, binary)
	if err != nil {
		return []verdict{{test: "tests not run", status: failed, why: fmt.Sprintf("cannot be listed: %v", err)}}
	}
	known := names(ranks)
	missed := slices.DeleteFunc(all, func(test string) bool { return slices.Contains(known, test) })
	if len(missed) == 0 {
		return nil
	}
	name := fmt.Sprintf("%d tests not run", len(missed))
	if len(missed) == 1 {
		name = "1 test not run"
	}
	return []verdict{{test: name, tests: len(missed), status: failed, why: fmt.Sprintf("rank %d died %s", rank, ranks[rank].place())}}
}

// tests asks the test binary for its tests. It does so as a job of one process,
// as TestMain may want to find one.
func (r *run) tests(ctx context.Context, p pkg, binary string) ([]string, error) {
	keep, err := filter(r.Args)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	_, err = launcher.Run(ctx, launcher.Spec{
		N: 1, Argv: []string{binary, "-test.list=^(Test|Example|Fuzz)"}, Dir: p.dir, Timeout: listTime, Signals: r.Signals,
		Output: func(int) (stdout, stderr io.Writer) { return &text, nil },
	})
	return slices.DeleteFunc(strings.Fields(text.String()), func(name string) bool { return !isTest(name) || !keep(name) }), err
}

// isTest keeps out what TestMain prints.
func isTest(word string) bool {
	return strings.HasPrefix(word, "Test") || strings.HasPrefix(word, "Example") || strings.HasPrefix(word, "Fuzz")
}

// filter returns what -test.run and -test.skip in args let through at the top
// level: -test.list does not heed them.
func filter(args []string) (func(test string) bool, error) {
	only, _, _ := strings.Cut(argument(args, "test.run"), "/")
	run, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	without := argument(args, "test.skip")
	skip, err := regexp.Compile(without)
	if err != nil {
		return nil, err
	}
	none := without == "" || strings.Contains(without, "/") // parts of tests are skipped within them
	return func(test string) bool { return run.MatchString(test) && (none || !skip.MatchString(test)) }, nil
}

// given says whether there is a flag of a name.
func given(args []string, name string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return isFlag(a, name) })
}

// isFlag says whether an argument is the flag of a name, with its value or without.
func isFlag(a, name string) bool {
	flag, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
	return flag == name && strings.HasPrefix(a, "-")
}

// argument returns the value of the last flag of a name, "" if there is none.
func argument(args []string, name string) (value string) {
	for i, a := range args {
		_, v, joined := strings.Cut(a, "=")
		switch {
		case !isFlag(a, name):
		case joined:
			value = v
		case i+1 < len(args):
			value = args[i+1]
		}
	}
	return value
}
