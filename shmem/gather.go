package shmem

import (
	"context"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// Gather puts src of all members together in dst of the member that is root, in team
// order. src has the same length everywhere; dst of the root has that times the number
// of members, that of others is not looked at. Blocking, collective over the team. MPI:
// MPI_Gather; NCCL: ncclGather.
func Gather[T any](ctx context.Context, t *Team, dst, src Array[T], root int) error {
	c, err := t.begin(ctx, engine.KindGather, form{size: sizeOf[T](), root: root, n: src.n}, t.checkGather(dst.span(), src.span(), dst.n, src.n, root))
	if err != nil {
		return err
	}
	if t.w.device == nil {
		return c.end(gather(c, dst, src, root))
	}
	if t.me != root {
		dst = Array[T]{}
	}
	return c.end(inHeap(c, dst, src, func(dst, src Array[T]) (int, error) { return dst.n, gather(c, dst, src, root) }))
}

func gather[T any](c *collective, dst, src Array[T], root int) error {
	c.way = c.t.wayFor(src.bytes())
	if err := c.arrive(src.off, src.bytes()); err != nil || c.t.me != root {
		return c.leaveTo(root, err)
	}
	if err := c.await(engine.All); err != nil {
		return err
	}
	for m := range c.t.members {
		if err := readInto(c, m, dst, m*src.n, src); err != nil {
			return err
		}
	}
	return c.settle(nobody)
}

// leaveTo is what a member does whose source only the root reads.
func (c *collective) leaveTo(root int, err error) error {
	if err != nil {
		return err
	}
	if err := c.awaitChecked(root); err != nil {
		return err
	}
	return c.settle(root)
}

// Scatter sends part i of src of the member that is root to dst of member i. dst has
// the same length everywhere; src of the root has that times the number of members,
// that of others is not looked at. Blocking, collective over the team. MPI:
// MPI_Scatter; NCCL: ncclScatter.
func Scatter[T any](ctx context.Context, t *Team, dst, src Array[T], root int) error {
	c, err := t.begin(ctx, engine.KindScatter, form{size: sizeOf[T](), root: root, n: dst.n}, t.checkScatter(dst.span(), src.span(), dst.n, src.n, root))
	if err != nil {
		return err
	}
	if t.w.device == nil {
		return c.end(scatter(c, dst, src, root))
	}
	if t.me != root {
		src = Array[T]{}
	}
	return c.end(inHeap(c, dst, src, func(dst, src Array[T]) (int, error) { return dst.n, scatter(c, dst, src, root) }))
}

func scatter[T any](c *collective, dst, src Array[T], root int) error {
	n := dst.bytes()
	readers := nobody
	if c.way = c.t.wayFor(n * uintptr(len(c.t.members))); c.t.me != root {
		c.t.gate.Arrive(c.call)
	} else if err := c.arrive(src.off, src.bytes()); err != nil {
		return err
	} else {
		readers = engine.All
	}
	if err := c.await(root); err != nil {
		return err
	}
	if err := c.read(root, uintptr(c.t.me)*n, dst.here(), n); err != nil {
		return err
	}
	return c.settle(readers)
}

// readInto copies all that member m has into dst from element at on. This PE's own part
// may be there already.
func readInto[T any](c *collective, m int, dst Array[T], at int, src Array[T]) error {
	part := Array[T]{dst.b, dst.offset(at), src.n}
	if m == c.t.me {
		copyOwn(part, src)
		return nil
	}
	return c.readLater(m, 0, part.here(), part.bytes())
}

func copyOwn[T any](dst, src Array[T]) {
	if dst.off != src.off {
		mem.Get(dst.here(), src.here(), src.bytes())
	}
}

// checkGather looks at dst on the root only.
func (t *Team) checkGather(dst, src span, whole, part, root int) error {
	err := t.rooted(root, nil)
	if err == nil && t != nil && t.me == root {
		return t.times(whole, part, t.pair(dst, src, t.mine(src.bytes)))
	}
	if err == nil {
		err = t.pair(src, src, 0)
	}
	return err
}

// checkScatter looks at src on the root only.
func (t *Team) checkScatter(dst, src span, part, whole, root int) error {
	err := t.rooted(root, nil)
	if err == nil && t != nil && t.me == root {
		return t.times(whole, part, t.pair(src, dst, t.mine(dst.bytes)))
	}
	if err == nil {
		err = t.pair(dst, dst, 0)
	}
	return err
}
