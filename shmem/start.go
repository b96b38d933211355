package shmem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/engine"
)

// Handle is a collective that was started and goes on by itself. Collectives of a team
// happen in the order in which a PE calls and starts them: a blocking one first waits
// for those started before it. So all members must call and start them in the same
// order; on different teams several may be under way at once. Arrays must stay as they
// are until Wait has returned. Finalize and Destroy wait for what was started before;
// Finalize returns an error that neither Wait nor Test has told.
//
// Arguments are looked at when the collective has its turn, as in a blocking one: so all
// members learn of a wrong one. Errors of what was started have the line that started it.
type Handle struct {
	done   chan struct{}
	cancel context.CancelFunc
	err    error
	told   atomic.Bool // the program knows how it ended, or has given it up
	site   string      // where it was started
	w      *World
}

// Wait returns when the collective is complete on this PE. If ctx ends first the
// collective is given up, for all members, and so is what was started on the team before
// it and is not complete. May be called more than once. Blocking.
func (h *Handle) Wait(ctx context.Context) error {
	if h == nil {
		return fail(nil, "wait", noPeer, problem(ErrArgument, "the handle is nil: nothing was started"))
	}
	defer h.told.Store(true)
	select {
	case <-h.done:
		return h.err
	case <-orBackground(ctx).Done():
	}
	h.cancel()
	<-h.done
	switch {
	case !errors.Is(h.err, context.Canceled):
		return h.err
	case ctx.Err() == context.DeadlineExceeded:
		return fail(h.w, "wait", noPeer, fmt.Errorf("%w (%w): %w", ErrTimeout, ctx.Err(), h.why()))
	}
	return fail(h.w, "wait", noPeer, h.why())
}

// why is the error of the collective, for another call that names itself.
func (h *Handle) why() error {
	if e := (*Error)(nil); errors.As(h.err, &e) {
		return fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	return h.err
}

// Test says whether the collective is complete on this PE, and its error if it is. It
// never waits.
func (h *Handle) Test() (bool, error) {
	if h == nil {
		return false, fail(nil, "test", noPeer, problem(ErrArgument, "the handle is nil: nothing was started"))
	}
	select {
	case <-h.done:
		h.told.Store(true)
		return true, h.err
	default:
		return false, nil
	}
}

// started is in the context of a started collective: whose turn it is on its team.
type started struct {
	t    *Team
	site string // where it was started
}

type startedKey struct{}

// startedAt is where a collective of the team was started; "" if it was not, or if
// nobody wants to know.
func (t *Team) startedAt(ctx context.Context) string {
	if t.last.Load() == nil || ctx == nil {
		return ""
	}
	if now, ok := ctx.Value(startedKey{}).(started); ok && now.t == t {
		return now.site
	}
	return ""
}

// start runs f after what was called and started on the team before.
func (t *Team) start(op string, f func(ctx context.Context) error) (*Handle, error) {
	if t == nil {
		return nil, fail(nil, op, noPeer, ErrNotMember)
	}
	if s := t.state.Load(); s != live {
		return nil, fail(t.w, op, noPeer, t.gone(s))
	}
	site := engine.Site()
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), startedKey{}, started{t, site}))
	h := &Handle{done: make(chan struct{}), cancel: cancel, site: site, w: t.w}
	before := t.last.Swap(h)
	go func() {
		defer close(h.done)
		defer cancel()
		if before != nil {
			before.finish(ctx)
		}
		h.end(f(ctx))
	}()
	return h, nil
}

// end notes how the collective has ended on this PE.
func (h *Handle) end(err error) {
	if h.err = err; err == nil {
		return
	}
	if e, ok := err.(*Error); ok {
		e.Site = cmp.Or(e.Site, h.site)
	}
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	h.w.failed = append(slices.DeleteFunc(h.w.failed, func(other *Handle) bool { return other.told.Load() }), h)
}

// untold returns the error of the first collective that failed without anybody asking
// how it ended.
func (w *World) untold() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.failed {
		if !h.told.Load() {
			return fail(w, "finalize", noPeer, fmt.Errorf("nobody waited for what was started at %s: %w", h.site, h.err))
		}
	}
	return nil
}

// finish waits until h is complete. If ctx ends first h is given up: what comes after
// it could not go on either.
func (h *Handle) finish(ctx context.Context) {
	select {
	case <-h.done:
	case <-ctx.Done():
		h.told.Store(true)
		h.cancel()
		<-h.done
	}
}

// waitForStarted returns when what was started on the team before is complete. Their
// errors are those of their handles.
func (t *Team) waitForStarted(ctx context.Context) error {
	h := t.last.Load()
	if now, ok := ctx.Value(startedKey{}).(started); h == nil || ok && now.t == t {
		return nil
	}
	select {
	case <-h.done:
		t.last.CompareAndSwap(h, nil)
		return nil
	case <-ctx.Done():
		return fmt.Errorf("for a collective that was started before: %w", ctx.Err())
	}
}

// StartBroadcast starts a [Broadcast]. It does not wait; collective over the team. MPI:
// MPI_Ibcast.
func StartBroadcast[T any](t *Team, dst, src Array[T], root int) (*Handle, error) {
	return t.start("start broadcast", func(ctx context.Context) error { return Broadcast(ctx, t, dst, src, root) })
}

// StartFCollect starts an [FCollect]. It does not wait; collective over the team. MPI:
// MPI_Iallgather.
func StartFCollect[T any](t *Team, dst, src Array[T]) (*Handle, error) {
	return t.start("start fcollect", func(ctx context.Context) error { return FCollect(ctx, t, dst, src) })
}

// StartAllToAll starts an [AllToAll]. It does not wait; collective over the team. MPI:
// MPI_Ialltoall.
func StartAllToAll[T any](t *Team, dst, src Array[T]) (*Handle, error) {
	return t.start("start alltoall", func(ctx context.Context) error { return AllToAll(ctx, t, dst, src) })
}

// StartAllReduce starts an [AllReduce]. It does not wait; collective over the team. MPI:
// MPI_Iallreduce.
func StartAllReduce[T Numeric](t *Team, dst, src Array[T], op Reduction[T]) (*Handle, error) {
	return t.start("start allreduce", func(ctx context.Context) error { return AllReduce(ctx, t, dst, src, op) })
}

// StartReduce starts a [Reduce]. It does not wait; collective over the team. MPI:
// MPI_Ireduce.
func StartReduce[T Numeric](t *Team, dst, src Array[T], op Reduction[T], root int) (*Handle, error) {
	return t.start("start reduce", func(ctx context.Context) error { return Reduce(ctx, t, dst, src, op, root) })
}

// StartReduceScatter starts a [ReduceScatter]. It does not wait; collective over the
// team. MPI: MPI_Ireduce_scatter_block.
func StartReduceScatter[T Numeric](t *Team, dst, src Array[T], op Reduction[T]) (*Handle, error) {
	return t.start("start reduce scatter", func(ctx context.Context) error { return ReduceScatter(ctx, t, dst, src, op) })
}

// StartBarrier starts a [Team.Barrier]. It does not wait; collective over the team. MPI:
// MPI_Ibarrier.
func StartBarrier(t *Team) (*Handle, error) {
	return t.start("start barrier", t.Barrier)
}
