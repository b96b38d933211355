package testjob

import (
	"fmt"
	"strings"
	"time"

	"github.com/goshmem/goshmem/launch/launcher"
)

// tally counts verdicts, and packages that did not build.
type tally struct {
	passed, failed, skipped, unbuilt int
}

func (t *tally) count(all []verdict) {
	for _, v := range all {
		switch v.status {
		case passed:
			t.passed++
		case skipped:
			t.skipped++
		default:
			t.failed += max(1, v.tests)
		}
	}
}

// String is the end of every line of the report.
func (t tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.passed, t.failed, t.skipped)
}

// report writes the result of one job, what failed before the line that counts. It says
// whether all passed.
func (r *run) report(p pkg, s setting, all []verdict, ranks []*transcript, took time.Duration) bool {
	for _, v := range all {
		if v.status == failed || r.Verbose {
			r.show(v, s, ranks)
		}
	}
	var here tally
	here.count(all)
	r.tally.count(all)
	word, counts := "ok  ", here.String()
	switch {
	case here.failed > 0:
		word = "FAIL"
	case here == tally{}:
		word, counts = "?   ", "no tests"
	}
	fmt.Fprintf(r.Out, "%s  %s  %v  %s  (%.2fs)\n", word, p.path, s, counts, took.Seconds())
	if here.failed > 0 && s.seed != 0 {
		fmt.Fprintf(r.Out, "weak mode, seed %d: to see this again run goshmem test -n %d --weak %d%s %s\n", s.seed, s.n, s.seed, only(all), p.path)
	}
	return here.failed == 0
}

// only is the flag that runs no tests but those that failed, "" if that is not known.
func only(all []verdict) string {
	var names []string
	for _, v := range all {
		switch {
		case v.status != failed:
		case !isTest(v.test):
			return ""
		default:
			names = append(names, v.test)
		}
	}
	return fmt.Sprintf(" -run '^(%s)$'", strings.Join(names, "|"))
}

// show writes one verdict and the output behind it: of the ranks on which the
// test failed, or of all ranks if it did not.
func (r *run) show(v verdict, s setting, ranks []*transcript) {
	name, why := v.test, ""
	if name == "" {
		name = "(processes)"
	}
	if v.why != "" {
		why = ": " + v.why
	}
	fmt.Fprintf(r.Out, "--- %s: %s (%v)%s\n", v.status, name, s, why)
	which := v.ranks
	if v.status != failed {
		which = make([]int, s.n)
		for rank := range which {
			which[rank] = rank
		}
	}
	for _, rank := range which {
		for _, line := range ranks[rank].lines[v.test] {
			fmt.Fprintf(r.Out, "    [%d] %s\n", rank, line)
		}
	}
}

// broken reports a package whose tests do not build.
func (r *run) broken(p pkg, err error) {
	r.unbuilt++
	fmt.Fprintf(r.Out, "%v\nFAIL  %s  [build failed]\n", err, p.path)
}

// summary writes the last line and returns what it means.
func (r *run) summary() error {
	t := r.tally
	total := t.passed + t.failed + t.skipped
	fmt.Fprintf(r.Out, "%v, %d in total\n", t, total)
	var err error
	switch {
	case t.unbuilt > 0:
		err = fmt.Errorf("%d failed, and the tests of %d packages do not build", t.failed, t.unbuilt)
	case t.failed > 0:
		err = fmt.Errorf("%d failed", t.failed)
	case total == 0:
		err = ErrNoTests
	default:
		return nil
	}
	return &launcher.Error{Code: 1, Err: err}
}
