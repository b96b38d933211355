package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// folding is what the collectives of a team need from call to call: they allocate
// nothing after the first.
type folding struct {
	sources, dsts []unsafe.Pointer
	rooms         []unsafe.Pointer // for blocks of members that only the engine reaches, and for the result
	scratch       *reduce.Scratch
	parts         []part // of AllToAllV
	room          bool   // the team's own, for slices, has memory
	half          bool   // which half of it was used last
	looked        bool   // for a tree
	tree          *tree  // nil: there is none
}

// rooms are how many bytes there are for blocks of all members together, if some are not
// reachable by load and store. Blocks have at most maxRoom bytes.
const (
	rooms   = 1 << 20
	maxRoom = 64 << 10
)

func (t *Team) prepare() *folding {
	f := &t.folding
	if f.scratch == nil {
		n := len(t.members)
		f.sources, f.dsts = make([]unsafe.Pointer, n), make([]unsafe.Pointer, n)
		f.scratch, f.parts = &reduce.Scratch{}, make([]part, n)
	}
	return f
}

// foldNear combines n elements of the first members, which have come with slips or over
// stages, into this PE's own memory.
func (c *collective) foldNear(dst engine.Offset, members, n int) error {
	f := c.t.prepare()
	for i := range members {
		from, err := c.near(i)
		if err != nil {
			return err
		}
		f.sources[i] = from
	}
	reduce.Fold(c.form.elem, c.form.op, unsafe.Add(c.t.w.own, dst), f.sources[:members], n, f.scratch)
	return nil
}

// foldParts is foldNear for the part of n elements that each member has for this PE. The
// own is still where it was.
func (c *collective) foldParts(dst, own engine.Offset, n int) error {
	f := c.t.prepare()
	for i := range c.t.members {
		from, err := c.near(i)
		if err != nil {
			return err
		}
		f.sources[i] = unsafe.Add(from, c.partAt(i, uintptr(n)*c.form.size))
	}
	f.sources[c.t.me] = unsafe.Add(c.t.w.own, own)
	reduce.Fold(c.form.elem, c.form.op, unsafe.Add(c.t.w.own, dst), f.sources, n, f.scratch)
	return nil
}

// near is where the data of member i is that came with a slip or over a stage.
func (c *collective) near(i int) (unsafe.Pointer, error) {
	slip, err := c.slipOf(i)
	if c.way == byStage {
		return c.t.gate.Stage(i), err
	}
	return unsafe.Pointer(&slip[1]), err
}

// foldShare combines this PE's share of n elements of all members and writes it to
// members first to last-1.
func (c *collective) foldShare(n, first, last int) error {
	lo, hi := c.share(n)
	return c.foldBlocks(lo, hi, first, last)
}

// share is which elements this PE combines: whole cache lines, if there are enough.
func (c *collective) share(n int) (lo, hi int) {
	return shareOf(n, int(c.form.size), len(c.t.members), c.t.me)
}

// shareOf is that of one of the members.
func shareOf(n, size, members, i int) (lo, hi int) {
	line := max(1, 64/size)
	each := ((n+members-1)/members + line - 1) / line * line
	lo = min(n, each*i)
	return lo, min(n, lo+each)
}

// foldBlocks combines elements lo to hi-1 of all members' heaps for some of them.
func (c *collective) foldBlocks(lo, hi, first, last int) error {
	if lo == hi {
		return nil
	}
	if err := c.compare(); err != nil {
		return err
	}
	f := c.t.prepare()
	if c.t.direct {
		for i := range c.t.members {
			f.sources[i] = c.at(i, 1, lo)
		}
		for i := first; i < last; i++ {
			f.dsts[i-first] = c.at(i, 2, lo)
		}
		reduce.FoldTo(c.form.elem, c.form.op, f.dsts[:last-first], f.sources, hi-lo, f.scratch)
		return nil
	}
	return c.inRooms(lo, hi, func(result unsafe.Pointer, at, n int) error {
		reduce.Fold(c.form.elem, c.form.op, result, f.rooms[:len(c.t.members)], n, f.scratch)
		for i := first; i < last; i++ {
			if err := c.t.push(i, c.offset(i, 2, at), result, uintptr(n)*c.form.size); err != nil {
				return err
			}
		}
		return nil
	})
}

// offset is where element at of the source (1) or the destination (2) of member i is in
// its heap. The own destination need not have travelled.
func (c *collective) offset(i, which, at int) engine.Offset {
	slip := c.slip
	if i != c.t.me {
		slip = c.t.gate.Slip(i)
	}
	return uintptr(slip[which]) + uintptr(at)*c.form.size
}

func (c *collective) at(i, which, at int) unsafe.Pointer {
	return unsafe.Add(c.t.bases[i], c.offset(i, which, at))
}

// inRooms fetches elements lo to hi-1 of all members into rooms of this PE, some at a
// time, and calls use, with room for a result.
func (c *collective) inRooms(lo, hi int, use func(result unsafe.Pointer, at, n int) error) error {
	members, blocks := len(c.t.members), c.t.roomsHere()
	some := int(c.t.roomHere() / c.form.size)
	for at := lo; at < hi; at += some {
		n := min(some, hi-at)
		for i := range members {
			if err := c.t.bring(i, c.offset(i, 1, at), blocks[i], uintptr(n)*c.form.size); err != nil {
				return err
			}
		}
		if err := c.landed(); err != nil {
			return err
		}
		if err := use(blocks[members], at, n); err != nil {
			return err
		}
	}
	return nil
}
