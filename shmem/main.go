package shmem

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
)

// Main runs f as one PE of the launched job: init, f, finalize. If f returns an
// error or panics, this PE says so on stderr and the process exits with 1 or 2;
// the waits of all other PEs then return an error that names this PE and its
// reason, so the whole job ends. OpenSHMEM: shmem_init ... shmem_finalize.
func Main(f func(ctx context.Context, w *World) error) {
	ctx := context.Background()
	w, err := Init(ctx, Options{Logf: nil})
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
			w.heap.Fail(fmt.Sprintf("panicked: %v", p), -1)
			fmt.Fprintf(os.Stderr, "shmem: PE %d panicked: %v\n\n%s", w.rank, p, debug.Stack())
			code = 2
		} else if ended {
			w.heap.Fail(errEnded.Error(), -1)
			fmt.Fprintf(os.Stderr, "shmem: PE %d: %v\n", w.rank, errEnded)
			os.Exit(2) // the process would stay, without its main goroutine
		}
	}()
	err := f(ctx, w)
	ended = false
	if err == nil {
		err = w.Finalize(ctx)
	}
	if err == nil {
		return 0
	}
	w.fail(err)
	fmt.Fprintf(os.Stderr, "PE %d: %v\n", w.rank, err)
	return 1
}
