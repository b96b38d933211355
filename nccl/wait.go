package nccl

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/yield"
)

const (
	spin    = time.Millisecond       // before the first pause on GPUs: timers are not finer
	brief   = 200 * time.Microsecond // on the host library, where ranks are goroutines
	looks   = 4                      // at least, where the core goes round for longer
	share   = 8                      // of the time that has passed is the next pause
	longest = time.Millisecond
)

// soon looks for a short while until done says so, and allocates nothing. On GPUs the core
// goes round the threads, one of which may be the library's with what is waited for;
// the goroutine stays on its own: Gosched wakes another thread each time, which takes it
// over, and that costs more than a small collective.
func (c *Comm) soon(done func() (bool, error)) (bool, error) {
	limit, rest := spin, yield.Core
	if c.lib.Name() == nameHost {
		limit, rest = brief, runtime.Gosched
	}
	begun := time.Now()
	for n := 0; n < looks || time.Since(begun) < limit; n++ {
		if ok, err := done(); ok || err != nil {
			return ok, err
		}
		rest()
	}
	return false, nil
}

// await looks until done says so, after a while with growing pauses, as long as ctx allows,
// or Options.Timeout if it has no deadline.
func (c *Comm) await(ctx context.Context, done func() (bool, error)) error {
	begun := time.Now()
	if ok, err := c.soon(done); ok || err != nil {
		return err
	}
	ctx, cancel := bounded(ctx, c.timeout)
	defer cancel()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		timer.Reset(min(time.Since(begun)/share, longest))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return late(ctx)
		}
	}
}

// bounded gives ctx a deadline if it has none; nil is the background.
func bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if ctx == nil {
		ctx = context.Background()
	}
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w within %v (Options.Timeout and GOSHMEM_TIMEOUT, or a context with a deadline, allow more)", context.DeadlineExceeded, limit))
}

// settled waits until the library is done with what it has begun. What the library tells
// meanwhile is an error of the communicator, as is giving up: it is aborted. The caller has
// c.mu.
func (c *Comm) settled(ctx context.Context, op string) error {
	err := c.await(ctx, c.idle)
	if err == nil {
		err = c.learn()
	}
	if err != nil {
		return c.spoil(op, err, c)
	}
	return nil
}

// ask asks the library for the state, unless an abort has ended the communicator.
func (c *Comm) ask() error {
	c.asking.RLock()
	defer c.asking.RUnlock()
	if c.state.Load() == closed {
		return c.aborted()
	}
	return c.c.AsyncError()
}

// unasked is when no question is under way any more, and none comes; the state is closed.
func (c *Comm) unasked() {
	c.asking.Lock()
	defer c.asking.Unlock()
}

// idle says whether the library is done; an Abort meanwhile is an error.
func (c *Comm) idle() (bool, error) {
	err := c.ask()
	if errors.Is(err, ccl.ErrInProgress) {
		return false, nil
	}
	return err == nil, err
}

// aborted is the error of a call during which the communicator was aborted.
func (c *Comm) aborted() error {
	if e := c.fault.Load(); e != nil {
		return fmt.Errorf("aborted meanwhile: %w", e)
	}
	return problem(ErrClosed, "aborted meanwhile")
}

// spoil makes err the reason why the communicator is useless, and aborts it. The caller may
// have the lock of one communicator: held.
func (c *Comm) spoil(op string, err error, held *Comm) error {
	e := &Error{Op: op, Comm: c.String(), Err: c.located(err), Advice: advice(err)}
	c.family.blame(e)
	aborted := c.abort(held)
	told := *e // others read that one already
	told.Err = several(c.located(e.Err), aborted)
	return &told
}

// located adds to the error of a wait whose time was over where the ranks are, as far as the
// library knows.
func (c *Comm) located(err error) error {
	w, ok := c.c.(ccl.Witness)
	if !ok || !errors.Is(err, ErrTimeout) {
		return err
	}
	where := w.Where()
	if e := c.fault.Load(); e != nil && where == "" { // another one of this process was first
		return list{err, fmt.Errorf("aborted meanwhile: %w", e)}
	}
	if where == "" || strings.Contains(err.Error(), where) {
		return err
	}
	return fmt.Errorf("%w; %s", err, where)
}

// done is the error of a call whose result nobody waits for.
func done(err error) error {
	if errors.Is(err, ccl.ErrInProgress) {
		return nil
	}
	return err
}

// Err tells what has gone wrong since the last call (ncclCommGetAsyncError): another rank
// has ended, or the network has failed. The work in the streams then never ends; Abort ends
// it. It returns nil while all is well, and does not wait.
func (c *Comm) Err() error {
	const op = "async error"
	if err := c.usable(); err != nil {
		return c.fail(op, err)
	}
	if err := c.ask(); done(err) != nil {
		return c.fail(op, err)
	}
	return nil
}

// Synchronize waits until all work that was queued in a stream is done, and looks after
// the communicator meanwhile: if another rank ends, or ctx does, or without a deadline
// Options.Timeout is over, it aborts the communicator, so that the stream is released, and
// returns why. On the host library the error of a wait whose time was over says where all
// ranks are. A stream that is closed, captured or one of another device is refused, and
// nothing is aborted. A nil ctx is context.Background().
func (c *Comm) Synchronize(ctx context.Context, s *gpu.Stream) error {
	const op = "synchronize"
	if err := c.waitable(s); err != nil {
		return c.fail(op, err)
	}
	if s == nil {
		s = c.device.DefaultStream()
	}
	var wrong error
	look := func() (done bool, told error) {
		if done, told = s.Query(); errors.Is(told, gpu.ErrClosed) || errors.Is(told, gpu.ErrArgument) {
			wrong = told // the stream was closed, or its capture began, meanwhile
			return true, nil
		}
		if err := c.outcome(done); err != nil {
			told = err
		}
		return done, told
	}
	err := c.await(ctx, look)
	if err != nil {
		return c.spoil(op, err, nil)
	}
	return c.fail(op, wrong)
}

// waitable says why a stream is none that can be waited for.
func (c *Comm) waitable(s *gpu.Stream) error {
	if err := c.usable(); err != nil {
		return err
	}
	if _, err := s.On(c.device); err != nil {
		return err
	}
	if s != nil && s.Capturing() {
		return problem(ErrArgument, "the stream is being captured: nothing in it is done before a launch of the graph")
	}
	return nil
}

// outcome is what there is to say of the communicator while a stream is at work, and when it
// is done. An abort ends work as if it were done, or as a fault, and a fault in a stream may
// be one of another communicator, which the stream has told of already.
func (c *Comm) outcome(done bool) error {
	if !done || c.state.Load() == closed {
		_, err := c.idle()
		return err
	}
	if w, ok := c.c.(ccl.Witness); ok {
		return w.Failed()
	}
	return nil
}

// AbortOn aborts the communicator when ctx ends, from another goroutine: calls that wait
// return, and streams are released. stop takes that back, and says whether it was in time.
func (c *Comm) AbortOn(ctx context.Context) (stop func() bool) {
	if ctx == nil || c.usable() != nil {
		return func() bool { return false }
	}
	return context.AfterFunc(ctx, func() {
		_ = c.spoil("abort", late(ctx), nil) // whoever uses the communicator next is told
	})
}
