package shmem

import (
	"context"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// Layout says which part of an array belongs to which member of a team: Counts[i]
// elements from element Offsets[i] on belong to member i.
type Layout struct{ Counts, Offsets []int }

// AllToAllV is AllToAll with parts of any size and place: the part of src that send has
// for member j goes to the place in dst that recv of member j has for this PE. The two
// must have the same size. Parts of dst must not overlap, nor dst with src. Blocking,
// collective over the team. MPI: MPI_Alltoallv; rocSHMEM has it on devices.
func AllToAllV[T any](ctx context.Context, t *Team, dst Array[T], recv Layout, src Array[T], send Layout) error {
	invalid := t.pair(dst.span(), src.span(), apart)
	invalid = t.lays(recv, dst.n, "receive", t.lays(send, src.n, "send", invalid))
	c, err := t.begin(ctx, engine.KindAllToAllV, form{size: sizeOf[T](), root: noRoot, anything: true}, invalid)
	if err != nil {
		return err
	}
	return c.end(c.allToAllV(dst.off, recv, src.off, send))
}

// lays adds what is wrong with a layout of an array of n elements.
func (t *Team) lays(l Layout, n int, name string, err error) error {
	if err != nil || t == nil {
		return err
	}
	if len(l.Counts) != len(t.members) || len(l.Offsets) != len(t.members) {
		return problem(ErrLength, "the %s layout has %d counts and %d offsets for %d PEs", name, len(l.Counts), len(l.Offsets), len(t.members))
	}
	for i, count := range l.Counts {
		if at := l.Offsets[i]; count < 0 || at < 0 || at > n || count > n-at {
			return problem(ErrBounds, "the %s layout has [%d:%d] of an array of %d elements for PE %d of the team", name, at, at+count, n, i)
		}
	}
	return nil
}

// part is what a member has for this PE: where in its heap, and how many elements.
type part struct {
	off engine.Offset
	n   int
}

func (c *collective) allToAllV(dst engine.Offset, recv Layout, src engine.Offset, send Layout) error {
	c.way = byHeap
	parts, err := c.parts(src, send)
	if err != nil {
		return err
	}
	for m, p := range parts {
		if p.n != recv.Counts[m] {
			return problem(ErrMismatch, "PE %d sends %d elements, PE %d expects %d of it", c.t.members[m], p.n, c.t.w.rank, recv.Counts[m])
		}
	}
	for i := range parts {
		m := c.turn(i)
		to := unsafe.Add(c.t.w.own, dst+uintptr(recv.Offsets[m])*c.form.size)
		if err := c.t.pull(m, parts[m].off, to, uintptr(parts[m].n)*c.form.size); err != nil {
			return err
		}
	}
	return c.again(engine.All)
}

// parts tells every member what this PE has for it, and returns what they have. The
// members' tables lie on stages if they fit there; otherwise it takes a meeting for each
// member, to which all come with what they have for that one.
func (c *collective) parts(src engine.Offset, send Layout) ([]part, error) {
	t := c.t
	parts := make([]part, len(t.members))
	entry := func(i int) part {
		return part{src + uintptr(send.Offsets[i])*c.form.size, send.Counts[i]}
	}
	staged := t.direct && len(parts)*int(unsafe.Sizeof(part{})) <= engine.StageSize
	if staged {
		table := unsafe.Slice((*part)(t.gate.Stage(t.me)), len(parts))
		for i := range table {
			table[i] = entry(i)
		}
	}
	t.gate.Arrive(c.call, c.slip)
	if err := c.await(engine.All); err != nil {
		return nil, err
	}
	if staged {
		for m := range parts {
			parts[m] = unsafe.Slice((*part)(t.gate.Stage(m)), len(parts))[t.me]
		}
		return parts, nil
	}
	for i := range parts {
		mine := entry(i)
		c.slip[1], c.slip[2] = uint64(mine.off), uint64(mine.n)
		if err := c.again(engine.All); err != nil {
			return nil, err
		}
		for m := 0; i == t.me && m < len(parts); m++ {
			slip := t.gate.Slip(m)
			parts[m] = part{uintptr(slip[1]), int(slip[2])}
		}
	}
	return parts, nil
}
