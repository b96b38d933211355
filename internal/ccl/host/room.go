package host

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// chunks passes data through rooms, which every rank has behind its heap. A room has two
// halves that take turns. Nobody writes into one before all have come to the next meeting,
// and so have read what was in it. Each chunk is a meeting.
func (x *collective) chunks() error {
	room, err := x.c.halfRoom()
	if err != nil {
		return err
	}
	some := room
	if x.parted() {
		some = room / uintptr(x.c.place.Size)
	}
	if some &^= 63; some == 0 {
		return ccl.Unsupported(names[x.call.Kind], "memory that is not of the platform, with %d ranks: use memory of the device", x.c.place.Size)
	}
	for at := uintptr(0); at < x.bytes; at += some {
		if err := x.reopen(); err != nil {
			return err
		}
		if x.call.Kind.Reduces() && x.call.Op >= ccl.UserOps {
			x.slip[scaleAt] = x.c.scale(x.call.Op)
		}
		half := x.nextHalf(room)
		x.load(half, at, some)
		x.c.world.gate.Arrive(x.at)
		if err := x.c.world.gate.Await(x.c.ctx, x.at, engine.All); err != nil {
			return err
		}
		x.unload(half, at, some)
	}
	return nil
}

// halfRoom is half of the room, which has memory from now on.
func (c *Comm) halfRoom() (uintptr, error) {
	at, n := c.world.gate.Room()
	if !c.room {
		if err := c.world.heap.Commit(at, n); err != nil {
			return 0, err
		}
		c.room = true
	}
	return n / 2, nil
}

// nextHalf is where in all heaps the half is that is used next.
func (x *collective) nextHalf(room uintptr) uintptr {
	at, _ := x.c.world.gate.Room()
	if x.c.half = !x.c.half; x.c.half {
		at += room
	}
	return at
}

// load puts a chunk of what others read into this rank's room: of all parts, if each has
// its own.
func (x *collective) load(half, at, some uintptr) {
	c := x.c
	room := unsafe.Add(c.world.heap.Base(c.place.Rank), half)
	for i := range c.place.Size {
		p := x.outgoing(c.place.Rank, i).chunk(at, some)
		if p.n == 0 || i == c.place.Rank && x.parted() {
			continue
		}
		if x.parted() {
			mem.Get(unsafe.Add(room, uintptr(i)*some), unsafe.Add(x.from(c.place.Rank), p.at), p.n)
			continue
		}
		mem.Get(room, unsafe.Add(x.from(c.place.Rank), p.at), p.n)
		return // the same for all
	}
}

// unload takes what this rank is to have of a chunk.
func (x *collective) unload(half, at, some uintptr) {
	c, me := x.c, x.c.place.Rank
	var n uintptr
	for k := range c.place.Size {
		j := x.turn(k)
		p := x.outgoing(j, me).chunk(at, some)
		if p.n == 0 {
			continue
		}
		src := unsafe.Add(c.world.heap.Base(j), half)
		switch {
		case j == me:
			src = unsafe.Add(x.from(me), p.at)
		case x.parted():
			src = unsafe.Add(src, uintptr(me)*some)
		}
		if x.call.Kind.Reduces() {
			c.sources[j], n = src, p.n
		} else if dst := x.to(x.incoming(j) + at); dst != src {
			mem.Get(dst, src, p.n)
		}
	}
	if n > 0 {
		x.fold(x.to(at), int(n/x.size))
	}
}

// chunk is what of the part is at most some bytes from at on.
func (p part) chunk(at, some uintptr) part {
	if at >= p.n {
		return part{}
	}
	return part{p.at + at, min(some, p.n-at)}
}
