package shmem

import (
	"context"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// AllReduce combines src of all members element by element and puts the result into dst
// of all members: the same bits everywhere, and in every run. All arrays have the same
// length; dst may be src. Blocking, collective over the team. OpenSHMEM:
// shmem_sum_reduce and the like; NCCL: ncclAllReduce.
func AllReduce[T Numeric](ctx context.Context, t *Team, dst, src Array[T], op Reduction[T]) error {
	c, err := beginReduce(ctx, t, engine.KindAllReduce, op, noRoot, src.n, false, alike(dst.n, src.n, t.pair(dst.span(), src.span(), 0)))
	if err != nil {
		return err
	}
	if t.w.device == nil {
		return c.end(c.allReduce(dst.off, src.off, src.n))
	}
	return c.end(c.onDevice(c.reduction(dst.off, src.off, src.bytes()), func() error {
		return inHeap(c, dst, src, func(dst, src Array[T]) (int, error) { return dst.n, c.allReduce(dst.off, src.off, src.n) })
	}))
}

// Reduce is AllReduce with the result on the member that is root only; dst of others is
// not looked at. Blocking, collective over the team. MPI: MPI_Reduce; NCCL: ncclReduce.
func Reduce[T Numeric](ctx context.Context, t *Team, dst, src Array[T], op Reduction[T], root int) error {
	c, err := beginReduce(ctx, t, engine.KindReduce, op, root, src.n, false, t.checkReduce(dst.span(), src.span(), dst.n, src.n, root))
	if err != nil {
		return err
	}
	if t.w.device == nil {
		return c.end(c.reduceTo(root, dst.off, src.off, src.n))
	}
	if t.me != root {
		dst = Array[T]{}
	}
	return c.end(c.onDevice(c.reduction(dst.off, src.off, src.bytes()), func() error {
		return inHeap(c, dst, src, func(dst, src Array[T]) (int, error) { return dst.n, c.reduceTo(root, dst.off, src.off, src.n) })
	}))
}

// ReduceScatter combines src of all members and puts part i of the result into dst of
// member i. dst has the same length everywhere, src that times the number of members;
// dst may be this PE's own part of src. Blocking, collective over the team. rocSHMEM:
// rocshmem_ctx_TYPE_OP_reduce_scatter; NCCL: ncclReduceScatter.
func ReduceScatter[T Numeric](ctx context.Context, t *Team, dst, src Array[T], op Reduction[T]) error {
	c, err := beginReduce(ctx, t, engine.KindReduceScatter, op, noRoot, src.n, false, t.times(src.n, dst.n, t.pair(src.span(), dst.span(), t.mine(dst.bytes()))))
	if err != nil {
		return err
	}
	if t.w.device == nil {
		return c.end(c.reduceScatter(dst.off, src.off, dst.n, src.n))
	}
	return c.end(c.onDevice(c.reduction(dst.off, src.off, dst.bytes()), func() error {
		return inHeap(c, dst, src, func(dst, src Array[T]) (int, error) {
			return dst.n, c.reduceScatter(dst.off, src.off, dst.n, src.n)
		})
	}))
}

// reduction is the collective as an engine knows it.
func (c *collective) reduction(dst, src engine.Offset, n uintptr) engine.Collective {
	return engine.Collective{Kind: c.form.kind, Root: c.form.root, Dst: dst, Src: src, Bytes: n, Elem: c.form.elem, Op: c.form.op, Exact: true}
}

func beginReduce[T Numeric](ctx context.Context, t *Team, kind engine.Kind, op Reduction[T], root, n int, slices bool, invalid error) (*collective, error) {
	var v T
	f := form{size: sizeOf[T](), root: root, n: n, reduces: true, slices: slices, elem: elementOf[T]()}
	var asked Operation
	if op != nil {
		asked = op(v)
	}
	if f.op = asked.op; !asked.real {
		invalid = problem(ErrArgument, "no operation: use Sum, Prod, Min, Max, And, Or or Xor")
	} else if !reduce.Has(f.elem, f.op) {
		invalid = problem(ErrArgument, "%v has no %v", f.elem, f.op)
	}
	return t.begin(ctx, kind, f, invalid)
}

// checkReduce looks at dst on the root only.
func (t *Team) checkReduce(dst, src span, to, from, root int) error {
	err := t.rooted(root, nil)
	if err == nil && t != nil && t.me == root {
		return alike(to, from, t.pair(dst, src, 0))
	}
	if err == nil {
		err = t.pair(src, src, 0)
	}
	return err
}

// allReduce: what is short every member combines for itself. Otherwise each combines its
// share and writes it to all.
func (c *collective) allReduce(dst, src engine.Offset, n int) error {
	size := c.form.size
	c.choose(uintptr(n) * size)
	c.slip[2] = c.second(dst)
	r, bed, err := c.rises()
	if err != nil {
		return err
	}
	if err := c.meetWith(src, uintptr(n)*size); err != nil {
		return err
	}
	switch {
	case r != nil:
		return c.reduceOver(r, bed, n, nil)
	case c.way != byHeap:
		return c.foldNear(dst, len(c.t.members), n)
	}
	if err := c.foldShare(n, 0, len(c.t.members)); err != nil {
		return err
	}
	return c.again(engine.All)
}

// reduceTo is allReduce with one destination.
func (c *collective) reduceTo(root int, dst, src engine.Offset, n int) error {
	size := c.form.size
	c.choose(uintptr(n) * size)
	c.slip[2] = c.second(dst)
	r, bed, err := c.rises()
	if err != nil {
		return err
	}
	if err := c.arrive(src, uintptr(n)*size); err != nil || c.way != byHeap && c.t.me != root {
		return c.leaveTo(root, err)
	}
	if err := c.await(engine.All); err != nil {
		return err
	}
	switch {
	case r != nil:
		return c.reduceOver(r, bed, n, func(int) (member, to int) { return root, n })
	case c.way != byHeap:
		return c.foldNear(dst, len(c.t.members), n)
	}
	if err := c.foldShare(n, root, root+1); err != nil {
		return err
	}
	return c.again(engine.All)
}

// reduceScatter: each member combines its own part.
func (c *collective) reduceScatter(dst, src engine.Offset, part, n int) error {
	size, lo := c.form.size, c.t.me*part
	bytes := uintptr(part) * size
	if c.wayForParts(bytes); len(c.t.members) > few {
		c.way = byHeap
	}
	c.slip[2] = c.second(dst - uintptr(lo)*size) // where the first element would go
	r, bed, err := c.rises()
	if err != nil {
		return err
	}
	if err := c.arriveParts(src, bytes); err != nil {
		return err
	}
	if err := c.await(engine.All); err != nil {
		return err
	}
	switch {
	case r != nil:
		return c.reduceOver(r, bed, n, func(at int) (member, to int) { return at / part, (at/part + 1) * part })
	case c.way != byHeap:
		return c.foldParts(dst, src+uintptr(lo)*size, part)
	}
	if err := c.foldBlocks(lo, lo+part, c.t.me, c.t.me+1); err != nil {
		return err
	}
	return c.again(engine.All)
}

// choose is wayFor, but members of large teams do not each combine everything.
func (c *collective) choose(n uintptr) {
	if c.way = c.t.wayFor(n); len(c.t.members) > few {
		c.way = byHeap
	}
}

// few members all combine everything: the work grows with the square.
const few = 16

// second is the destination's offset for a slip that has room for it.
func (c *collective) second(dst engine.Offset) uint64 {
	if c.way == byHeap {
		return uint64(dst)
	}
	return 0
}
