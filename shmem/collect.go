package shmem

import (
	"context"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// FCollect puts src of all members together in dst of all members, in team order. src
// has the same length everywhere, dst that times the number of members; src may be this
// PE's own part of dst. Blocking, collective over the team. OpenSHMEM: shmem_fcollect;
// NCCL: ncclAllGather.
func FCollect[T any](ctx context.Context, t *Team, dst, src Array[T]) error {
	c, err := t.begin(ctx, engine.KindFCollect, form{size: sizeOf[T](), root: noRoot, n: src.n}, t.times(dst.n, src.n, t.pair(dst.span(), src.span(), t.mine(src.bytes()))))
	if err != nil {
		return err
	}
	if t.w.device == nil {
		return c.end(fcollect(c, dst, src))
	}
	return c.end(c.onDevice(engine.Collective{Kind: engine.KindFCollect, Dst: dst.off, Src: src.off, Bytes: src.bytes()}, func() error {
		return inHeap(c, dst, src, func(dst, src Array[T]) (int, error) { return dst.n, fcollect(c, dst, src) })
	}))
}

func fcollect[T any](c *collective, dst, src Array[T]) error {
	c.way = c.t.wayFor(src.bytes())
	s, err := c.spreads(dst.off)
	if err != nil {
		return err
	}
	if err := c.meetWith(src.off, src.bytes()); err != nil {
		return err
	}
	if s != nil {
		return s.fcollect(src.n)
	}
	for i := range c.t.members {
		m := c.turn(i)
		if err := readInto(c, m, dst, m*src.n, src); err != nil {
			return err
		}
	}
	return c.settle(engine.All)
}

// turn spreads the members over each other: each begins with itself.
func (c *collective) turn(i int) int { return (c.t.me + i) % len(c.t.members) }

// Collect is FCollect for sources of different lengths, which may be none. It returns
// how many elements there are in all; dst must have room for them. Blocking, collective
// over the team. OpenSHMEM: shmem_collect.
func Collect[T any](ctx context.Context, t *Team, dst, src Array[T]) (int, error) {
	c, err := t.begin(ctx, engine.KindCollect, form{size: sizeOf[T](), root: noRoot, anything: true}, t.pair(dst.span(), src.span(), apart))
	if err != nil {
		return 0, err
	}
	if t.w.device == nil {
		total, err := collect(c, dst, src)
		return total, c.end(err)
	}
	total := 0
	return total, c.end(inHeap(c, dst, src, func(dst, src Array[T]) (_ int, err error) {
		total, err = collect(c, dst, src)
		return total, err
	}))
}

// collect has the lengths travel with the slips. What does not fit on a stage is read
// from the heap.
func collect[T any](c *collective, dst, src Array[T]) (total int, err error) {
	t := c.t
	c.slip[1], c.slip[2] = uint64(src.off), uint64(src.n)
	if t.staged && src.bytes() <= engine.StageSize {
		to, err := t.gate.OwnStage(c.ctx, c.call, src.bytes())
		if err != nil {
			return 0, err
		}
		mem.Put(to, src.here(), src.bytes())
	}
	t.gate.Arrive(c.call)
	if err = c.await(engine.All); err != nil {
		return 0, err
	}
	heaps := t.w.info.Checked // then all learn of one whose dst is too short
	for m := range t.members {
		slip, err := c.slipOf(m)
		if err != nil {
			return 0, err
		}
		n := int(slip[2])
		c.way = byStage
		if !t.staged || uintptr(n)*sizeOf[T]() > engine.StageSize {
			c.way, heaps = byHeap, true
		}
		if total+n > dst.n {
			return 0, lengths(dst.n, total+n)
		}
		part := Array[T]{dst.b, dst.offset(total), n}
		if err := c.readLater(m, 0, part.here(), part.bytes()); err != nil {
			return 0, err
		}
		total += n
	}
	if heaps {
		err = c.again(engine.All)
	}
	return total, err
}
