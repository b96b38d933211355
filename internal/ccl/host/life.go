package host

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/ccl"
)

// Finalize completes what was called. A communicator that does not block tells by
// AsyncError when that is done.
func (c *Comm) Finalize() error {
	const call = "ncclCommFinalize"
	if err := c.usable(call); err != nil {
		return err
	}
	if c.blocking() {
		return c.finish(call)
	}
	c.aside(func() error { return c.finish(call) })
	return nil
}

// aside does something of which AsyncError tells when it is done, and why it has failed.
func (c *Comm) aside(f func() error) {
	c.mu.Lock()
	c.busy++
	c.mu.Unlock()
	go func() {
		err := f()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.busy--; c.err == nil {
			c.err = err
		}
	}()
}

func (c *Comm) finish(call string) error {
	err := c.drain(call)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	c.open.Store(false)
	return err
}

// Destroy completes what was called and gives the world back. It waits for no other rank.
func (c *Comm) Destroy() error {
	const call = "ncclCommDestroy"
	<-c.ready
	err := c.drain(call)
	if err != nil { // it cannot be waited for
		_ = c.fail(call, err)
		_ = c.drain(call) // of what is at work, which ends now
	}
	if failure := c.leave(call); err == nil {
		err = failure
	}
	return err
}

// Abort ends what is under way, on all ranks, and gives the world back.
func (c *Comm) Abort() error {
	const call = "ncclCommAbort"
	c.cancel()
	<-c.ready
	c.stop(call, fault(call, ccl.Remote, "rank %d aborted the communicator", c.place.Rank))
	if err := c.drain(call); err != nil {
		return err
	}
	return c.leave(call)
}

// stop ends the communicator for a reason of this rank's own.
func (c *Comm) stop(call string, why error) {
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
	_ = c.fail(call, why)
}

// leave gives the world back. More than once does no harm.
func (c *Comm) leave(call string) error {
	c.mu.Lock()
	w := c.world
	c.world, c.ended = nil, true
	c.open.Store(false)
	if c.err == nil {
		c.err = fault(call, ccl.InvalidUsage, "the communicator is destroyed")
	}
	c.mu.Unlock()
	c.cancel()
	if w == nil {
		return nil
	}
	c.l.streams.drop(c.place.Name, c.place.Rank)
	if err := w.close(); err != nil {
		return failed(call, ccl.System, err)
	}
	return nil
}

// Revoke ends what is under way. Afterwards the communicator can be split and shrunk, and
// must be destroyed.
func (c *Comm) Revoke() error {
	const call = "ncclCommRevoke"
	<-c.ready
	c.mu.Lock()
	again := c.revoked || c.ended
	c.revoked = true
	c.mu.Unlock()
	if again {
		return invalid(call, "the communicator is revoked or finalized already")
	}
	c.stop(call, fault(call, ccl.InvalidUsage, "rank %d revoked the communicator", c.place.Rank))
	return c.drain(call)
}

// String names the communicator in messages.
func (c *Comm) String() string {
	return fmt.Sprintf("rank %d of %d of a host communicator", c.place.Rank, c.place.Size)
}
