package testjob

import (
	"bytes"
	"strings"
	"sync/atomic"
)

// mark precedes the lines that package testing itself writes with
// -test.v=test2json, so that no output of a test can be taken for them.
const mark = "\x16"

// maxOutput bounds what is kept of one rank's output; results of tests are kept
// beyond it.
const maxOutput = 8 << 20

// status is how a test ended on one rank, or on all.
type status string

const (
	missing status = "" // it did not end
	passed  status = "PASS"
	failed  status = "FAIL"
	skipped status = "SKIP"
)

// transcript is what one rank wrote, sorted by test. Only tests at the top level
// are told apart: the names of subtests may well differ between ranks.
type transcript struct {
	order  []string // tests in the order in which they began
	status map[string]status
	lines  map[string][]string // output by test; "": outside of tests
	test   string              // the test that writes
	rest   []byte              // a line begun
	kept   int                 // bytes in lines

	complete atomic.Bool // all tests have ended; may be read while others write
}

func newTranscript() *transcript {
	return &transcript{status: map[string]status{}, lines: map[string][]string{}}
}

// Write takes in output as it comes.
func (t *transcript) Write(p []byte) (int, error) {
	for rest := p; ; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		t.rest = append(t.rest, line[:min(len(line), maxOutput-len(t.rest))]...)
		if !ended {
			return len(p), nil
		}
		t.line(string(t.rest))
		t.rest, rest = t.rest[:0], after
	}
}

func (t *transcript) finish() {
	if len(t.rest) > 0 {
		t.line(string(t.rest))
	}
}

// line takes in one line. A mark stands where a test's own unfinished line ends.
func (t *transcript) line(line string) {
	output, event, marked := strings.Cut(line, mark)
	if output != "" || !marked {
		t.keep(output)
	}
	if marked {
		t.event(event)
	}
}

// event takes in what package testing says: how a test ended, or which runs now.
func (t *transcript) event(event string) {
	if ended, ok := strings.CutPrefix(strings.TrimSpace(event), "--- "); ok {
		result, rest, _ := strings.Cut(ended, ": ")
		name, _, _ := strings.Cut(rest, " ")
		t.begin(name)
		if t.test == name { // not a part of one
			t.status[name] = status(result)
		}
		t.keep(event)
		return
	}
	if event == string(passed) || event == string(failed) {
		t.complete.Store(true)
	}
	if runs, ok := strings.CutPrefix(event, "=== "); ok {
		verb, name, _ := strings.Cut(runs, " ")
		if verb != "ATTR" && verb != "ARTIFACTS" {
			t.begin(strings.TrimSpace(name))
		}
	}
}

// begin makes name, or the test that it is a part of, the one that writes.
func (t *transcript) begin(name string) {
	t.test, _, _ = strings.Cut(name, "/")
	if _, known := t.status[t.test]; !known && t.test != "" {
		t.order = append(t.order, t.test)
		t.status[t.test] = missing
	}
}

// place says where the rank was when its output ended.
func (t *transcript) place() string {
	if t.test == "" || t.status[t.test] != missing {
		return "outside of tests"
	}
	return "in " + t.test
}

func (t *transcript) keep(line string) {
	if t.kept += len(line) + 1; t.kept <= maxOutput {
		t.lines[t.test] = append(t.lines[t.test], line)
	}
}
