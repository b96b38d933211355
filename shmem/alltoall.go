package shmem

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
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
	c.way = t.wayFor(src.bytes())
	c.arrive(src.off, src.bytes())
	err = c.await(engine.All)
	part := src.n / len(t.members)
	for i := 0; i < len(t.members) && err == nil; i++ {
		m := c.turn(i)
		err = c.read(m, uintptr(t.me*part)*sizeOf[T](), unsafe.Add(t.w.own, dst.offset(m*part)), uintptr(part)*sizeOf[T]())
	}
	if err == nil {
		err = c.settle(engine.All)
	}
	return c.end(err)
}
