package main

import (
	"errors"
	"fmt"
	"strings"
)

// report prints what is left to say and the closing line, and returns an error
// that gives every reason why the run is not good.
func (r *result) report(allowed []allowance) error {
	r.closeRest()
	r.printFailures()
	extra := r.printSkips(allowed)
	fmt.Fprintln(r.out, r.closing())

	var reasons []error
	if n := len(r.failed); n > 0 {
		reasons = append(reasons, fmt.Errorf("%d failed", n))
	}
	if r.passed+len(r.failed)+len(r.skipped) == 0 {
		reasons = append(reasons, errors.New("no test ran"))
	}
	if extra > 0 {
		reasons = append(reasons, fmt.Errorf("skips that are not in the list of those that may happen: %d", extra))
	}
	return errors.Join(reasons...)
}

// closing is the line that sums the run up.
func (r *result) closing() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", r.passed, len(r.failed), len(r.skipped))
}

// closeRest counts what started and never ended: the output stops in the middle.
func (r *result) closeRest() {
	for _, o := range r.open {
		appendTo(r.text, o, "started and never ended: the output stops here\n")
		r.failed = append(r.failed, o)
	}
	r.open = nil
}

func (r *result) printFailures() {
	for _, f := range r.failed {
		fmt.Fprintf(r.out, "\n--- failed: %v\n", f)
		for _, line := range shorten(strings.Split(strings.TrimRight(r.outputOf(f), "\n"), "\n")) {
			fmt.Fprintf(r.out, "    %s\n", line)
		}
	}
	if len(r.failed) > 0 {
		fmt.Fprintln(r.out)
	}
}

// mostLines is how much of a failing test's output is shown.
const mostLines = 200

// shorten leaves out the middle of an output that is too long to read: causes
// stand at its beginning, verdicts at its end.
func shorten(lines []string) []string {
	if len(lines) <= mostLines {
		return lines
	}
	short := append([]string{}, lines[:mostLines/2]...)
	short = append(short, fmt.Sprintf("... %d lines left out ...", len(lines)-mostLines))
	return append(short, lines[len(lines)-mostLines/2:]...)
}

// printSkips lists the skips and those that were expected and did not happen,
// and counts those that are not allowed.
func (r *result) printSkips(allowed []allowance) (extra int) {
	used := make([]bool, len(allowed))
	for _, s := range r.skipped {
		mark := " (not in the list)"
		if i := find(allowed, s); i >= 0 {
			used[i], mark = true, ""
		} else {
			extra++
		}
		fmt.Fprintf(r.out, "skip [%s] %v: %s%s\n", s.code, s.id, s.reason, mark)
	}
	for i, a := range allowed {
		if !used[i] {
			fmt.Fprintf(r.out, "listed skip did not happen: %s %s %s\n", a.code, a.pkg, a.test)
		}
	}
	return extra
}
