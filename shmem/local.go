package shmem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engines"
	"github.com/goshmem/goshmem/internal/env"
)

// MaxLocal is the most PEs that RunLocal runs.
const MaxLocal = 1024

// grace is for waits in the library, whose own errors say more than a cancelled context.
const grace = 2 * time.Second

const (
	maxLocalHeap  = 4 << 30
	maxLocalHeaps = 64 << 30
)

// RunLocal runs f on n PEs that are goroutines of this process, over ordinary Go
// memory: on every operating system, and the race detector sees symmetric memory.
// It returns when all have returned. If f fails, panics or calls runtime.Goexit
// on a PE, the waits of the others return an error that names it, and two seconds later the
// context of f is cancelled, with that PE's error as its cause, for whoever waits for
// something else. The error joins those of all PEs, the one that failed first in front; in
// weak mode the last line of it tells the seed.
func RunLocal(ctx context.Context, n int, o Options, f func(ctx context.Context, w *World) error) error {
	worlds, err := localWorlds(n, o)
	if err != nil {
		return fail(nil, "run local", noPeer, err)
	}
	ctx, cancel := context.WithCancelCause(orBackground(ctx))
	defer cancel(nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var all []error
	report := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, err)
	}
	failed := func(err error) { time.AfterFunc(grace, func() { cancel(err) }) }
	for _, w := range worlds {
		wg.Go(func() { w.runLocal(ctx, f, report, failed) })
	}
	wg.Wait()
	if text := worlds[0].again(); text != "" && len(all) > 0 {
		all = append(all, errors.New(text))
	}
	return errors.Join(all...)
}

func localWorlds(n int, o Options) ([]*World, error) {
	if n < 1 || n > MaxLocal {
		return nil, problem(ErrArgument, "%d PEs: at least 1, at most %d", n, MaxLocal)
	}
	if err := o.checkLocal(); err != nil {
		return nil, err
	}
	c, err := o.config(defaultLocalHeap)
	if err != nil {
		return nil, err
	}
	if c.HeapSize > maxLocalHeap || uintptr(n)*c.HeapSize > maxLocalHeaps { // Go cannot refuse: it would end the process
		return nil, problem(ErrArgument, "%d heaps of %d bytes: goroutine PEs can have %d each and %d together", n, c.HeapSize, int64(maxLocalHeap), int64(maxLocalHeaps))
	}
	checked, err := o.checked()
	if err != nil {
		return nil, err
	}
	if o.Weak, err = o.weakSeed(); err != nil {
		return nil, err
	}
	heaps, err := o.openLocal(n, c)
	if err != nil {
		return nil, err
	}
	o.local = &local{}
	worlds := make([]*World, n)
	for i, h := range heaps {
		info := Info{Reason: "goroutine PEs", Launcher: "local", NodeSize: c.NodeSize, Checked: checked, Weak: o.Weak, local: i}
		if worlds[i], err = o.world(h, info); err != nil {
			return nil, err
		}
	}
	return worlds, nil
}

// openLocal opens the engine that runs goroutine PEs: host, unless another one is asked for.
func (o Options) openLocal(n int, c engine.Config) ([]engine.Heap, error) {
	name := cmp.Or(o.Engine, os.Getenv(env.Engine))
	l, ok := engines.Local(name)
	if !ok {
		return nil, problem(ErrArgument, "engine %s was asked for: goroutine PEs run on %s", name, engines.Locals())
	}
	if why := o.onlyHost(c); why != "" && name != "" && name != engines.Host {
		return nil, problem(ErrArgument, "engine %s was asked for but cannot run: %s", name, why)
	}
	if c.Transport != "" {
		return nil, problem(ErrArgument, "%s=%s is for processes: goroutine PEs have one memory", env.NodeTransport, c.Transport)
	}
	return l.OpenLocal(n, c)
}

// checkLocal refuses options that mean nothing to goroutine PEs.
func (o Options) checkLocal() error {
	switch {
	case o.Rank != 0 || o.Size != 0 || o.Group != "" || o.Exchange != nil:
		return problem(ErrArgument, "goroutine PEs take no Rank, Size, Group or Exchange from Options")
	}
	return nil
}

// errEnded is the error of a PE whose function ended its goroutine.
var errEnded = errors.New("the function ended its goroutine (runtime.Goexit, or a test's FailNow)")

// runLocal runs f as one goroutine PE, in a goroutine of its own that f may end.
// It reports an error before the others can learn of it and fail in turn, and says that it
// has failed when they can.
func (w *World) runLocal(ctx context.Context, f func(context.Context, *World) error, report, failed func(error)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		err, stack := errEnded, ""
		defer func() {
			if p := recover(); p != nil {
				err, stack = fmt.Errorf("panicked: %v", p), "\n"+string(debug.Stack())
			}
			if err == errEnded {
				err = w.whyEnded()
			}
			if err != nil {
				report(fmt.Errorf("PE %d: %w%s", w.rank, err, stack))
				w.fail(err, engine.Stays)
				failed(fmt.Errorf("PE %d: %w", w.rank, err))
				w.close()
			}
		}()
		if failed := w.openGroups(ctx, w.world.call(engine.KindInit, "")); failed != nil {
			err = failed
			return
		}
		if err = f(ctx, w); err == nil { // errEnded until it returns
			err = w.Finalize(ctx)
		}
	}()
	<-done
}

// whyEnded is the error of a PE whose goroutine ended: because the PE ended the world, or
// died of a fault.
func (w *World) whyEnded() error {
	if e := w.ended.Load(); e != nil {
		return *e
	}
	if p := w.heap.Progress(w.rank); p.State == engine.Dead {
		return problem(ErrDied, "%s", p.Reason)
	}
	return errEnded
}

// exit ends this PE: the process, or the goroutine of a goroutine PE.
func (w *World) exit(status int) {
	if w.info.Launcher == "local" {
		runtime.Goexit()
	}
	os.Exit(status)
}
