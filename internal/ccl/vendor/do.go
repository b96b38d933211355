package vendor

import (
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/nccl/raw"
)

// Do makes a call with the device current on the thread.
func (c *comm) Do(call *ccl.Call) error {
	before, err := c.dev.Enter()
	if err != nil {
		return err
	}
	err = c.do(c.handle(), call)
	c.dev.Leave(before)
	return err
}

func (c *comm) do(h raw.Comm, a *ccl.Call) error {
	r := c.lib.raw
	switch a.Kind {
	case ccl.AllReduce:
		return r.AllReduce(a.Send, a.Recv, a.Count, a.Type, a.Op, h, a.Stream)
	case ccl.AllReduceBias:
		return r.AllReduceWithBias(a.Send, a.Recv, a.Count, a.Type, a.Op, h, a.Stream, a.Bias)
	case ccl.Broadcast:
		return r.Broadcast(a.Send, a.Recv, a.Count, a.Type, a.Peer, h, a.Stream)
	case ccl.Reduce:
		return r.Reduce(a.Send, a.Recv, a.Count, a.Type, a.Op, a.Peer, h, a.Stream)
	case ccl.AllGather:
		return r.AllGather(a.Send, a.Recv, a.Count, a.Type, h, a.Stream)
	case ccl.ReduceScatter:
		return r.ReduceScatter(a.Send, a.Recv, a.Count, a.Type, a.Op, h, a.Stream)
	case ccl.Send:
		return r.Send(a.Send, a.Count, a.Type, a.Peer, h, a.Stream)
	case ccl.Recv:
		return r.Recv(a.Recv, a.Count, a.Type, a.Peer, h, a.Stream)
	}
	return c.newer(h, a)
}

// newer are calls that older libraries lack.
func (c *comm) newer(h raw.Comm, a *ccl.Call) error {
	r := c.lib.raw
	if !c.lib.native[a.Kind] {
		return c.exchange(h, a)
	}
	switch a.Kind {
	case ccl.AllToAll:
		return r.AlltoAll(a.Send, a.Recv, a.Count, a.Type, h, a.Stream)
	case ccl.Gather:
		return r.Gather(a.Send, a.Recv, a.Count, a.Type, a.Peer, h, a.Stream)
	case ccl.Scatter:
		return r.Scatter(a.Send, a.Recv, a.Count, a.Type, a.Peer, h, a.Stream)
	}
	v := a.Counts
	return r.AlltoAllv(a.Send, v.Send, v.SendAt, a.Recv, v.Recv, v.RecvAt, a.Type, h, a.Stream)
}

// exchange does by sends and receives what the library has no function for.
func (c *comm) exchange(h raw.Comm, a *ccl.Call) error {
	size, err := c.lib.raw.CommCount(h)
	if err != nil {
		return err
	}
	me, err := c.lib.raw.CommUserRank(h)
	if err != nil {
		return err
	}
	if err := c.lib.raw.GroupStart(); err != nil {
		return err
	}
	for peer := range size {
		if err = c.trade(h, a, me, peer); err != nil {
			break
		}
	}
	if ended := c.lib.raw.GroupEnd(); err == nil {
		err = ended
	}
	return err
}

// trade is what goes from this rank to a peer, and comes from it.
func (c *comm) trade(h raw.Comm, a *ccl.Call, me, peer int) error {
	elem := a.Type.Size()
	part := func(base uintptr, at int) uintptr { return base + uintptr(at)*elem }
	give, get := a.Count, a.Count
	from, to := part(a.Send, peer*a.Count), part(a.Recv, peer*a.Count)
	switch a.Kind {
	case ccl.Gather:
		from, give, get = a.Send, only(a.Count, peer == a.Peer), only(a.Count, me == a.Peer)
	case ccl.Scatter:
		to, give, get = a.Recv, only(a.Count, me == a.Peer), only(a.Count, peer == a.Peer)
	case ccl.AllToAllV:
		v := a.Counts
		give, get = v.Send[peer], v.Recv[peer]
		from, to = part(a.Send, v.SendAt[peer]), part(a.Recv, v.RecvAt[peer])
	}
	if me == peer && from == to { // in place
		return nil
	}
	if give > 0 {
		if err := c.lib.raw.Send(from, give, a.Type, peer, h, a.Stream); err != nil {
			return err
		}
	}
	if get > 0 {
		return c.lib.raw.Recv(to, get, a.Type, peer, h, a.Stream)
	}
	return nil
}

func only(n int, when bool) int {
	if when {
		return n
	}
	return 0
}
