package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// event is one line of `go test -json`.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build events
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string // of a package that failed because this did not build
}

// id names a test; Test is empty for the package itself.
type id struct{ pkg, test string }

func (i id) String() string { return strings.TrimSuffix(i.pkg+" "+i.test, " ") }

// skipped is a test that was skipped and the code it gave.
type skipped struct {
	id
	code, reason string
}

// result is what is known so far about a run.
type result struct {
	out     io.Writer
	open    []id                    // started and not ended, in order
	text    map[id]*strings.Builder // output of what has not passed
	build   map[string]*strings.Builder
	tests   map[string]int  // tests ended per package
	bad     map[string]bool // packages in which a test failed
	passed  int
	failed  []id
	skipped []skipped
}

func newResult(out io.Writer) *result {
	return &result{
		out:   out,
		text:  map[id]*strings.Builder{},
		build: map[string]*strings.Builder{},
		tests: map[string]int{},
		bad:   map[string]bool{},
	}
}

// read takes in a stream of events. What is not an event is printed as it is:
// the go command writes some of its errors as plain text.
func (r *result) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read test output: %w", err)
		}
	}
}

func (r *result) line(line []byte) {
	var e event
	if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &e) != nil {
		fmt.Fprintf(r.out, "%s\n", bytes.TrimRight(line, "\n"))
		return
	}
	r.event(e)
}

func (r *result) event(e event) {
	who := id{e.Package, e.Test}
	switch e.Action {
	case "start", "run":
		r.open = append(r.open, who)
	case "output":
		appendTo(r.text, who, e.Output)
	case "build-output":
		appendTo(r.build, e.ImportPath, e.Output)
	case "pass", "fail", "skip":
		r.close(who)
		if e.Test == "" {
			r.endPackage(who, e)
		} else {
			r.endTest(who, e.Action)
		}
	}
}

func appendTo[K comparable](m map[K]*strings.Builder, key K, text string) {
	if m[key] == nil {
		m[key] = &strings.Builder{}
	}
	m[key].WriteString(text)
}

// close takes who off the list of those that have not ended.
func (r *result) close(who id) {
	for i, o := range r.open {
		if o == who {
			r.open = append(r.open[:i], r.open[i+1:]...)
			return
		}
	}
}

func (r *result) endTest(who id, action string) {
	r.tests[who.pkg]++
	switch action {
	case "pass":
		r.passed++
		delete(r.text, who)
	case "skip":
		code, reason := skipCode(r.outputOf(who))
		r.skipped = append(r.skipped, skipped{who, code, reason})
		delete(r.text, who)
	case "fail":
		r.failed = append(r.failed, who)
		r.bad[who.pkg] = true
	}
}

// endPackage prints the package's line. A package that failed though none of
// its tests did (it did not build, or it exited) counts as one failure.
func (r *result) endPackage(who id, e event) {
	verdict := "ok  "
	switch {
	case e.Action == "fail":
		verdict = "FAIL"
	case r.tests[who.pkg] == 0:
		verdict = "none"
	}
	fmt.Fprintf(r.out, "%s %s %d tests %.2fs\n", verdict, who.pkg, r.tests[who.pkg], e.Elapsed)
	failed := r.bad[who.pkg]
	delete(r.tests, who.pkg) // another stage may run the same package again
	delete(r.bad, who.pkg)
	if e.Action != "fail" {
		delete(r.text, who)
		return
	}
	if text := r.build[e.FailedBuild]; text != nil {
		appendTo(r.text, who, text.String())
	}
	if !failed {
		r.failed = append(r.failed, who)
	}
	// The tests that were running when the process ended belong to the failure,
	// and so does what they wrote; they have no verdict of their own.
	for _, o := range r.open {
		if o.pkg == who.pkg {
			appendTo(r.text, who, r.outputOf(o))
		}
	}
	r.drop(who.pkg)
}

// drop forgets the open tests of a package that has ended.
func (r *result) drop(pkg string) {
	kept := r.open[:0]
	for _, o := range r.open {
		if o.pkg != pkg {
			kept = append(kept, o)
		}
	}
	r.open = kept
}

func (r *result) outputOf(who id) string {
	if text := r.text[who]; text != nil {
		return text.String()
	}
	return ""
}

var skipText = regexp.MustCompile(`SKIP\[(\w+)\] ?(.*)`)

// skipCode finds the code of a skip in a test's output; "" if it gave none.
func skipCode(output string) (code, reason string) {
	if m := skipText.FindStringSubmatch(output); m != nil {
		return m[1], m[2]
	}
	return "", "skipped without a code"
}
