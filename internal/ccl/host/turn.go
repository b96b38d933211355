package host

import (
	"errors"
	"time"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/engine"
)

// What a communicator does is done in the order in which it was called, on whatever
// streams: all ranks must agree on what comes next.

// issue gives a task its ticket.
func (c *Comm) issue() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending++
	c.issued++
	return c.issued - 1
}

// withdraw takes the latest ticket back.
func (c *Comm) withdraw() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending--
	c.issued--
}

// enter lets a ticket in whose turn it is; without wait it says so if it is not.
func (c *Comm) enter(ticket uint64, wait bool) (in bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for wait && c.err == nil && c.served != ticket {
		c.moved.Wait()
	}
	if c.err != nil || c.served != ticket {
		return false, c.err
	}
	c.active++
	return true, nil
}

// exit ends a task; in says whether it was let in.
func (c *Comm) exit(in bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if in {
		c.active--
		c.served++
	}
	c.pending--
	c.moved.Broadcast()
}

// fail ends the communicator for all ranks, and returns why it has ended: the first reason.
func (c *Comm) fail(call string, why error) error {
	coded := stalled(call, why)
	c.mu.Lock()
	first := c.err == nil
	if first {
		c.err = coded
	}
	err := c.err
	c.moved.Broadcast()
	c.mu.Unlock()
	if !first || c.world == nil {
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
	c.world.heap.Fail(reason, engine.Stays)
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

// drain waits until what was called is over; after a failure, until none of it is at work.
func (c *Comm) drain(call string) error {
	timer := time.AfterFunc(c.l.timeout, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.moved.Broadcast()
	})
	defer timer.Stop()
	deadline := time.Now().Add(c.l.timeout)
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.active > 0 || c.pending > 0 && c.err == nil {
		if !time.Now().Before(deadline) {
			return fault(call, ccl.Timeout, "work of the communicator is not over after %v (GOSHMEM_TIMEOUT): its streams may wait for something else", c.l.timeout)
		}
		c.moved.Wait()
	}
	return nil
}
