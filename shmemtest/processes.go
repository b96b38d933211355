package shmemtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/launch/launcher"
	"github.com/goshmem/goshmem/shmem"
)

// served is what a rank writes when it has run its body: a rank that never comes to
// the call would otherwise look like one that passed.
const served = "goshmem: this rank has run its body"

// RunProcesses runs body on n PEs, each a process: the test binary is started
// again n times to run this test up to this call. The output of a failing job
// goes to the test's log. In a binary that a launcher started it is Run. Linux only.
func RunProcesses(t *testing.T, n int, body Body) {
	t.Helper()
	RunProcessesWith(t, n, shmem.Options{}, body)
}

// RunProcessesWith is RunProcesses with options for the world.
func RunProcessesWith(t *testing.T, n int, o shmem.Options, body Body) {
	t.Helper()
	result, output := StartProcesses(t, n, o, body)
	if result == nil {
		return // this is a rank; its part is done
	}
	text := output.String()
	skips := skipLine.FindAllStringSubmatch(text, -1)
	switch got := strings.Count(text, served) + len(skips); {
	case result.Err != nil:
		t.Errorf("%s%s", result.Report(), text)
	case got != n:
		t.Errorf("%d of %d ranks came to this call: they run the same test up to it, so nothing before it may depend on the process\n%s", got, n, text)
	case len(skips) == n:
		skip.Again(t, skips[0][1])
	case len(skips) > 0:
		t.Errorf(skippedInPart+"\n%s", len(skips), n, skips[0][1], text)
	case testing.Verbose():
		t.Log(text)
	}
	again(t, o)
}

// StartProcesses is RunProcesses for tests that expect ranks to fail: it returns
// how the job ended and what it wrote, and fails the test only if there was no
// job. In a rank, which is where body runs, and in a launched binary it returns nil.
func StartProcesses(t *testing.T, n int, o shmem.Options, body Body) (*launcher.Result, *Output) {
	t.Helper()
	call := nextCall(t)
	switch os.Getenv(env.TestCall) {
	case "":
	case call:
		os.Exit(serve(t, o, body))
	default: // an earlier call of the same test; ours comes later
		return nil, nil
	}
	if launched(t) {
		joinJob(t, o, body)
		return nil, nil
	}
	output := &Output{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result, err := launcher.Run(ctx, launcher.Spec{
		N:      n,
		Argv:   []string{executable(t), "-test.run=" + pattern(t.Name()), "-test.count=1", "-test.timeout=10m"},
		Env:    []string{env.TestCall + "=" + call},
		Output: func(int) (stdout, stderr io.Writer) { return output, output },
		Merge:  true,
	})
	if err != nil && len(result.Ranks) == 0 {
		t.Fatal(err)
	}
	return &result, output
}

// Output collects what the ranks of a job write.
type Output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends p. It never fails.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

// String returns everything written so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// skipped is what a rank writes that has skipped its body, with the reason.
const skipped = "goshmem: this rank has skipped its body: "

var skipLine = regexp.MustCompile(skipped + `([^\n]*)`)

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// pattern matches exactly the (sub)test called name.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// serve runs body as one rank of a RunProcesses job and returns the exit code.
// It writes lines at once, because the process ends here.
func serve(t *testing.T, o shmem.Options, body Body) int {
	o.Logf = func(string, ...any) {}
	w, err := shmem.Init(t.Context(), o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	tb := &peTB{TB: t, pe: w.MyPE(), out: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	err = runRank(t.Context(), tb, w, body)
	switch {
	case tb.Skipped(): // no failure, for which the launcher would end ranks that skip later
		fmt.Println(skipped + tb.reason())
		return 0
	case err != nil:
		fmt.Fprintf(os.Stderr, "PE %d: %v\n", w.MyPE(), err)
	case !tb.Failed():
		fmt.Println(served)
		return 0
	}
	return 1
}
