package shmemtest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// peTB is the testing.TB of one PE: every line says which PE it is from, and
// what ends the test ends the PE's goroutine only.
type peTB struct {
	testing.TB
	pe  int
	out func(line string) // where lines go

	entered atomic.Bool // the PE has begun the body

	mu      sync.Mutex
	failed  bool
	skipped string
}

func (t *peTB) print(text string) {
	t.Helper()
	t.out(fmt.Sprintf("PE %d: %s", t.pe, strings.TrimSuffix(text, "\n")))
}

// Log and its kin write a line.
func (t *peTB) Log(args ...any) { t.Helper(); t.print(fmt.Sprintln(args...)) }

// Logf writes a line.
func (t *peTB) Logf(format string, args ...any) { t.Helper(); t.print(fmt.Sprintf(format, args...)) }

// Error is Log and Fail.
func (t *peTB) Error(args ...any) { t.Helper(); t.Log(args...); t.Fail() }

// Errorf is Logf and Fail.
func (t *peTB) Errorf(format string, args ...any) { t.Helper(); t.Logf(format, args...); t.Fail() }

// Fatal is Log and FailNow.
func (t *peTB) Fatal(args ...any) { t.Helper(); t.Log(args...); t.FailNow() }

// Fatalf is Logf and FailNow.
func (t *peTB) Fatalf(format string, args ...any) { t.Helper(); t.Logf(format, args...); t.FailNow() }

// Fail marks the PE, and so the test, as failed.
func (t *peTB) Fail() {
	t.mu.Lock()
	t.failed = true
	t.mu.Unlock()
	t.TB.Fail()
}

// FailNow is Fail and the end of this PE.
func (t *peTB) FailNow() { t.Fail(); runtime.Goexit() }

// Failed says whether this PE has failed.
func (t *peTB) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// Skip ends this PE, and the test as skipped.
func (t *peTB) Skip(args ...any) { t.skip(fmt.Sprintln(args...)) }

// Skipf ends this PE, and the test as skipped.
func (t *peTB) Skipf(format string, args ...any) { t.skip(fmt.Sprintf(format, args...)) }

// SkipNow ends this PE, and the test as skipped.
func (t *peTB) SkipNow() { t.skip("skipped") }

func (t *peTB) skip(why string) {
	t.mu.Lock()
	t.skipped = strings.TrimSpace(why)
	t.mu.Unlock()
	runtime.Goexit()
}

// Skipped says whether this PE has skipped.
func (t *peTB) Skipped() bool { return t.reason() != "" }

func (t *peTB) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.skipped
}
