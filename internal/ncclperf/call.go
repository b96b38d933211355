package ncclperf

import (
	"fmt"
	"slices"

	"github.com/goshmem/goshmem/nccl"
)

// job is one row: a size of a type, an operation and a root.
type job struct {
	test
	e       element
	op      string
	root    int
	count   int
	inPlace bool
}

// layout is where in a rank's memory the two sides of a job are, in bytes.
type layout struct {
	send, recv           int
	sendCount, recvCount int // elements; 0: the rank has none
}

// place puts the sides of a job into memory: out of place one after the other; in place
// the smaller is a part of the larger, where it belongs.
func (j job) place(me, ranks, half int) layout {
	l := layout{recv: half}
	l.sendCount, l.recvCount = j.elements(j.send, me, ranks), j.elements(j.recv, me, ranks)
	if !j.inPlace {
		return l
	}
	l.recv = 0
	index := me
	if j.rooted {
		index = j.root
	}
	part := index * j.count * j.e.size
	switch {
	case j.recv.perRank && !j.send.perRank && l.recvCount > 0:
		l.send = part
	case j.send.perRank && !j.recv.perRank && l.sendCount > 0:
		l.recv = part
	}
	return l
}

// elements is how many a side has.
func (j job) elements(s shape, me, ranks int) int {
	switch {
	case s.rootOnly && me != j.root:
		return 0
	case s.perRank:
		return j.count * ranks
	}
	return j.count
}

// call enqueues the job once.
func (r *rank) call(name string, j job, l layout) error {
	send, recv, err := r.sides(j, l)
	if err != nil {
		return err
	}
	op, err := r.operation(j)
	if err != nil {
		return err
	}
	switch c, s := r.comm, r.stream; name {
	case "all_reduce":
		return nccl.AllReduce(c, send, recv, op, s)
	case "all_gather":
		return nccl.AllGather(c, send, recv, s)
	case "reduce_scatter":
		return nccl.ReduceScatter(c, send, recv, op, s)
	case "broadcast":
		return nccl.Broadcast(c, send, recv, j.root, s)
	case "reduce":
		return nccl.Reduce(c, send, recv, op, j.root, s)
	case "alltoall":
		return nccl.AllToAll(c, send, recv, s)
	case "gather":
		return nccl.Gather(c, send, recv, j.root, s)
	case "scatter":
		return nccl.Scatter(c, send, recv, j.root, s)
	}
	return r.sendrecv(send, recv)
}

// sendrecv sends to the next rank and receives from the one before.
func (r *rank) sendrecv(send, recv nccl.Buffer) error {
	n, me := r.comm.Size(), r.comm.Rank()
	return nccl.Group(func() error {
		if err := nccl.Send(r.comm, send, (me+1)%n, r.stream); err != nil {
			return err
		}
		return nccl.Recv(r.comm, recv, (me+n-1)%n, r.stream)
	})
}

// sides are the two buffers of a job.
func (r *rank) sides(j job, l layout) (send, recv nccl.Buffer, err error) {
	if send, err = r.side(j, l.send, l.sendCount); err != nil {
		return nil, nil, err
	}
	recv, err = r.side(j, l.recv, l.recvCount)
	return send, recv, err
}

func (r *rank) side(j job, at, count int) (nccl.Buffer, error) {
	if count == 0 && j.count > 0 {
		return nccl.Nothing{}, nil
	}
	kind := nccl.DataType(slices.Index(typeNames(), j.e.name))
	return nccl.Raw{Address: r.all.Address() + uintptr(at), Count: count, Type: kind, Device: r.comm.Device()}, nil
}

// operation is that of a job; mulsum is one of the user's, made for each type.
func (r *rank) operation(j job) (nccl.Op, error) {
	switch i := slices.Index(opNames(), j.op); {
	case !j.reduces:
		return 0, nil
	case j.op == "mulsum":
		if r.odd == nil {
			return 0, fmt.Errorf("there is no operation for mulsum")
		}
		return r.odd.Op(), nil
	default:
		return nccl.Op(i), nil
	}
}
