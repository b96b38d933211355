package shmem

import (
	"context"

	"github.com/goshmem/goshmem/internal/engine"
)

// Broadcast copies src of the member that is root in the team to dst of all members,
// the root itself included. All arrays have the same length; dst may be src. It returns
// when this PE's arrays may be used again; others may still wait. Blocking, collective
// over the team. OpenSHMEM: shmem_broadcast, which leaves the root's dst as it is;
// NCCL: ncclBroadcast.
func Broadcast[T any](ctx context.Context, t *Team, dst, src Array[T], root int) error {
	c, err := t.begin(ctx, engine.KindBroadcast, form{size: sizeOf[T](), root: root, n: dst.n}, t.rooted(root, alike(dst.n, src.n, t.pair(dst.span(), src.span(), 0))))
	if err != nil {
		return err
	}
	return c.end(broadcast(c, dst, src, root))
}

func broadcast[T any](c *collective, dst, src Array[T], root int) error {
	n := dst.bytes()
	c.way = c.t.wayFor(n)
	if c.t.me != root {
		c.t.gate.Arrive(c.call)
		if err := c.await(root); err != nil {
			return err
		}
		if err := c.read(root, 0, dst.here(), n); err != nil {
			return err
		}
		return c.settle(nobody)
	}
	c.arrive(src.off, n)
	if c.t.w.info.Checked {
		if err := c.await(root); err != nil {
			return err
		}
	}
	copyOwn(dst, src)
	return c.settle(engine.All)
}

// settle is the second meeting, where sources are read from the heap.
func (c *collective) settle(i int) error {
	if c.way != byHeap {
		return nil
	}
	return c.again(i)
}
