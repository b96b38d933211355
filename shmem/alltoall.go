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
	part := dst.bytes() / uintptr(len(t.members))
	c.wayForParts(part)
	if err = c.arriveParts(src.off, part); err == nil {
		err = c.await(engine.All)
	}
	for i := 0; i < len(t.members) && err == nil; i++ {
		m := c.turn(i)
		to := unsafe.Add(dst.here(), uintptr(m)*part)
		if m == t.me {
			mem.Get(to, unsafe.Add(src.here(), uintptr(m)*part), part)
			continue
		}
		err = c.read(m, c.partAt(m, part), to, part)
	}
	if err == nil {
		err = c.settle(engine.All)
	}
	return c.end(err)
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
