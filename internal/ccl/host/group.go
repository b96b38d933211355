package host

import (
	"errors"
	"sync"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/device"
)

// group is what was called on a thread between GroupStart and GroupEnd.
type group struct {
	depth  int
	starts []*Comm // communicators to be made
	calls  []grouped
}

type grouped struct {
	c    *Comm
	call ccl.Call
}

// group returns the one that is open on this thread; nil if none is.
func (l *Library) group() *group {
	if l.many.Load() == 0 { // to ask for the thread would take longer than a small collective
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.groups[ccl.Thread()]
}

// GroupStart opens a group on this thread, or goes deeper into the one that is open.
func (l *Library) GroupStart() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	thread := ccl.Thread()
	g := l.groups[thread]
	if g == nil {
		g = &group{}
		l.groups[thread] = g
		l.many.Add(1)
	}
	g.depth++
	return nil
}

// leave goes one level out; the group is returned when it has ended.
func (l *Library) leave() (*group, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	thread := ccl.Thread()
	g := l.groups[thread]
	if g == nil {
		return nil, invalid(callGroup, "no group is open on this thread")
	}
	if g.depth--; g.depth > 0 {
		return nil, nil
	}
	delete(l.groups, thread)
	l.many.Add(-1)
	return g, nil
}

// GroupEnd makes the communicators that were begun in the group, all at the same time, and
// enqueues its calls.
func (l *Library) GroupEnd() error {
	g, err := l.leave()
	if g == nil || err != nil {
		return err
	}
	return errors.Join(g.begin(), g.enqueue())
}

// GroupSimulate drops the group. Nobody knows how long it would have taken.
func (l *Library) GroupSimulate() (microseconds float64, err error) {
	g, err := l.leave()
	if g != nil {
		for _, c := range g.starts {
			c.start(fault(callGroup, ccl.InvalidUsage, "the group was simulated: the communicator was not made"))
		}
	}
	return -1, err
}

// begin makes communicators, and waits for them if one of them wants that.
func (g *group) begin() error {
	var wg sync.WaitGroup
	blocking := len(g.starts) > 0
	for _, c := range g.starts {
		blocking = blocking && c.blocking()
		wg.Go(func() { c.start(nil) })
	}
	if len(g.starts) > 0 && !blocking {
		return ccl.ErrInProgress
	}
	wg.Wait()
	var errs []error
	for _, c := range g.starts {
		if c.initErr != nil {
			errs = append(errs, c.initErr)
		}
	}
	return errors.Join(errs...)
}

// enqueue gives each communicator a task with its calls.
func (g *group) enqueue() error {
	tasks, order := map[*Comm]*task{}, []*task{}
	streams := map[*task][]uintptr{}
	for _, in := range g.calls {
		t := tasks[in.c]
		if t == nil {
			t = in.c.newTask()
			t.collectives = nil
			tasks[in.c], order = t, append(order, t)
		}
		if in.call.Kind == ccl.Send || in.call.Kind == ccl.Recv {
			t.pairs.add(in.call)
		} else {
			t.collectives = append(t.collectives, in.call)
		}
		streams[t] = append(streams[t], in.call.Stream)
	}
	var errs []error
	for _, t := range order {
		errs = append(errs, t.spread(streams[t], len(order) == 1))
	}
	return errors.Join(errs...)
}

// spread enqueues a task in the first of its streams, and in each other one something that
// waits for it.
func (t *task) spread(streams []uintptr, alone bool) error {
	c := t.c
	rest := map[uintptr]bool{}
	for _, s := range streams {
		if s != streams[0] {
			rest[s] = true
		}
	}
	if len(rest) == 0 {
		return c.enqueue(t, streams[0], alone)
	}
	t.others = newOthers(c, len(rest))
	for s := range rest {
		if _, err := c.driver.Perform(c.device.Index, device.Handle(s), t.others, false); err != nil {
			return c.fail(callGroup, failed(callGroup, ccl.InvalidUsage, err))
		}
	}
	return c.enqueue(t, streams[0], false)
}

// others are the streams of a group that wait for the one with the task.
type others struct {
	c       *Comm
	mu      sync.Mutex
	missing int
	here    chan struct{} // all have come
	over    chan struct{} // the task is over
	err     error
}

func newOthers(c *Comm, n int) *others {
	return &others{c: c, missing: n, here: make(chan struct{}), over: make(chan struct{})}
}

// Start is never soon.
func (o *others) Start() bool { return false }

// Run waits in one of the streams.
func (o *others) Run() error {
	o.come()
	select {
	case <-o.over:
		return o.err
	case <-o.c.ctx.Done():
		return fault(callGroup, ccl.Remote, "aborted")
	}
}

// Drop lets the task go on, which does not depend on what is behind a fault.
func (o *others) Drop(error) error {
	o.come()
	return nil
}

func (o *others) come() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.missing--; o.missing == 0 {
		close(o.here)
	}
}

// end lets the streams go on.
func (o *others) end(err error) {
	if o != nil {
		o.err = err
		close(o.over)
	}
}
