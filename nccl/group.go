package nccl

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/internal/ccl"
)

// group is what the goroutine of a Group has called in it.
type group struct {
	depth int
	comms []*Comm // in the order in which they came
	libs  []opened
}

// opened is a library whose group is open, and a device to end it on.
type opened struct {
	lib   ccl.Library
	place ccl.Device
}

// groups are those that are open, by the thread that they hold.
var groups struct {
	open atomic.Int32
	sync.Mutex
	by   map[int]*group
	free []*group
}

// grouped is the group that is open on this goroutine, or nil.
func grouped() *group {
	if groups.open.Load() == 0 {
		return nil
	}
	thread := ccl.Thread()
	groups.Lock()
	defer groups.Unlock()
	return groups.by[thread]
}

// openGroup opens one, or goes one deeper. The caller holds its thread.
func openGroup() *group {
	thread := ccl.Thread()
	groups.Lock()
	defer groups.Unlock()
	g := groups.by[thread]
	if g == nil {
		g = freeGroup()
		if groups.by == nil {
			groups.by = map[int]*group{}
		}
		groups.by[thread] = g
		groups.open.Add(1)
	}
	g.depth++
	return g
}

// freeGroup is one that nobody uses; groups is locked.
func freeGroup() *group {
	n := len(groups.free)
	if n == 0 {
		return &group{}
	}
	g := groups.free[n-1]
	groups.free = groups.free[:n-1]
	return g
}

// shut forgets the group.
func (g *group) shut() {
	groups.Lock()
	defer groups.Unlock()
	clear(g.comms)
	clear(g.libs)
	g.comms, g.libs = g.comms[:0], g.libs[:0]
	delete(groups.by, ccl.Thread())
	groups.free = append(groups.free, g)
	groups.open.Add(-1)
}

// Group makes the calls of f, of any number of communicators of this goroutine, one: their
// work starts when f has returned, and calls that depend on each other, such as a send and
// a receive, do not wait for each other. All of a group are made on the goroutine of f.
// Groups nest: the outermost counts. When f fails nothing is started, as far as the
// library can help it (NCCL 2.22), and the error is that of f; a panic of f ends the group
// so, too. A group cannot be left open. ncclGroupStart, ncclGroupEnd.
func Group(f func() error) error {
	if f == nil {
		return failed("group", problem(ErrArgument, "no function"))
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g := openGroup()
	if g.depth > 1 {
		defer func() { g.depth-- }()
		return f()
	}
	over := false
	defer func() {
		if !over { // a panic
			_, _ = g.end(true)
			g.forget()
		}
		g.depth--
		g.shut()
	}()
	err := f()
	over = true
	return g.conclude(err)
}

// conclude starts what the group has, unless f has failed.
func (g *group) conclude(failed error) error {
	if failed == nil {
		failed = g.verify()
	}
	_, err := g.guarded(failed != nil)
	if failed != nil {
		g.forget()
		return failed
	}
	if settled := g.settle(); err == nil || errors.Is(err, ccl.ErrInProgress) {
		return settled
	}
	return g.fail(err)
}

// Simulate runs f as Group does, starts nothing, and returns how long the library thinks
// that the last collective of f would take (NCCL 2.22). ncclGroupSimulateEnd.
func Simulate(f func() error) (time.Duration, error) {
	const op = "simulate"
	if f == nil {
		return 0, failed(op, problem(ErrArgument, "no function"))
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g := openGroup()
	defer func() {
		if g.depth--; g.depth == 0 {
			g.shut()
		}
	}()
	if g.depth > 1 {
		return 0, failed(op, problem(ErrArgument, "in a group, whose work would be lost"))
	}
	over := false
	defer func() {
		if !over {
			_, _ = g.end(true)
			g.forget()
		}
	}()
	err := f()
	over = true
	estimate, ended := g.end(true)
	g.forget()
	if err == nil {
		err = ended
	}
	if err == nil && estimate < 0 {
		err = problem(ErrUnsupported, "the library does not know")
	}
	return time.Duration(estimate * float64(time.Microsecond)), failed(op, err)
}

// enter has c in the group. The library's own group is opened with its first call.
func (g *group) enter(c *Comm) error {
	if !slices.Contains(g.comms, c) {
		if len(g.comms) > 0 && g.comms[0].blocks() != c.blocks() {
			return problem(ErrArgument, "communicators that block and others that do not are in one group")
		}
		g.comms = append(g.comms, c)
	}
	for i := range g.libs {
		if g.libs[i].lib == c.lib {
			return nil
		}
	}
	if err := c.lib.GroupStart(); err != nil {
		return err
	}
	g.libs = append(g.libs, opened{c.lib, c.place})
	return nil
}

// blocks says whether the library's calls come back only when they are done.
func (c *Comm) blocks() bool { return c.guard != nil }

// verify compares what all ranks have called, in checked mode.
func (g *group) verify() error {
	for _, c := range g.comms {
		c.checker.publish()
	}
	for _, c := range g.comms {
		if c.checker == nil {
			continue
		}
		ctx, cancel := bounded(context.Background(), c.timeout)
		err := c.checker.verify(ctx)
		cancel()
		if err != nil {
			return c.fail("group", err)
		}
	}
	return nil
}

// forget drops what was to be compared.
func (g *group) forget() {
	for _, c := range g.comms {
		c.checker.forget()
	}
}

// guarded is end, whose communicators are aborted if it does not come back.
func (g *group) guarded(drop bool) (estimate float64, err error) {
	for _, c := range g.comms {
		c.guard.begin()
	}
	estimate, err = g.end(drop)
	for _, c := range g.comms {
		c.guard.end()
		if err != nil && c.state.Load() == closed {
			err = c.aborted()
		}
	}
	return estimate, err
}

// end ends the groups of all libraries: with their work done, or dropped.
func (g *group) end(drop bool) (estimate float64, err error) {
	for _, o := range g.libs {
		before, entered := o.place.Enter()
		var ended error
		if drop {
			estimate, ended = o.lib.GroupSimulate()
		}
		if !drop || errors.Is(ended, ccl.ErrUnsupported) {
			ended = several(ended, o.lib.GroupEnd())
		}
		if entered == nil {
			o.place.Leave(before)
		}
		if err == nil || errors.Is(err, ccl.ErrInProgress) && ended != nil {
			err = ended
		}
	}
	return estimate, err
}

// settle waits until the communicators of the group are ready.
func (g *group) settle() error {
	var first error
	for i := 0; i < len(g.comms); i++ {
		c := g.comms[i]
		c.mu.Lock()
		err := c.settled(context.Background(), "group")
		c.mu.Unlock()
		if first == nil {
			first = err
		}
	}
	return first
}

// fail names a communicator of the group, if there is one only.
func (g *group) fail(err error) error {
	if len(g.comms) == 1 {
		return g.comms[0].fail("group", err)
	}
	return failed("group", err)
}
