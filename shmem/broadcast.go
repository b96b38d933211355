package shmem

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
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
	if t.w.device == nil {
		return c.end(broadcast(c, dst, src, root))
	}
	return c.end(c.onDevice(engine.Collective{Kind: engine.KindBroadcast, Root: root, Dst: dst.off, Src: src.off, Bytes: dst.bytes()}, func() error {
		return inHeap(c, dst, src, func(dst, src Array[T]) (int, error) { return dst.n, broadcast(c, dst, src, root) })
	}))
}

func broadcast[T any](c *collective, dst, src Array[T], root int) error {
	n := dst.bytes()
	if c.way = c.t.wayFor(n); c.way != byHeap {
		return c.broadcastNear(dst.here(), src.here(), n, root)
	}
	if s, err := c.spreads(dst.off); s != nil {
		if err == nil {
			err = c.meetWith(src.off, n)
		}
		if err != nil {
			return err
		}
		return s.broadcast(root, dst.n)
	}
	if c.t.me != root {
		c.t.gate.Arrive(c.call)
		if err := c.await(root); err != nil {
			return err
		}
		if err := c.read(root, 0, dst.here(), n); err != nil {
			return err
		}
		return c.again(nobody)
	}
	if err := c.arrive(src.off, n); err != nil {
		return err
	}
	if err := c.awaitChecked(root); err != nil {
		return err
	}
	copyOwn(dst, src)
	return c.again(engine.All)
}

// broadcastNear is a broadcast of n bytes that go with the slip or over the stage: the
// root waits for nobody.
func (c *collective) broadcastNear(dst, src unsafe.Pointer, n uintptr, root int) error {
	if c.t.me != root {
		c.t.gate.Arrive(c.call)
		if err := c.await(root); err != nil {
			return err
		}
		return c.read(root, 0, dst, n)
	}
	if err := c.arriveWith(src, n); err != nil {
		return err
	}
	if dst != src {
		mem.Get(dst, src, n)
	}
	return c.awaitChecked(root)
}

// awaitChecked is await for a member that would not wait, in checked mode.
func (c *collective) awaitChecked(i int) error {
	if !c.t.w.info.Checked {
		return nil
	}
	return c.await(i)
}

// settle is the second meeting, where sources are read from the heap.
func (c *collective) settle(i int) error {
	if c.way != byHeap {
		return nil
	}
	return c.again(i)
}
