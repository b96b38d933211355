package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// recorder is the TB of a world that is allowed to fail: it keeps what would have
// been written, in order, and fails no test.
type recorder struct {
	testing.TB
	mu    sync.Mutex
	lines []string
	fails int
}

func (r *recorder) write(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, strings.TrimSpace(text))
}

func (r *recorder) Log(args ...any) { r.write(fmt.Sprintln(args...)) }

func (r *recorder) Logf(format string, args ...any) { r.write(fmt.Sprintf(format, args...)) }

func (r *recorder) Error(args ...any) { r.Log(args...); r.Fail() }

func (r *recorder) Errorf(format string, args ...any) { r.Logf(format, args...); r.Fail() }

func (r *recorder) Fatal(args ...any) { r.Log(args...); r.FailNow() }

func (r *recorder) Fatalf(format string, args ...any) { r.Logf(format, args...); r.FailNow() }

func (r *recorder) Fail() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails++
}

func (r *recorder) FailNow() { r.Fail(); runtime.Goexit() }

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fails > 0
}

// recorded runs body on n goroutine PEs and returns nil if nothing failed, else
// what was written, first things first.
func recorded(t *testing.T, n int, o shmem.Options, body func(t testing.TB, w *shmem.World)) error {
	t.Helper()
	r := &recorder{TB: t}
	err := shmem.RunLocal(t.Context(), n, o, func(_ context.Context, w *shmem.World) error {
		body(r, w)
		return nil
	})
	if !r.Failed() {
		return err
	}
	return errors.New(strings.Join(r.lines[:min(len(r.lines), 6)], "\n"))
}
