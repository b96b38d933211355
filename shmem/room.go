package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// chunks passes n bytes, or n for each of so many parts, through the rooms of the team:
// send writes this PE's into memory, receive reads the others'. A room has two halves that
// take turns. Nobody writes into one before all have come to the next meeting, and so have
// read what was in it. What is short goes with the slips.
func (c *collective) chunks(n uintptr, parts int, send func(to unsafe.Pointer, at, n uintptr), receive func(at, n uintptr) error) error {
	some, err := c.chunk(n, uintptr(max(parts, 1)))
	for at := uintptr(0); err == nil; {
		m := min(some, n-at)
		var to unsafe.Pointer
		if to, err = c.load(m * uintptr(parts)); err != nil {
			break
		}
		send(to, at, m)
		c.t.gate.Arrive(c.call)
		if err = c.await(engine.All); err != nil {
			break
		}
		if err = receive(at, m); err != nil {
			break
		}
		if at += m; at == n {
			return nil
		}
		err = c.reopen()
	}
	return err
}

// chunk is how many bytes of each part go at a time: a multiple of the size of any element
// that can be reduced.
func (c *collective) chunk(n, parts uintptr) (uintptr, error) {
	if n*parts <= slipSize || c.t.travels(n*parts) {
		return max(n, 1), nil
	}
	half, err := c.t.halfRoom()
	if err != nil {
		return 0, err
	}
	some := half / parts
	if !c.t.direct { // parts are brought here one at a time
		some = min(some, c.t.roomHere())
	}
	switch {
	case some >= 64:
		some = some &^ 63
	case c.form.reduces: // many members, small rooms
		some = some / c.form.size * c.form.size
	}
	if some == 0 {
		return 0, problem(ErrArgument, "slices are too much for a team of %d PEs: use arrays", len(c.t.members))
	}
	return some, nil
}

// halfRoom is half of this team's room, which has memory from now on.
func (t *Team) halfRoom() (uintptr, error) {
	at, n := t.gate.Room()
	if !t.folding.room {
		if err := t.w.heap.Commit(at, n); err != nil {
			return 0, problem(ErrNoMemory, "a room of %d bytes for slices: %v", n, err)
		}
		t.folding.room = true
	}
	return n / 2, nil
}

// travels says whether n bytes go over the stages, to members elsewhere with the arrival:
// to bring them from a room takes longer.
func (t *Team) travels(n uintptr) bool { return t.staged && !t.direct && n <= engine.StageSize }

// load returns where this PE puts n bytes for the others, and has them told.
func (c *collective) load(n uintptr) (unsafe.Pointer, error) {
	switch {
	case n <= slipSize:
		c.way = bySlip
		return unsafe.Pointer(&c.slip[1]), nil
	case c.t.travels(n):
		c.way = byStage
		return c.t.gate.OwnStage(c.ctx, c.call, n)
	}
	at, room := c.t.gate.Room()
	if c.t.folding.half = !c.t.folding.half; c.t.folding.half {
		at += room / 2
	}
	c.way, c.slip[1] = byHeap, uint64(at)
	return unsafe.Add(c.t.w.own, at), nil
}

// fetch returns where n bytes from byte at on of what member i has are, or will be when
// what must be brought has landed.
func (c *collective) fetch(i int, at, n uintptr) (unsafe.Pointer, error) {
	slip, err := c.slipOf(i)
	if err != nil {
		return nil, err
	}
	if c.way == bySlip {
		return unsafe.Add(unsafe.Pointer(&slip[1]), at), nil
	}
	if c.way == byStage {
		return unsafe.Add(c.t.gate.Stage(i), at), nil
	}
	off := uintptr(slip[1]) + at
	if base := c.t.bases[i]; base != nil {
		return unsafe.Add(base, off), nil
	}
	here := c.t.roomsHere()[i]
	return here, c.t.bring(i, off, here, n)
}

// partIn is where among the parts of member i that for this PE is: it has none for itself.
func (c *collective) partIn(i int, part uintptr) uintptr {
	if i < c.t.me {
		return part * uintptr(c.t.me-1)
	}
	return part * uintptr(c.t.me)
}

// roomHere is how many bytes there are for each member that only the engine reaches.
func (t *Team) roomHere() uintptr {
	return uintptr(max(64, min(maxRoom, rooms/len(t.members)&^63)))
}

// roomsHere are blocks of that size, one for each member and one more.
func (t *Team) roomsHere() []unsafe.Pointer {
	f := t.prepare()
	for len(f.rooms) <= len(t.members) {
		f.rooms = append(f.rooms, unsafe.Pointer(unsafe.SliceData(make([]uint64, t.roomHere()/8))))
	}
	return f.rooms
}
