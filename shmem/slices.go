package shmem

import (
	"context"
	"reflect"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/internal/reduce"
)

// The collectives of this file take ordinary Go memory, which only this PE can reach. It
// passes through rooms behind the heaps, a chunk in each meeting: what others are to read
// is in caches then. Members need no symmetric memory for it.

// BroadcastSlice copies s of the member that is root in the team to s of all others. All
// have the same length. Blocking, collective over the team. MPI: MPI_Bcast; OpenSHMEM has
// [Broadcast] only.
func BroadcastSlice[T any](ctx context.Context, t *Team, s []T, root int) error {
	c, err := t.begin(ctx, engine.KindBroadcast, form{size: sizeOf[T](), root: root, n: len(s), slices: true}, t.rooted(root, plain[T]()))
	if err != nil {
		return err
	}
	p := unsafe.Pointer(unsafe.SliceData(s))
	if c.way = t.wayFor(bytesOf(s)); c.way != byHeap {
		return c.end(c.broadcastNear(p, p, bytesOf(s), root))
	}
	return c.end(c.chunks(bytesOf(s), 1, func(to unsafe.Pointer, at, n uintptr) {
		if t.me == root {
			mem.Get(to, unsafe.Add(p, at), n)
		}
	}, func(at, n uintptr) error {
		if t.me == root {
			return nil
		}
		return c.read(root, 0, unsafe.Add(p, at), n)
	}))
}

// FCollectSlice puts src of all members together in dst of all members, in team order.
// src has the same length everywhere, dst that times the number of members; src may be
// this PE's own part of dst. Blocking, collective over the team. MPI: MPI_Allgather;
// OpenSHMEM has [FCollect] only.
func FCollectSlice[T any](ctx context.Context, t *Team, dst, src []T) error {
	c, err := t.begin(ctx, engine.KindFCollect, form{size: sizeOf[T](), root: noRoot, n: len(src), slices: true}, t.times(len(dst), len(src), beside(dst, src, t.mine(bytesOf(src)), plain[T]())))
	if err != nil {
		return err
	}
	to, from, each := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), bytesOf(src)
	return c.end(c.chunks(each, 1, func(room unsafe.Pointer, at, n uintptr) {
		mem.Get(room, unsafe.Add(from, at), n)
	}, func(at, n uintptr) error {
		return c.fromAll(func(i int) error {
			here := unsafe.Add(to, uintptr(i)*each+at)
			if i == t.me {
				mem.Get(here, unsafe.Add(from, at), n)
				return nil
			}
			return c.read(i, 0, here, n)
		})
	}))
}

// AllToAllSlice sends part j of src to member j, which gets it as part i of dst, where i
// is this PE's number in the team. Both have the same length, a multiple of the number of
// members, and do not overlap. Blocking, collective over the team. MPI: MPI_Alltoall;
// OpenSHMEM has [AllToAll] only.
func AllToAllSlice[T any](ctx context.Context, t *Team, dst, src []T) error {
	c, err := t.begin(ctx, engine.KindAllToAll, form{size: sizeOf[T](), root: noRoot, n: len(src), slices: true}, t.divided(len(src), alike(len(dst), len(src), beside(dst, src, apart, plain[T]()))))
	if err != nil {
		return err
	}
	to, from, part := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), bytesOf(src)/uintptr(len(t.members))
	return c.end(c.chunks(part, len(t.members)-1, func(room unsafe.Pointer, at, n uintptr) {
		c.packParts(room, from, part, at, n)
	}, func(at, n uintptr) error {
		return c.fromAll(func(i int) error {
			here := unsafe.Add(to, uintptr(i)*part+at)
			if i == t.me {
				mem.Get(here, unsafe.Add(from, uintptr(i)*part+at), n)
				return nil
			}
			return c.read(i, c.partIn(i, n), here, n)
		})
	}))
}

// AllReduceSlice combines src of all members element by element and puts the result into
// dst of all members: the same bits everywhere, and in every run. All have the same length;
// dst may be src. Blocking, collective over the team. MPI: MPI_Allreduce; OpenSHMEM has
// [AllReduce] only.
func AllReduceSlice[T Numeric](ctx context.Context, t *Team, dst, src []T, op Reduction[T]) error {
	c, err := beginReduce(ctx, t, engine.KindAllReduce, op, noRoot, len(src), true, alike(len(dst), len(src), beside(dst, src, 0, nil)))
	if err != nil {
		return err
	}
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	if c.way = t.wayFor(bytesOf(src)); c.way == byHeap && t.trees() != nil && !c.form.elem.Narrow() {
		return c.end(c.reduceSlices(t.trees(), to, from, bytesOf(src)))
	}
	return c.end(c.chunks(bytesOf(src), 1, func(room unsafe.Pointer, at, n uintptr) {
		mem.Get(room, unsafe.Add(from, at), n)
	}, func(at, n uintptr) error {
		if c.way != byHeap || len(t.members) <= 2 {
			return c.foldRooms(unsafe.Add(to, at), 0, n)
		}
		return c.foldInRoom(unsafe.Add(to, at), n)
	}))
}

// ReduceScatterSlice combines src of all members and puts part i of the result into dst
// of member i. dst has the same length everywhere, src that times the number of members;
// they do not overlap. Blocking, collective over the team. MPI: MPI_Reduce_scatter_block;
// OpenSHMEM has none.
func ReduceScatterSlice[T Numeric](ctx context.Context, t *Team, dst, src []T, op Reduction[T]) error {
	c, err := beginReduce(ctx, t, engine.KindReduceScatter, op, noRoot, len(src), true, t.times(len(src), len(dst), beside(dst, src, apart, nil)))
	if err != nil {
		return err
	}
	to, from, part := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), bytesOf(dst)
	return c.end(c.chunks(part, len(t.members)-1, func(room unsafe.Pointer, at, n uintptr) {
		c.packParts(room, from, part, at, n)
	}, func(at, n uintptr) error {
		return c.foldOwnPart(unsafe.Add(to, at), unsafe.Add(from, uintptr(t.me)*part+at), n)
	}))
}

// plain returns why values of T mean nothing to another PE.
func plain[T any]() error {
	t := reflect.TypeFor[T]()
	if path := mem.PointerIn(t); path != "" {
		return problem(ErrArgument, "%v holds a pointer (%s): other PEs cannot follow it", t, path)
	}
	return nil
}

func bytesOf[T any](s []T) uintptr { return uintptr(len(s)) * sizeOf[T]() }

// beside adds an error if two slices share memory, unless src begins at byte own of dst.
func beside[T any](dst, src []T, own uintptr, err error) error {
	to, from := uintptr(unsafe.Pointer(unsafe.SliceData(dst))), uintptr(unsafe.Pointer(unsafe.SliceData(src)))
	shared := len(dst) > 0 && len(src) > 0 && from < to+bytesOf(dst) && to < from+bytesOf(src)
	if err == nil && shared && (own == apart || from != to+own) {
		return problem(ErrArgument, "source and destination overlap")
	}
	return err
}

// fromAll calls f for all members, this PE first: then they are spread over each other.
func (c *collective) fromAll(f func(i int) error) error {
	for i := range c.t.members {
		if err := f(c.turn(i)); err != nil {
			return err
		}
	}
	return nil
}

// packParts copies n bytes from byte at on of the parts for all others into a room.
func (c *collective) packParts(room, from unsafe.Pointer, part, at, n uintptr) {
	for j := range c.t.members {
		if j != c.t.me {
			mem.Get(room, unsafe.Add(from, uintptr(j)*part+at), n)
			room = unsafe.Add(room, n)
		}
	}
}

// foldRooms combines n bytes from byte at on of what all have in their rooms.
func (c *collective) foldRooms(dst unsafe.Pointer, at, n uintptr) error {
	f := c.t.prepare()
	for i := range c.t.members {
		var err error
		if f.sources[i], err = c.fetch(i, at, n); err != nil {
			return err
		}
	}
	if err := c.landed(); err != nil {
		return err
	}
	reduce.Fold(c.form.elem, c.form.op, dst, f.sources, int(n/c.form.size), f.scratch)
	return nil
}

// foldInRoom has each member combine its share in its own room, where the others get it.
func (c *collective) foldInRoom(dst unsafe.Pointer, n uintptr) error {
	size := c.form.size
	share := func(i int) (at, bytes uintptr) {
		lo, hi := shareOf(int(n/size), int(size), len(c.t.members), i)
		return uintptr(lo) * size, uintptr(hi-lo) * size
	}
	if at, bytes := share(c.t.me); bytes > 0 {
		if err := c.foldRooms(unsafe.Add(c.t.w.own, uintptr(c.slip[1])+at), at, bytes); err != nil {
			return err
		}
	}
	if err := c.again(engine.All); err != nil {
		return err
	}
	return c.fromAll(func(i int) error {
		at, bytes := share(i)
		if bytes == 0 { // then dst+at may be behind the slice, and no pointer may
			return nil
		}
		return c.read(i, at, unsafe.Add(dst, at), bytes)
	})
}

// foldOwnPart combines what all others have for this PE with its own.
func (c *collective) foldOwnPart(dst, own unsafe.Pointer, n uintptr) error {
	f := c.t.prepare()
	for i := range c.t.members {
		var err error
		if f.sources[i] = own; i != c.t.me {
			f.sources[i], err = c.fetch(i, c.partIn(i, n), n)
		}
		if err != nil {
			return err
		}
	}
	if err := c.landed(); err != nil {
		return err
	}
	reduce.Fold(c.form.elem, c.form.op, dst, f.sources, int(n/c.form.size), f.scratch)
	return nil
}
