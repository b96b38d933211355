package perf

import (
	"context"
	"errors"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
	"github.com/goshmem/goshmem/shmem"
)

// library is package nccl on its host library: one rank for each PE.
type library struct {
	ctx    context.Context
	comm   *nccl.Comm
	stream *gpu.Stream
	memory [2]gpu.Slice[float32] // source and destination
	local  [2][]float32          // the same
}

// openLibrary makes the communicator with the first operation that needs it. Collective.
func (v *vectors) openLibrary(place string) error {
	if place != OnDevice && place != InSlices || v.library != nil {
		return nil
	}
	id, err := v.agree()
	if err != nil {
		return err
	}
	d, err := gpu.Open("host")
	if err != nil {
		return err
	}
	x := &library{ctx: v.ctx, stream: d.DefaultStream()}
	x.comm, err = nccl.Init(v.ctx, nccl.Options{ID: &id, Rank: v.w.MyPE(), Size: v.w.NPEs(), Device: d, Library: "host"})
	if err != nil {
		return err
	}
	for i := range x.memory {
		if x.memory[i], err = gpu.Alloc[float32](d, len(v.in)); err != nil {
			return err
		}
		if x.local[i], err = x.memory[i].Local(); err != nil {
			return err
		}
	}
	v.library = x
	return nil
}

// agree gives all PEs an id.
func (v *vectors) agree() (id nccl.UniqueID, err error) {
	shared, err := shmem.Alloc[byte](v.ctx, v.w, len(id))
	if err != nil {
		return id, err
	}
	local, err := shared.Local()
	if err == nil && v.w.MyPE() == 0 {
		id, err = nccl.NewUniqueID(nccl.Options{Library: "host"})
		copy(local, id[:])
	}
	if err = errors.Join(err, shmem.Broadcast(v.ctx, v.w.Team(), shared, shared, 0)); err != nil {
		return id, err
	}
	copy(id[:], local)
	return id, shared.Free(v.ctx)
}

// byLibrary is the collective by package nccl, and the wait for it.
func (p *part) byLibrary() (func() error, error) {
	if p.place == InSlices {
		return waited(p.library, p.op, nccl.Host(p.in), nccl.Host(p.out), p.w.MyPE() == 0), nil
	}
	src, err := p.library.memory[0].Slice(0, len(p.in))
	if err != nil {
		return nil, err
	}
	dst, err := p.library.memory[1].Slice(0, len(p.out))
	if err != nil {
		return nil, err
	}
	return waited(p.library, p.op, src, dst, p.w.MyPE() == 0), nil
}

// waited is a call on the default stream and the wait for it.
func waited[B nccl.Buffer](x *library, op string, src, dst B, root bool) func() error {
	c, s := x.comm, x.stream
	call := func() error { return nccl.ReduceScatter(c, src, dst, nccl.Sum, s) }
	switch op {
	case OpBroadcast:
		if root { // the peers' root has one vector, too
			dst = src
		}
		call = func() error { return nccl.Broadcast(c, src, dst, 0, s) }
	case OpFCollect:
		call = func() error { return nccl.AllGather(c, src, dst, s) }
	case OpAllToAll:
		call = func() error { return nccl.AllToAll(c, src, dst, s) }
	case OpAllReduce:
		call = func() error { return nccl.AllReduce(c, src, dst, nccl.Sum, s) }
	}
	return func() error {
		if err := call(); err != nil {
			return err
		}
		return s.Synchronize(x.ctx)
	}
}
