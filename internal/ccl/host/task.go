package host

import (
	"errors"
	"sync"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
)

// task is what one call, or one group, has a stream do for a communicator.
type task struct {
	c       *Comm
	ticket  uint64
	replays bool // it is part of a graph: each run has a ticket of its own
	in      bool // its turn has come
	begun   bool
	err     error // of Start

	collectives []ccl.Call
	one         [1]ccl.Call // without a group
	pairs       pairs       // sends and receives
	others      *others     // streams of the group beside the one that the task is in
	work        collective

	free, near, over func() bool // of work and pairs, as values that cost nothing
}

func (c *Comm) newTask() *task {
	t := c.spare
	if t == nil {
		t = &task{c: c}
		t.work.c, t.pairs.c = c, c
		t.free, t.near, t.over = t.work.free, t.work.near, t.pairs.over
	}
	c.spare = nil
	return t
}

// again makes a task that is over one for the next call.
func (t *task) again() {
	t.in, t.begun, t.err = false, false, nil
	t.one[0].Held = ccl.Call{}.Held
	t.work.call = nil
	t.pairs.clear()
	t.c.spare = t
}

// Do enqueues a call, or adds it to the group of this thread.
func (c *Comm) Do(call *ccl.Call) error {
	if call.Kind >= ccl.Kinds {
		return invalid("Do", "there is no call %d", call.Kind)
	}
	if err := c.usable(names[call.Kind]); err != nil {
		return err
	}
	if err := c.known(call); err != nil {
		return err
	}
	if call.Counts != nil {
		call.Counts = copied(call.Counts)
	}
	if g := c.l.group(); g != nil {
		g.calls = append(g.calls, grouped{c, *call})
		return nil
	}
	t := c.newTask()
	t.collectives = t.one[:0]
	if call.Kind == ccl.Send || call.Kind == ccl.Recv {
		t.pairs.add(*call)
	} else {
		t.collectives = t.one[:]
		t.one[0].Copy(call)
	}
	return c.enqueue(t, call.Stream, true)
}

// enqueue gives a task to its stream.
func (c *Comm) enqueue(t *task, stream uintptr, eager bool) error {
	if err := c.claim(stream); err != nil {
		return err
	}
	t.ticket = c.issue()
	outcome, err := c.driver.Perform(c.device.Index, device.Handle(stream), t, eager)
	switch outcome {
	case devicehost.Refused:
		c.withdraw()
		t.others.end(err)
		return failed("Perform", ccl.InvalidUsage, err)
	case devicehost.Done:
		t.again()
	case devicehost.Captured:
		c.withdraw()
		t.replays = true
	}
	return nil
}

// claim makes a stream this rank's.
func (c *Comm) claim(stream uintptr) error {
	if c.claimed && c.lastStream == stream {
		return nil
	}
	user := c.l.streams.user(streamOf{c.place.Name, c.driver, c.device.Index, stream}, c.place.Rank)
	if user != c.place.Rank {
		return fault(callGroup, ccl.InvalidUsage, "ranks %d and %d use the same stream, on which one would be behind the other: give each rank of a process its own device or stream (GOSHMEM_HOST_DEVICES)", user, c.place.Rank)
	}
	c.claimed, c.lastStream = true, stream
	return nil
}

// Start begins a task of one collective, or of sends and receives, if its turn has come.
func (t *task) Start() (soon bool) {
	c := t.c
	if t.replays {
		t.in, t.begun, t.err = false, false, nil
		t.ticket = c.issue()
	}
	if t.in, t.err = c.enter(t.ticket, false); !t.in {
		return t.err != nil
	}
	switch {
	case t.others != nil:
		return false
	case len(t.collectives) == 0:
		t.begun = true
		t.pairs.begin()
		return c.world.heap.Soon(t.over)
	case len(t.collectives) > 1 || !t.pairs.empty():
		return false
	}
	if t.work.settle(&t.collectives[0]); !t.work.free() && !c.world.heap.Soon(t.free) {
		return false
	}
	t.begun = true
	if t.err = t.work.begin(); t.err != nil {
		return true
	}
	return c.world.heap.Soon(t.near)
}

// Run does what Start has left.
func (t *task) Run() error {
	c, err := t.c, t.err
	if err == nil && !t.in {
		t.in, err = c.enter(t.ticket, true)
	}
	if err == nil {
		err = t.meetOthers()
	}
	if err == nil {
		err = t.perform()
	}
	if err != nil {
		err = c.fail(t.name(), err)
	}
	t.others.end(err)
	c.exit(t.in)
	if err != nil {
		return news{err, c}
	}
	return nil
}

// meetOthers waits until all streams of the group have come to it.
func (t *task) meetOthers() error {
	if t.others == nil {
		return nil
	}
	select {
	case <-t.others.here:
		return nil
	case <-t.c.ctx.Done():
		return fault(callGroup, ccl.Remote, "aborted")
	}
}

// perform does the collectives, in their order, and meanwhile sends and receives.
func (t *task) perform() error {
	if t.pairs.empty() {
		return t.collect()
	}
	if len(t.collectives) == 0 {
		return t.pairs.finish(t.begun)
	}
	var wg sync.WaitGroup
	var failed error
	wg.Go(func() {
		if failed = t.pairs.finish(false); failed != nil {
			failed = t.c.fail(t.name(), failed) // so that the collectives end
		}
	})
	err := t.collect()
	if err != nil {
		err = t.c.fail(t.name(), err)
	}
	wg.Wait()
	return errors.Join(err, failed)
}

func (t *task) collect() error {
	for i := range t.collectives {
		if !t.begun {
			t.work.settle(&t.collectives[i])
			if err := t.work.begin(); err != nil {
				return err
			}
		}
		t.begun = false
		if err := t.work.finish(); err != nil {
			return err
		}
	}
	return nil
}

// Drop is what becomes of a task behind a fault of its stream: the others would wait. That
// another communicator has ended is none of this one's business.
func (t *task) Drop(fault error) error {
	if t.c.survives(fault) {
		t.Start()
		return t.Run()
	}
	if t.replays {
		t.ticket = t.c.issue()
	}
	t.others.end(t.c.fail(t.name(), fault))
	t.c.exit(false)
	return nil
}

// name is NCCL's of what the task does.
func (t *task) name() string {
	if len(t.collectives) > 0 {
		return names[t.collectives[0].Kind]
	}
	return t.pairs.name()
}
