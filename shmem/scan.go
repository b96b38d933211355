package shmem

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// InScan combines, element by element, src of the members up to and including this PE
// into dst. All arrays have the same length; dst may be src. Blocking, collective over
// the team. OpenSHMEM: shmem_sum_inscan.
func InScan[T Numeric](ctx context.Context, t *Team, dst, src Array[T], op Reduction[T]) error {
	return scan(ctx, t, engine.KindInScan, dst, src, op, 1)
}

// ExScan is InScan without this PE's own src. The first member gets what changes
// nothing: 0 of a sum, 1 of a product, the largest number of a minimum. Blocking,
// collective over the team. OpenSHMEM: shmem_sum_exscan.
func ExScan[T Numeric](ctx context.Context, t *Team, dst, src Array[T], op Reduction[T]) error {
	return scan(ctx, t, engine.KindExScan, dst, src, op, 0)
}

func scan[T Numeric](ctx context.Context, t *Team, kind engine.Kind, dst, src Array[T], op Reduction[T], own int) error {
	c, err := beginReduce(ctx, t, kind, op, noRoot, src.n, false, alike(dst.n, src.n, t.pair(dst.span(), src.span(), 0)))
	if err != nil {
		return err
	}
	if t.w.device == nil {
		return c.end(c.scan(dst.off, src.off, src.n, own))
	}
	return c.end(inHeap(c, dst, src, func(dst, src Array[T]) (int, error) { return dst.n, c.scan(dst.off, src.off, src.n, own) }))
}

// scan: what is short each member combines for itself; otherwise each member makes its
// share of all prefixes.
func (c *collective) scan(dst, src engine.Offset, n, own int) error {
	c.choose(uintptr(n) * c.form.size)
	c.slip[2] = c.second(dst)
	if err := c.meetWith(src, uintptr(n)*c.form.size); err != nil {
		return err
	}
	if c.way != byHeap {
		if members := c.t.me + own; members > 0 {
			return c.foldNear(dst, members, n)
		}
		reduce.Neutral(c.form.elem, c.form.op, unsafe.Add(c.t.w.own, dst), n)
		return nil
	}
	if err := c.prefixes(n, own); err != nil {
		return err
	}
	return c.again(engine.All)
}

// prefixes makes this PE's share of what all members get.
func (c *collective) prefixes(n, own int) error {
	lo, hi := c.share(n)
	if lo == hi {
		return nil
	}
	if err := c.compare(); err != nil {
		return err
	}
	f := c.t.prepare()
	return c.inRooms(lo, hi, func(result unsafe.Pointer, at, n int) error {
		for i := range c.t.members {
			if i+own > 0 {
				reduce.Fold(c.form.elem, c.form.op, result, f.rooms[:i+own], n, f.scratch)
			} else {
				reduce.Neutral(c.form.elem, c.form.op, result, n)
			}
			if err := c.t.push(i, c.offset(i, 2, at), result, uintptr(n)*c.form.size); err != nil {
				return err
			}
		}
		return nil
	})
}
