package shmem

import (
	"cmp"
	"context"
	"slices"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// Layout says which part of an array belongs to which member of a team: Counts[i]
// elements from element Offsets[i] on belong to member i.
type Layout struct{ Counts, Offsets []int }

// AllToAllV is AllToAll with parts of any size and place: the part of src that send has
// for member j goes to the place in dst that recv of member j has for this PE. The two
// must have the same size. Parts of dst must not overlap, which is looked at in checked
// mode only, nor dst with src. Blocking, collective over the team. MPI: MPI_Alltoallv; rocSHMEM has it on devices.
func AllToAllV[T any](ctx context.Context, t *Team, dst Array[T], recv Layout, src Array[T], send Layout) error {
	invalid := t.pair(dst.span(), src.span(), apart)
	invalid = t.apart(recv, t.lays(recv, dst.n, "receive", t.lays(send, src.n, "send", invalid)))
	c, err := t.begin(ctx, engine.KindAllToAllV, form{size: sizeOf[T](), root: noRoot, anything: true}, invalid)
	if err != nil {
		return err
	}
	if t.w.device == nil {
		return c.end(c.allToAllV(dst.off, recv, src.off, send))
	}
	return c.end(inHeap(c, dst, src, func(copied, src Array[T]) (int, error) {
		if err := c.allToAllV(copied.off, recv, src.off, send); err != nil {
			return 0, err
		}
		for m, n := range recv.Counts { // what is between the parts must stay
			at, part := recv.Offsets[m], uintptr(n)*sizeOf[T]()
			if err := dst.b.in(dst.offset(at), unsafe.Add(copied.here(), uintptr(at)*sizeOf[T]()), part); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}))
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
			return problem(ErrBounds, "the %s layout has %d elements from %d on for PE %d of the team: the array has %d", name, count, at, i, n)
		}
	}
	return nil
}

// apart adds an error if parts of a layout overlap. It takes too long for other than
// checked mode.
func (t *Team) apart(l Layout, err error) error {
	if err != nil || t == nil || !t.w.info.Checked {
		return err
	}
	var order []int
	for i, count := range l.Counts {
		if count > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(l.Offsets[i], l.Offsets[j]) })
	for k := 1; k < len(order); k++ {
		if i, j := order[k-1], order[k]; l.Offsets[i]+l.Counts[i] > l.Offsets[j] {
			return problem(ErrArgument, "the receive layout has [%d:%d] for PE %d of the team and [%d:%d] for PE %d, which overlap", l.Offsets[i], l.Offsets[i]+l.Counts[i], i, l.Offsets[j], l.Offsets[j]+l.Counts[j], j)
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
		if err := c.t.bring(m, parts[m].off, to, uintptr(parts[m].n)*c.form.size); err != nil {
			return err
		}
	}
	return c.again(engine.All)
}

// parts tells every member what this PE has for it, and returns what they have. Tables
// lie on stages, as much of them as fits there in one meeting; where there are no stages
// it takes a meeting for each member, to which all come with what they have for that one.
func (c *collective) parts(src engine.Offset, send Layout) ([]part, error) {
	t, parts := c.t, c.t.prepare().parts
	some := 1
	if t.staged {
		some = engine.StageSize / int(unsafe.Sizeof(part{}))
	}
	for first := 0; first < len(parts); first += some {
		if first > 0 {
			if err := c.reopen(); err != nil {
				return nil, err
			}
		}
		last := min(first+some, len(parts))
		if err := c.tell(src, send, first, last); err != nil {
			return nil, err
		}
		t.gate.Arrive(c.call)
		if err := c.await(engine.All); err != nil {
			return nil, err
		}
		if t.me < first || t.me >= last {
			continue
		}
		for m := range parts {
			slip, err := c.slipOf(m)
			if err != nil {
				return nil, err
			}
			parts[m] = part{uintptr(slip[1]), int(slip[2])}
			if t.staged {
				parts[m] = unsafe.Slice((*part)(t.gate.Stage(m)), some)[t.me-first]
			}
		}
	}
	return parts, nil
}

// tell writes what this PE has for members first to last-1 where they look for it.
func (c *collective) tell(src engine.Offset, send Layout, first, last int) error {
	var stage []part
	if c.t.staged {
		own, err := c.t.gate.OwnStage(c.ctx, c.call, uintptr(last-first)*unsafe.Sizeof(part{}))
		if err != nil {
			return err
		}
		stage = unsafe.Slice((*part)(own), last-first)
	}
	for i := first; i < last; i++ {
		p := part{src + uintptr(send.Offsets[i])*c.form.size, send.Counts[i]}
		if c.t.staged {
			stage[i-first] = p
			continue
		}
		c.slip[1], c.slip[2] = uint64(p.off), uint64(p.n)
	}
	return nil
}
