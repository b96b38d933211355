package shmem

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// collective is one call of a collective on this PE. Data goes one of three ways, which
// all members choose alike, by its size: with the slip that a member arrives with, over
// its stage, or straight from its heap. The last needs a second meeting, so that nobody
// changes his source before the others have read it.
type collective struct {
	t    *Team
	ctx  context.Context
	call engine.Call
	form form
	way  way
	slip *engine.Slip // what this PE comes with: in the engine's memory
}

// way is how data goes.
type way uint8

const (
	bySlip way = iota
	byStage
	byHeap
)

// slipSize is how many bytes a slip takes beside the form.
const slipSize = unsafe.Sizeof(engine.Slip{}) - 8

// wayFor returns how n bytes of every member go.
func (t *Team) wayFor(n uintptr) way {
	switch {
	case n <= slipSize:
		return bySlip
	case n <= engine.StageSize && t.staged:
		return byStage
	}
	return byHeap
}

// begin enters a collective. If this PE cannot do what it was asked, invalid, the
// team ends for everybody, who learn of the reason.
func (t *Team) begin(ctx context.Context, kind engine.Kind, f form, invalid error) (*collective, error) {
	if t == nil {
		return nil, fail(nil, kind.String(), noPeer, ErrNotMember)
	}
	if err := t.enter(ctx); err != nil {
		return nil, fail(t.w, kind.String(), noPeer, err)
	}
	f.kind, f.past = kind, t.past
	t.past = f.since()
	c := &t.current // this PE has the team for itself now
	c.t, c.ctx, c.form, c.way = t, orBackground(ctx), f, bySlip
	c.call = t.call(kind, t.startedAt(ctx))
	if invalid != nil {
		return c, c.end(invalid)
	}
	if err := t.gate.Open(c.ctx, c.call); err != nil {
		return c, c.end(err)
	}
	c.slip = t.gate.Slip(t.me)
	c.slip[0] = f.word()
	return c, nil
}

// end leaves the collective.
func (c *collective) end(err error) error {
	if err == nil {
		c.t.gate.Leave(c.call)
	} else {
		c.t.gate.Refuse(c.call, err)
		err = c.sided(err)
	}
	t, kind := c.t, c.call.Kind
	c.ctx = nil // it may hold much
	t.exit()    // and with it c
	if err == nil {
		return nil
	}
	return fail(t.w, kind.String(), noPeer, err)
}

// sided adds what this PE was asked for to an error about others that disagree: that
// is how one finds the odd one out.
func (c *collective) sided(err error) error {
	if s := (*engine.Stall)(nil); errors.As(err, &s) && strings.Contains(s.Detail, " asked for ") {
		told := *s
		told.Detail += fmt.Sprintf("; PE %d asked for %s", c.t.w.rank, describeForm(c.form.word(), c.form.past))
		return &told
	}
	return err
}

// arrive tells the others that this PE is here, with n bytes at offset off of its heap
// for them.
func (c *collective) arrive(off engine.Offset, n uintptr) error {
	if c.way == byHeap {
		c.slip[1] = uint64(off)
		c.t.gate.Arrive(c.call)
		return nil
	}
	return c.arriveWith(unsafe.Add(c.t.w.own, off), n)
}

// arriveWith is arrive with n bytes at from that go with the slip or over the stage.
func (c *collective) arriveWith(from unsafe.Pointer, n uintptr) error {
	to := unsafe.Pointer(&c.slip[1])
	if c.way == byStage {
		var err error
		if to, err = c.t.gate.OwnStage(c.ctx, c.call, n); err != nil {
			return err
		}
	}
	mem.Put(to, from, n)
	c.t.gate.Arrive(c.call)
	return nil
}

// await waits for member i, or for all. What they were asked is compared when it is
// used, in checked mode at once.
func (c *collective) await(i int) error {
	if c.t.w.info.Checked { // all compare with all before data moves
		i = engine.All
	}
	if err := c.t.gate.Await(c.ctx, c.call, i); err != nil {
		return err
	}
	if c.t.w.info.Checked {
		return c.compare()
	}
	return nil
}

// meetWith is arrive, and await for all.
func (c *collective) meetWith(off engine.Offset, n uintptr) error {
	if err := c.arrive(off, n); err != nil {
		return err
	}
	return c.await(engine.All)
}

// again is a second meeting, after which sources may change. Whoever's source others
// have read awaits them.
func (c *collective) again(i int) error {
	if err := c.reopen(); err != nil {
		return err
	}
	c.t.gate.Arrive(c.call)
	if i == nobody {
		return nil
	}
	return c.t.gate.Await(c.ctx, c.call, i)
}

// reopen enters the next meeting, after completing what this PE has written to others.
func (c *collective) reopen() error {
	c.t.gate.Leave(c.call)
	if err := c.landed(); err != nil {
		return err
	}
	return c.goOn()
}

// goOn enters the next meeting.
func (c *collective) goOn() error {
	if err := c.t.gate.Open(c.ctx, c.call); err != nil {
		return err
	}
	before := c.slip
	c.slip = c.t.gate.Slip(c.t.me)
	copy(c.slip[:3], before[:3]) // the rest was data
	return nil
}

// nobody is who a member awaits whose source nobody has read.
const nobody = -2

// read copies n bytes that lie at bytes into what member i has for the others.
func (c *collective) read(i int, at uintptr, dst unsafe.Pointer, n uintptr) error {
	slip, err := c.slipOf(i)
	if err != nil {
		return err
	}
	switch c.way {
	case bySlip:
		mem.Get(dst, unsafe.Add(unsafe.Pointer(&slip[1]), at), n)
	case byStage:
		mem.Get(dst, unsafe.Add(c.t.gate.Stage(i), at), n)
	case byHeap:
		return c.t.pull(i, uintptr(slip[1])+at, dst, n)
	}
	return nil
}

// readLater is read into an array: what must be brought is there after the next reopen, so
// that parts of several members are on their way together.
func (c *collective) readLater(i int, at uintptr, dst unsafe.Pointer, n uintptr) error {
	if c.way != byHeap || c.t.bases[i] != nil {
		return c.read(i, at, dst, n)
	}
	slip, err := c.slipOf(i)
	if err != nil {
		return err
	}
	return c.t.bring(i, uintptr(slip[1])+at, dst, n)
}

// landed waits for what has been brought.
func (c *collective) landed() error {
	if c.t.direct {
		return nil
	}
	return c.t.w.courier.of(c.t.w.heap).Quiet(c.ctx)
}

// bring is pull that need not be done before landed. dst must not be on a stack.
func (t *Team) bring(i int, off engine.Offset, dst unsafe.Pointer, n uintptr) error {
	if t.bases[i] != nil {
		return t.pull(i, off, dst, n)
	}
	return t.w.courier.of(t.w.heap).GetNBI(t.members[i], dst, off, n)
}

// pull copies n bytes from the heap of member i.
func (t *Team) pull(i int, off engine.Offset, dst unsafe.Pointer, n uintptr) error {
	if base := t.bases[i]; base != nil {
		mem.Get(dst, unsafe.Add(base, off), n)
		return nil
	}
	return t.w.heap.Get(t.members[i], dst, off, n)
}

// push copies n bytes to the heap of member i.
func (t *Team) push(i int, off engine.Offset, src unsafe.Pointer, n uintptr) error {
	if base := t.bases[i]; base != nil {
		mem.Put(unsafe.Add(base, off), src, n)
		return nil
	}
	return t.w.courier.of(t.w.heap).Put(t.members[i], off, src, n)
}

// courier is the lane of what collectives put to members without a mapping, and bring from
// them. It is apart from the program's own, whose puts no collective completes.
type courier struct {
	once sync.Once
	lane engine.Lane
}

// of is the lane, made when it is needed first.
func (c *courier) of(h engine.Heap) engine.Lane {
	c.once.Do(func() { c.lane = h.NewLane() })
	return c.lane
}
