package nccl

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/goshmem/goshmem/internal/ccl"
)

// family are the communicators of one process that were made together. The library wants
// them to end together: the first to be destroyed would wait for the last.
type family struct {
	mu       sync.Mutex
	members  []*Comm
	expected int               // members that are there or on their way
	children map[birth]*family // by what made them
	board    *board            // where they compare, in checked mode
	ending   bool
}

// expect announces a member, before the library hears of it: others may be ready, and be
// closed again, before it is added.
func (f *family) expect(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expected += n
}

// add makes c a member.
func (f *family) add(c *Comm) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members = append(f.members, c)
	c.family = f
}

// posts is the board of the family.
func (f *family) posts() *board {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.board == nil {
		f.board = newBoard()
	}
	return f.board
}

// blame makes e the reason why none of the members can be used.
func (f *family) blame(e *Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.members {
		m.fault.CompareAndSwap(nil, e)
	}
}

// birth is what communicators have in common that are made together: how, which in number
// of those that are made so, and the color. Who is left out of some does not count these.
type birth struct {
	how           string
	number, color int
}

// child is the family of what members make together.
func (f *family) child(key birth) *family {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.children == nil {
		f.children = map[birth]*family{}
	}
	if f.children[key] == nil {
		f.children[key] = &family{}
	}
	return f.children[key]
}

// complete returns all members when the last of them is to be closed, once.
func (f *family) complete() []*Comm {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ending || len(f.members) < f.expected {
		return nil
	}
	for _, m := range f.members {
		if m.state.Load() == live {
			return nil
		}
	}
	f.ending = true
	return f.members
}

// Close completes what was called on the communicator, waits for it up to Options.Timeout,
// and gives all back: operations, registrations and windows first, whose errors are
// returned, too (ncclCommFinalize, ncclCommDestroy). The communicators that one process has
// by InitAll, and what was split of them, end with the last one that is closed; the errors
// are that one's. More than once does no harm. After a failure it aborts. Collective.
func (c *Comm) Close() error {
	const op = "close"
	if c == nil || c.c == nil {
		return nil
	}
	if !c.state.CompareAndSwap(live, leaving) {
		return nil
	}
	return c.fail(op, closeAll(c.family.complete()))
}

// closeAll ends communicators together.
func closeAll(list []*Comm) error {
	var errs []error
	for _, c := range list {
		errs = append(errs, c.releaseAll())
	}
	errs = append(errs, together(list, (*Comm).begin))
	for _, c := range list {
		errs = append(errs, c.finalized())
	}
	return several(append(errs, together(list, (*Comm).destroy))...)
}

// together calls something for all communicators at the same time, each on a thread of its
// own: the library may have one wait for the other. One that does not come back is given
// up, with its thread.
func together(list []*Comm, call func(*Comm) error) error {
	if len(list) == 0 {
		return nil
	}
	results := make(chan error, len(list))
	for _, c := range list {
		go func() { results <- call(c) }()
	}
	timer := time.NewTimer(list[0].timeout)
	defer timer.Stop()
	var errs []error
	for range list {
		select {
		case err := <-results:
			errs = append(errs, err)
		case <-timer.C:
			return several(append(errs, problem(ErrTimeout, "the library has not come back within %v; its thread is given up", list[0].timeout))...)
		}
	}
	return several(errs...)
}

// releaseAll ends what belongs to the communicator.
func (c *Comm) releaseAll() error {
	c.mu.Lock()
	list := c.resources
	c.resources = nil
	c.mu.Unlock()
	var errs []error
	for i := len(list) - 1; i >= 0; i-- {
		errs = append(errs, done(list[i].release()))
	}
	return several(errs...)
}

// begin has the library complete what was called. What was revoked cannot be completed.
func (c *Comm) begin() error {
	if c.revoked.Load() || c.state.Load() == closed {
		return nil
	}
	if err := done(c.c.Finalize()); err != nil {
		return c.spoil("close", err, nil)
	}
	return nil
}

// finalized waits for it.
func (c *Comm) finalized() error {
	if c.revoked.Load() || c.state.Load() == closed {
		return nil
	}
	if err := c.await(context.Background(), c.idle); err != nil {
		return c.spoil("close", err, nil)
	}
	return nil
}

func (c *Comm) destroy() error {
	if c.state.Swap(closed) == closed {
		return nil
	}
	c.unasked()
	return several(done(c.c.Destroy()), c.checker.close(), c.barrier.Close()) // no barrier is under way any more
}

// patience is how long Abort waits for a call that is under way, and shortPatience for one of
// a communicator that blocks, which may never return by itself: the abort is what ends it.
const (
	patience      = time.Second
	shortPatience = 100 * time.Millisecond
)

// Abort ends what is under way at once, here and in the streams, and gives all back
// (ncclCommAbort). All communicators that this process has by the same InitAll, or split
// of these, end with it; ranks of other processes must abort, too. It may come at any time
// and from any goroutine, more than once does no harm.
func (c *Comm) Abort() error {
	if c == nil || c.c == nil {
		return nil
	}
	return c.fail("abort", c.abort(nil))
}

// abort ends all of the family that are left. The caller may have the lock of one: held.
func (c *Comm) abort(held *Comm) error {
	f := c.family
	f.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(f.members), func(m *Comm) bool { return m.state.Swap(closed) == closed })
	f.mu.Unlock()
	return together(list, func(m *Comm) error {
		if m != held {
			defer m.quiet()()
		}
		m.unasked()
		return several(done(m.c.Abort()), m.checker.close(), m.barrier.Close())
	})
}

// quiet waits a while for a call that is under way, and keeps others out.
func (c *Comm) quiet() (free func()) {
	limit := patience
	if c.blocks() {
		limit = shortPatience
	}
	for begun := time.Now(); time.Since(begun) < limit; time.Sleep(longest) {
		if c.mu.TryLock() {
			return c.mu.Unlock
		}
	}
	return func() {}
}

// Revoke ends what is under way without ending the communicator: it can be split, shrunk
// and closed, no more (ncclCommRevoke, NCCL 2.28.7). All ranks that are left call it.
func (c *Comm) Revoke() error {
	const op = "revoke"
	if err := c.absent(); err != nil {
		return c.fail(op, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil {
		return c.fail(op, err)
	}
	r, ok := c.c.(ccl.Revoker)
	if !ok {
		return c.fail(op, c.without("revoke"))
	}
	if err := c.begun(nil, op, r.Revoke()); err != nil {
		return c.fail(op, err)
	}
	c.revoked.Store(true)
	return nil
}

// without is the error of a library that has not the ability.
func (c *Comm) without(what string) error {
	return problem(ErrUnsupported, "library %s cannot %s", c.lib.Name(), what)
}
