package host

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/engine"
)

// What a communicator does is done in the order in which it was called, on whatever
// streams: all ranks must agree on what comes next.

// issue gives a task its ticket.
func (c *Comm) issue() uint64 {
	return c.issued.Add(1) - 1
}

// withdraw takes the latest ticket back.
func (c *Comm) withdraw() {
	c.issued.Add(^uint64(0))
	c.wake()
}

// wake has those look who wait.
func (c *Comm) wake() {
	if c.waiting.Load() > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.moved.Broadcast()
	}
}

// enter lets a ticket in whose turn it is; without wait it says so if it is not.
func (c *Comm) enter(ticket uint64, wait bool) (in bool, err error) {
	if wait && c.turn.Load() != 2*ticket {
		c.queue(func() bool { return c.turn.Load() == 2*ticket || !c.open.Load() })
	}
	in = c.turn.CompareAndSwap(2*ticket, 2*ticket+1) // before the look: who closes looks at it afterwards
	if c.open.Load() {
		return in, nil
	}
	if in {
		c.turn.Store(2 * ticket)
	}
	c.wake()
	return false, c.reason()
}

// reason is why nothing more is possible.
func (c *Comm) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		return fault(callGroup, ccl.InvalidUsage, "the communicator is finalized")
	}
	return c.err
}

// queue waits until ready says so.
func (c *Comm) queue(ready func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting.Add(1)
	defer c.waiting.Add(-1)
	for !ready() {
		c.moved.Wait()
	}
}

// exit ends a task; in says whether it was let in.
func (c *Comm) exit(in bool) {
	if in {
		c.turn.Add(1)
	}
	c.wake()
}

// fail ends the communicator for all ranks, and returns why it has ended: the first reason.
func (c *Comm) fail(call string, why error) error {
	coded := stalled(call, why)
	c.mu.Lock()
	first := c.err == nil
	if first {
		c.err = coded
	}
	c.open.Store(false)
	err, w := c.err, c.world
	c.moved.Broadcast()
	c.mu.Unlock()
	if !first || w == nil {
		return err
	}
	reason := why.Error()
	if own := (*ccl.Error)(nil); errors.As(why, &own) {
		reason = own.Text
	}
	if errors.Is(why, engine.ErrDied) || errors.Is(why, engine.ErrFailed) {
		reason = "" // another's
	} else if errors.Is(err, ccl.ErrInvalidUsage) && errors.Is(why, engine.ErrMismatch) {
		reason = disagree + reason
	}
	w.heap.Fail(reason, engine.Stays)
	return err
}

// news is a failure that waits to be told by a stream.
type news struct {
	error
	c *Comm
}

func (n news) Unwrap() error { return n.error }

// Stale says whether this rank has ended the communicator itself: then it knows.
func (n news) Stale() bool {
	n.c.mu.Lock()
	defer n.c.mu.Unlock()
	return n.c.stopped
}

// survives says whether a fault of a stream is the end of another communicator only: this
// one's work goes on, as it does on GPUs.
func (c *Comm) survives(fault error) bool {
	var n news
	return errors.As(fault, &n) && n.c != c
}

// Failed is why work of this rank has failed or was dropped.
func (c *Comm) Failed() error {
	if c.open.Load() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Where says in which call all ranks are, or who has not come to make the communicator.
func (c *Comm) Where() string {
	select {
	case <-c.ready:
	default:
		return ""
	}
	c.mu.Lock() // the world stays as long
	defer c.mu.Unlock()
	switch known := (*ccl.Error)(nil); {
	case c.world != nil:
		return ranks(c.world.heap.Where())
	case errors.As(c.initErr, &known):
		return known.Text
	}
	return ""
}

// drain waits until what was called is over; after a failure, until none of it is at work.
func (c *Comm) drain(call string) error {
	var late atomic.Bool
	timer := time.AfterFunc(c.limit, func() {
		late.Store(true)
		c.wake()
	})
	defer timer.Stop()
	idle := func() bool {
		turn := c.turn.Load()
		return turn%2 == 0 && (turn == 2*c.issued.Load() || !c.open.Load())
	}
	c.queue(func() bool { return late.Load() || idle() })
	if !idle() {
		where := c.Where()
		if where == "" {
			where = "its streams may wait for something else"
		}
		return fault(call, ccl.Timeout, "work of the communicator is not over after %v (Options.Timeout or GOSHMEM_TIMEOUT): %s", c.limit, where)
	}
	return nil
}
