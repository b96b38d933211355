package shmem

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// AllToAll sends part j of src to member j, which gets it as part i of dst, where i is
// this PE's number in the team. Both arrays have the same length, a multiple of the
// number of members; they must not overlap. Blocking, collective over the team.
// OpenSHMEM: shmem_alltoall; NCCL: ncclAlltoAll.
func AllToAll[T any](ctx context.Context, t *Team, dst, src Array[T]) error {
	c, err := t.begin(ctx, engine.KindAllToAll, form{size: sizeOf[T](), root: noRoot, n: src.n}, t.divided(src.n, alike(dst.n, src.n, t.pair(dst.span(), src.span(), apart))))
	if err != nil {
		return err
	}
	if t.w.device == nil {
		return c.end(allToAll(c, dst, src))
	}
	return c.end(c.onDevice(engine.Collective{Kind: engine.KindAllToAll, Dst: dst.off, Src: src.off, Bytes: dst.bytes() / uintptr(len(t.members))}, func() error {
		return inHeap(c, dst, src, func(dst, src Array[T]) (int, error) { return dst.n, allToAll(c, dst, src) })
	}))
}

func allToAll[T any](c *collective, dst, src Array[T]) error {
	part := dst.bytes() / uintptr(len(c.t.members))
	c.wayForParts(part)
	if err := c.arriveParts(src.off, part); err != nil {
		return err
	}
	if err := c.await(engine.All); err != nil {
		return err
	}
	for i := range c.t.members {
		m := c.turn(i)
		to := unsafe.Add(dst.here(), uintptr(m)*part)
		if m == c.t.me {
			mem.Get(to, unsafe.Add(src.here(), uintptr(m)*part), part)
		} else if err := c.readLater(m, c.partAt(m, part), to, part); err != nil {
			return err
		}
	}
	return c.settle(engine.All)
}

// wayForParts is wayFor where every member has a part for each. A slip need not take the
// one that stays.
func (c *collective) wayForParts(part uintptr) {
	members := uintptr(len(c.t.members))
	if c.way = bySlip; part*(members-1) > slipSize {
		c.way = c.t.wayFor(max(part*members, slipSize+1))
	}
}

// arriveParts is arrive where every member has a part for each.
func (c *collective) arriveParts(off engine.Offset, part uintptr) error {
	members, me := uintptr(len(c.t.members)), uintptr(c.t.me)
	if c.way != bySlip {
		return c.arrive(off, part*members)
	}
	from, to := unsafe.Add(c.t.w.own, off), unsafe.Pointer(&c.slip[1])
	mem.Put(to, from, part*me)
	mem.Put(unsafe.Add(to, part*me), unsafe.Add(from, part*(me+1)), part*(members-me-1))
	c.t.gate.Arrive(c.call)
	return nil
}

// partAt is where what member i has for this PE begins.
func (c *collective) partAt(i int, part uintptr) uintptr {
	if c.way == bySlip {
		return c.partIn(i, part)
	}
	return part * uintptr(c.t.me)
}
