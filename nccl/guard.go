package nccl

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/internal/ccl"
)

// blocks says whether the library's calls come back only when they are done. The library's
// variable wins over the config.
func (o settled) blocks(lib ccl.Library) bool {
	if lib.Name() == nameHost {
		return false
	}
	switch os.Getenv("NCCL_COMM_BLOCKING") {
	case "0":
		return false
	case "1":
		return true
	}
	return o.Config.Blocking != nil && *o.Config.Blocking
}

// guard bounds the calls of a communicator that blocks: the library has no limit for them.
// When it fires it aborts the communicator, which makes the call come back. A nil guard does
// nothing.
type guard struct {
	timer *time.Timer
	limit time.Duration
}

func (c *Comm) newGuard() *guard {
	g := &guard{limit: c.timeout}
	g.timer = time.AfterFunc(c.timeout, func() {
		late := problem(ErrTimeout, "the library has not come back within %v (Options.Timeout and GOSHMEM_TIMEOUT allow more)", c.timeout)
		_ = c.spoil("abort", late, nil) // whose call it was is told
	})
	g.timer.Stop()
	return g
}

func (g *guard) begin() {
	if g != nil {
		g.timer.Reset(g.limit)
	}
}

func (g *guard) end() {
	if g != nil {
		g.timer.Stop()
	}
}

// apart makes a call that may wait for other ranks. If it blocks it gets a goroutine of its
// own, which is given up, with its thread, when ctx ends: then came is false, and what the
// call may bring later is dropped. A call that has not begun by then is never made.
func apart[T any](ctx context.Context, blocks bool, call func() (T, error), drop func(T)) (v T, came bool, err error) {
	if !blocks {
		v, err = call()
		return v, true, err
	}
	type result struct {
		v   T
		err error
	}
	results := make(chan result, 1)
	var begun atomic.Bool // by the goroutine, or to prevent it
	go func() {
		if begun.CompareAndSwap(false, true) {
			v, err := call()
			results <- result{v, err}
		}
	}()
	select {
	case r := <-results:
		return r.v, true, r.err
	case <-ctx.Done():
	}
	if begun.CompareAndSwap(false, true) {
		return v, true, late(ctx)
	}
	go func() {
		if r := <-results; r.err == nil {
			drop(r.v)
		}
	}()
	return v, false, fmt.Errorf("%w; the library's call goes on in a thread that is given up", late(ctx))
}

// drop ends a communicator that came too late for whoever wanted it.
func drop(made ccl.Comm) {
	if made != nil {
		_ = made.Abort() // nobody is left to be told
	}
}
