package shmem

import (
	"errors"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// What a member says of the collective that it was to queue on its device.
const (
	queued = iota
	unable // the engine cannot do it
)

// onDevice does a collective where the arrays are, or elsewhere if the engine cannot do it
// there. Before a member queues it all have come and have been asked the same; before any
// waits for its stream all have queued it.
func (c *collective) onDevice(d engine.Collective, elsewhere func() error) error {
	if c.t.group == nil || d.Bytes == 0 {
		return elsewhere()
	}
	alike, err := c.sameArrays(&d)
	if err != nil {
		return err
	}
	failed := error(device.ErrUnsupported)
	if alike {
		failed = c.t.queue(&d)
	}
	if failed != nil && !errors.Is(failed, device.ErrUnsupported) {
		return failed
	}
	done, err := c.allQueued(failed)
	if err != nil {
		return err
	}
	if done {
		return c.t.w.device.Finish(c.ctx, c.call, c.t.stream)
	}
	if err := c.reopen(); err != nil {
		return err
	}
	return elsewhere()
}

// sameArrays meets the others, compares what they were asked, and says whether the arrays
// are in the same place everywhere, as engines need it. This PE's own part of an array is
// not.
func (c *collective) sameArrays(d *engine.Collective) (bool, error) {
	if c.slip[1], c.slip[2] = uint64(d.Dst), uint64(d.Src); d.Kind == engine.KindReduce { // only the root has one
		c.slip[1] = 0
	}
	c.t.gate.Arrive(c.call)
	if err := c.await(engine.All); err != nil {
		return false, err
	}
	if err := c.compare(); err != nil {
		return false, err
	}
	for i := range c.t.members {
		if there := c.t.gate.Slip(i); there[1] != c.slip[1] || there[2] != c.slip[2] {
			return false, nil
		}
	}
	return true, nil
}

// queue puts a collective into the team's stream.
func (t *Team) queue(d *engine.Collective) error {
	if t.stream == 0 {
		var err error
		if t.stream, err = t.w.device.driver.NewStream(t.w.device.number, 0); err != nil {
			return err
		}
	}
	err := t.before(t.stream)
	if err == nil {
		err = t.group.CollectiveOn(t.stream, d)
	}
	t.after(nil, t.stream)
	return err
}

// allQueued meets the others and says whether all have queued what they were asked for.
func (c *collective) allQueued(failed error) (bool, error) {
	if err := c.reopen(); err != nil {
		return false, err
	}
	mine := uint64(queued)
	if failed != nil {
		mine = unable
	}
	c.slip[1] = mine
	c.t.gate.Arrive(c.call)
	if err := c.t.gate.Await(c.ctx, c.call, engine.All); err != nil {
		return false, err
	}
	for i, pe := range c.t.members {
		if c.t.gate.Slip(i)[1] != mine {
			return false, problem(ErrMismatch, "the engine can do this on PE %d or on PE %d, not on both", pe, c.t.w.rank)
		}
	}
	return mine == queued, nil
}
