package host

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// collective is a call in which all ranks meet. Data goes one of four ways: with the slip
// that a rank arrives with, over its stage, straight from its memory, or, where that is not
// mapped by all, through rooms in chunks. All ranks choose alike: by the size, and by what
// the slips say about memory.
type collective struct {
	c     *Comm
	call  *ccl.Call
	at    engine.Call
	way   way
	size  uintptr // of an element
	bytes uintptr // that one rank gives to one other
	slip  *engine.Slip
	form  [2]uint64
}

type way uint8

const (
	bySlip way = iota
	byStage
	inPlace
)

// What is where in a slip.
const (
	countAt = 0
	formAt  = 1
	scaleAt = 2 // of operations of the user's
	dataAt  = 3
	sendAt  = 3 // location
	recvAt  = 4 // location
)

const slipBytes = (len(engine.Slip{}) - dataAt) * 8

// meetMost is the most that goes over stages where all wait for all: to write there takes
// cache lines away from who has read them last, which soon takes longer than a second
// meeting. Where only one gives or takes, the others can be ahead, and there is none to wait
// for.
const meetMost = engine.StageSize / 4

// nobody is who is awaited by a rank that needs nothing of others.
const nobody = -2

// parted says whether a rank has something else for each other one.
func (x *collective) parted() bool {
	k := x.call.Kind
	return k == ccl.AllToAll || k == ccl.AllToAllV || k == ccl.Scatter || k == ccl.ReduceScatter
}

// gives says whether this rank has anything for others.
func (x *collective) gives(rank int) bool {
	k := x.call.Kind
	return k != ccl.Broadcast && k != ccl.Scatter || rank == x.call.Peer
}

// settle is the first thing to do with a call: it finds out how it will go.
func (x *collective) settle(call *ccl.Call) {
	x.call = call
	x.size = x.call.Type.Size()
	x.bytes = uintptr(x.call.Count) * x.size
	x.form = [2]uint64{uint64(x.call.Count), form(x.call)}
	whole := x.bytes
	if x.parted() {
		whole *= uintptr(x.c.place.Size)
	}
	switch {
	case x.call.Kind == ccl.AllToAllV:
		x.way, x.form[0] = inPlace, 0
	case whole <= uintptr(slipBytes):
		x.way = bySlip
	case whole <= meetMost, whole <= engine.StageSize && x.call.Kind.Rooted():
		x.way = byStage
	default:
		x.way = inPlace
	}
}

// free says whether begin will not wait.
func (x *collective) free() bool {
	return x.c.world.gate.Free(x.way == byStage || x.call.Kind == ccl.AllToAllV)
}

// begin arrives with what this rank has.
func (x *collective) begin() error {
	c := x.c
	k := kinds[x.call.Kind]
	c.calls[k]++
	x.at = engine.Call{Kind: k, Seq: c.calls[k]}
	if err := c.world.gate.Open(c.ctx, x.at); err != nil {
		return err
	}
	x.slip = c.world.gate.Slip(c.place.Rank)
	x.slip[countAt], x.slip[formAt] = x.form[0], x.form[1]
	if x.call.Kind.Reduces() && x.call.Op >= ccl.UserOps {
		x.slip[scaleAt] = c.scale(x.call.Op)
	}
	if err := x.bring(); err != nil {
		return err
	}
	c.world.gate.Arrive(x.at)
	return nil
}

// bring puts data where others find it, or says where it is.
func (x *collective) bring() error {
	w := x.c.world
	if x.way == inPlace {
		x.slip[sendAt], x.slip[recvAt] = w.location(x.call.Send), w.location(x.call.Recv)
		if x.call.Kind == ccl.AllToAllV {
			return x.stageCounts()
		}
		return nil
	}
	if x.bytes == 0 || !x.gives(x.c.place.Rank) {
		return nil
	}
	to := unsafe.Pointer(&x.slip[dataAt])
	if x.way == byStage {
		var err error
		if to, err = w.gate.OwnStage(x.c.ctx, x.at, engine.StageSize); err != nil {
			return err
		}
	}
	from := mem.Pointer(x.call.Send)
	if !x.parted() {
		mem.Put(to, from, x.bytes)
		return nil
	}
	own := uintptr(x.c.place.Rank) * x.bytes // stays where it is
	mem.Put(to, from, own)
	own += x.bytes
	if rest := uintptr(x.c.place.Size)*x.bytes - own; rest > 0 {
		mem.Put(unsafe.Add(to, own), unsafe.Add(from, own), rest)
	}
	return nil
}

// awaited is who must be here before this rank can go on.
func (x *collective) awaited() int {
	k, root, me := x.call.Kind, x.call.Peer, x.c.place.Rank
	switch {
	case x.way == inPlace:
		return engine.All
	case (k == ccl.Broadcast || k == ccl.Scatter) && me != root:
		return root
	case (k == ccl.Reduce || k == ccl.Gather) && me != root, k == ccl.Broadcast, k == ccl.Scatter:
		return nobody
	}
	return engine.All
}

// near says whether finish will not wait long.
func (x *collective) near() bool {
	who := x.awaited()
	return who == nobody || x.c.world.gate.Here(who)
}

// finish does the rest.
func (x *collective) finish() error {
	gate := x.c.world.gate
	who := x.awaited()
	if who != nobody {
		if err := x.await(who); err != nil {
			return err
		}
	}
	if err := x.move(who); err != nil {
		gate.Refuse(x.at, err)
		return err
	}
	x.addBias()
	gate.Leave(x.at)
	return nil
}

// move brings data to where it belongs, when those have come who are awaited.
func (x *collective) move(who int) error {
	if x.call.Kind == ccl.AllToAllV {
		if err := x.readCounts(); err != nil {
			return err
		}
	}
	switch {
	case x.way == inPlace && x.reachable():
		return x.direct()
	case x.way == inPlace:
		return x.chunks()
	case who != nobody:
		x.take()
	case !x.call.Kind.Reduces(): // others take what is staged
		x.copyOf(x.c.place.Rank)
	}
	return nil
}

// await waits for a rank, or all, and compares what they asked for with what this one did.
func (x *collective) await(who int) error {
	gate := x.c.world.gate
	if err := gate.Await(x.c.ctx, x.at, who); err != nil {
		return err
	}
	if who != engine.All {
		return x.compare(who)
	}
	for i := range x.c.place.Size {
		if err := x.compare(i); err != nil {
			return err
		}
	}
	return nil
}

func (x *collective) compare(i int) error {
	slip := x.c.world.gate.Slip(i)
	if slip[countAt] == x.form[0] && slip[formAt] == x.form[1] {
		return nil
	}
	err := odd(i, [2]uint64{slip[countAt], slip[formAt]}, x.c.place.Rank, x.form)
	x.c.world.gate.Refuse(x.at, err)
	return err
}

// reachable says whether all memory that matters is mapped by all: all find the same.
func (x *collective) reachable() bool {
	k, gate := x.call.Kind, x.c.world.gate
	if x.bytes == 0 && k != ccl.AllToAllV {
		return true
	}
	all := k == ccl.AllReduce || k == ccl.AllReduceBias
	for i := range x.c.place.Size {
		slip := gate.Slip(i)
		if x.gives(i) && slip[sendAt] == 0 || slip[recvAt] == 0 && (all || k == ccl.Reduce && i == x.call.Peer) {
			return false
		}
	}
	return true
}

// again is a second meeting, after which memory may change that others have read or
// written. Those wait who have such.
func (x *collective) again() error {
	c := x.c
	if err := x.reopen(); err != nil {
		return err
	}
	c.world.gate.Arrive(x.at)
	who := engine.All
	switch k, root := x.call.Kind, x.call.Peer; {
	case k == ccl.Broadcast || k == ccl.Scatter:
		if c.place.Rank != root {
			return nil
		}
	case k == ccl.Gather:
		if who = root; c.place.Rank == root {
			return nil
		}
	}
	return c.world.gate.Await(c.ctx, x.at, who)
}

// reopen enters the next meeting of the same call.
func (x *collective) reopen() error {
	gate := x.c.world.gate
	gate.Leave(x.at)
	if err := gate.Open(x.c.ctx, x.at); err != nil {
		return err
	}
	x.slip = gate.Slip(x.c.place.Rank)
	x.slip[countAt], x.slip[formAt] = x.form[0], x.form[1]
	return nil
}
