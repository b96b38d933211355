package shmem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
)

// Main runs f as one PE of the launched job: init, f, finalize. If f returns an error,
// panics or has called Abort, this PE says so on stderr and the process exits with 1 or
// 2, without running deferred calls of its caller; the waits of all other PEs then
// return an error that names this PE and its reason, so the whole job ends. That the
// symmetric heap is full PE 0 says alone, if it ends with that. Blocking, collective over
// the job. OpenSHMEM: shmem_init ... shmem_finalize.
func Main(f func(ctx context.Context, w *World) error) { MainWith(Options{}, f) }

// MainWith is Main with options for the world. Blocking, collective over the job.
func MainWith(o Options, f func(ctx context.Context, w *World) error) {
	ctx := context.Background()
	w, err := Init(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if code := w.run(ctx, f); code != 0 {
		os.Exit(code)
	}
}

// run is Main without the exit.
func (w *World) run(ctx context.Context, f func(context.Context, *World) error) (code int) {
	ended := true // by runtime.Goexit, if f neither returns nor panics
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "shmem: PE %d panicked: %v\n\n%s", w.rank, p, debug.Stack())
			w.tellAgain(nil)
			w.heap.Fail(fmt.Sprintf("panicked: %v", p), engine.Leaves)
			code = 2
		} else if ended {
			fmt.Fprintf(os.Stderr, "shmem: PE %d: %v\n", w.rank, errEnded)
			w.tellAgain(nil)
			w.heap.Fail(errEnded.Error(), engine.Leaves)
			os.Exit(2) // the process would stay, without its main goroutine
		}
	}()
	err := f(ctx, w)
	ended = false
	if why := w.ended.Load(); err == nil && why != nil {
		err = *why // the others fail because of it
	}
	if err == nil {
		err = w.Finalize(ctx)
	}
	if err == nil {
		return 0
	}
	if !w.said(ctx, err) {
		fmt.Fprintf(os.Stderr, "PE %d: %v\n", w.rank, err)
		w.tellAgain(err)
	}
	w.fail(err, engine.Leaves)
	return 1
}

// patience is how long a PE waits for PE 0 to end with the error that it has itself.
const patience = 5 * time.Second

// said says whether PE 0 has ended with this error, and so has said it: once is enough
// of a lack of memory, which all PEs learn of in the same call.
func (w *World) said(ctx context.Context, err error) bool {
	if w.rank == 0 || !errors.Is(err, ErrNoMemory) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ended := w.heap.Wait(ctx, engine.Call{Kind: engine.KindWait, Seq: w.waits.Add(1)}, func() bool { return false })
	p := w.heap.Progress(0)
	return errors.Is(ended, ErrFailed) && p.State == engine.Failed && p.Note != "" && strings.HasPrefix(err.Error(), p.Note)
}
