package nccl

import (
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
)

// AllReduce combines the elements at the same place of all ranks' send, and gives the
// result to all in recv. Both have the same length; in place: the same memory. It returns
// when the work is in the stream. Collective. ncclAllReduce.
func AllReduce[S, R Buffer](c *Comm, send S, recv R, op Op, s *gpu.Stream) error {
	var from, to ccl.Buffer
	return c.collective(ccl.AllReduce, as(send, &from), as(recv, &to), op, 0, s)
}

// AllReduceBias is AllReduce whose result has the elements of bias added, which is as long.
// RCCL and the host library have it. Collective. ncclAllReduceWithBias.
func AllReduceBias[S, R, B Buffer](c *Comm, send S, recv R, bias B, op Op, s *gpu.Stream) error {
	var from, to, more ccl.Buffer
	return c.biased(as(send, &from), as(recv, &to), as(bias, &more), op, s)
}

// Broadcast copies the root's send into all ranks' recv, which is as long; in place: the
// same memory. On other ranks send may be Nothing. It returns when the work is in the
// stream. Collective. ncclBroadcast.
func Broadcast[S, R Buffer](c *Comm, send S, recv R, root int, s *gpu.Stream) error {
	var from, to ccl.Buffer
	return c.collective(ccl.Broadcast, as(send, &from), as(recv, &to), Sum, root, s)
}

// Reduce is AllReduce with the result for the root only: on other ranks recv may be
// Nothing. Collective. ncclReduce.
func Reduce[S, R Buffer](c *Comm, send S, recv R, op Op, root int, s *gpu.Stream) error {
	var from, to ccl.Buffer
	return c.collective(ccl.Reduce, as(send, &from), as(recv, &to), op, root, s)
}

// AllGather puts the ranks' send one after the other into all ranks' recv, which is Size
// times as long. In place: send is the rank's part of recv. It returns when the work is in
// the stream. Collective. ncclAllGather.
func AllGather[S, R Buffer](c *Comm, send S, recv R, s *gpu.Stream) error {
	var from, to ccl.Buffer
	return c.collective(ccl.AllGather, as(send, &from), as(recv, &to), Sum, 0, s)
}

// ReduceScatter combines the elements at the same place of all ranks' send, and gives rank
// i the i-th part of the result in recv: send is Size times as long. In place: recv is the
// rank's part of send. It returns when the work is in the stream. Collective.
// ncclReduceScatter.
func ReduceScatter[S, R Buffer](c *Comm, send S, recv R, op Op, s *gpu.Stream) error {
	var from, to ccl.Buffer
	return c.collective(ccl.ReduceScatter, as(send, &from), as(recv, &to), op, 0, s)
}

// AllToAll gives the i-th part of send to rank i, which has it in recv at this rank's
// place. Both have the same length, a multiple of Size, and share no memory. It returns
// when the work is in the stream. Collective. ncclAlltoAll (2.28; sends and receives on
// older libraries).
func AllToAll[S, R Buffer](c *Comm, send S, recv R, s *gpu.Stream) error {
	var from, to ccl.Buffer
	return c.collective(ccl.AllToAll, as(send, &from), as(recv, &to), Sum, 0, s)
}

// Counts say for [AllToAllV] what goes to each rank, and comes from it: how many elements,
// and where they begin.
type Counts = ccl.Counts

// AllToAllV gives counts.Send[i] elements from counts.SendAt[i] of send on to rank i, and
// puts what rank i gives, counts.Recv[i] elements, from counts.RecvAt[i] of recv on. What
// one gives is what the other expects. The memory is not shared. counts can be used again
// when the call, or in a group its end, has returned. Collective. ncclAlltoAllv of RCCL;
// sends and receives on NCCL.
func AllToAllV[S, R Buffer](c *Comm, send S, recv R, counts *Counts, s *gpu.Stream) error {
	var from, to ccl.Buffer
	return c.allToAllV(as(send, &from), as(recv, &to), counts, s)
}

// Gather puts the ranks' send one after the other into the root's recv, which is Size times
// as long. In place: send is the root's part of recv. On other ranks recv may be Nothing.
// Collective. ncclGather (2.28; sends and receives on older libraries).
func Gather[S, R Buffer](c *Comm, send S, recv R, root int, s *gpu.Stream) error {
	var from, to ccl.Buffer
	return c.collective(ccl.Gather, as(send, &from), as(recv, &to), Sum, root, s)
}

// Scatter gives rank i the i-th part of the root's send, which is Size times as long as
// recv. In place: recv is the root's part of send. On other ranks send may be Nothing.
// Collective. ncclScatter (2.28; sends and receives on older libraries).
func Scatter[S, R Buffer](c *Comm, send S, recv R, root int, s *gpu.Stream) error {
	var from, to ccl.Buffer
	return c.collective(ccl.Scatter, as(send, &from), as(recv, &to), Sum, root, s)
}

// Send gives all of x to a peer, which calls Recv with as many elements. The stream waits
// for the peer: sends and receives that depend on each other belong into a Group. ncclSend.
func Send[B Buffer](c *Comm, x B, peer int, s *gpu.Stream) error {
	var from ccl.Buffer
	return c.collective(ccl.Send, as(x, &from), nil, Sum, peer, s)
}

// Recv fills x with what a peer sends. ncclRecv.
func Recv[B Buffer](c *Comm, x B, peer int, s *gpu.Stream) error {
	var to ccl.Buffer
	return c.collective(ccl.Recv, nil, as(x, &to), Sum, peer, s)
}

// Barrier has later work of the stream wait until all ranks' streams have come here: it is
// an AllReduce of one element. The first one allocates that. Collective.
func Barrier(c *Comm, s *gpu.Stream) error {
	x, err := c.token()
	if err != nil {
		return c.fail("barrier", err)
	}
	return AllReduce(c, x, x, Max, s)
}

// token is the element of barriers.
func (c *Comm) token() (gpu.Slice[int32], error) {
	if err := c.usable(); err != nil {
		return gpu.Slice[int32]{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.barrier.Len() == 0 {
		x, err := gpu.Alloc[int32](c.device, 1)
		if err != nil {
			return x, err
		}
		c.barrier = x
		if err := x.CopyFrom([]int32{0}, nil); err != nil {
			return x, err
		}
	}
	return c.barrier, nil
}
