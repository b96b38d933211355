package nccl

import (
	"context"
	"errors"
	"unsafe"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/mem"
)

// collective checks a call and makes it.
func (c *Comm) collective(kind ccl.Kind, send, recv *ccl.Buffer, op Op, peer int, s *gpu.Stream) error {
	if err := c.usable(); err != nil {
		return c.fail(kind.String(), err)
	}
	call := ccl.Call{Kind: kind, Peer: peer}
	err := c.shape(&call, send, recv)
	if err == nil {
		err = c.operation(&call, op)
	}
	return c.launch(&call, s, err)
}

func (c *Comm) biased(send, recv, bias *ccl.Buffer, op Op, s *gpu.Stream) error {
	const kind = ccl.AllReduceBias
	if err := c.usable(); err != nil {
		return c.fail(kind.String(), err)
	}
	call := ccl.Call{Kind: kind}
	err := c.shape(&call, send, recv)
	if err == nil {
		err = c.bias(&call, recv, bias)
	}
	if err == nil {
		err = c.operation(&call, op)
	}
	return c.launch(&call, s, err)
}

func (c *Comm) allToAllV(send, recv *ccl.Buffer, counts *Counts, s *gpu.Stream) error {
	const kind = ccl.AllToAllV
	if err := c.usable(); err != nil {
		return c.fail(kind.String(), err)
	}
	call := ccl.Call{Kind: kind, Counts: counts}
	err := c.shape(&call, send, recv)
	if err == nil {
		err = c.counts(&call, send, recv)
	}
	return c.launch(&call, s, err)
}

// launch gives a call to the library, unless something is wrong with it. What the library
// has only begun, such as a connection, is waited for here, or at the end of the group.
func (c *Comm) launch(call *ccl.Call, s *gpu.Stream, wrong error) error {
	if wrong == nil {
		wrong = c.lib.Lacks(call.Kind)
	}
	if wrong == nil {
		h, err := s.On(c.device)
		call.Stream, wrong = uintptr(h), err
	}
	if wrong == nil {
		wrong = c.make(call)
	}
	if wrong == nil {
		return nil
	}
	return c.fail(call.Kind.String(), wrong)
}

func (c *Comm) make(call *ccl.Call) error {
	g := grouped()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.guard.begin()
	defer c.guard.end()
	if err := c.usable(); err != nil {
		return err
	}
	if g != nil {
		if err := g.enter(c); err != nil {
			return err
		}
	}
	if c.checker != nil {
		if err := c.compare(g, call); err != nil {
			return err
		}
	}
	return c.begun(g, call.Kind.String(), c.c.Do((*ccl.Call)(mem.Hide(unsafe.Pointer(call)))))
}

// begun is the error of what the library has begun. c.mu is held.
func (c *Comm) begun(g *group, op string, err error) error {
	switch {
	case err == nil, errors.Is(err, ccl.ErrInProgress) && g != nil:
		return nil
	case c.state.Load() == closed: // it came back since it was aborted
		return c.aborted()
	case errors.Is(err, ccl.ErrInProgress):
		return c.settled(context.Background(), op)
	}
	return err
}

// compare has all ranks compare the call, in a group at its end.
func (c *Comm) compare(g *group, call *ccl.Call) error {
	c.checker.post(*call)
	if g != nil {
		return nil
	}
	c.checker.publish()
	ctx, cancel := bounded(context.Background(), c.timeout)
	defer cancel()
	return c.checker.verify(ctx)
}
