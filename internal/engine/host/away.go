package host

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/ucx"
)

// away is another node that has members of a team.
type away struct {
	post    int   // which of them takes this PE's messages
	members []int // those there, in team order
}

// homes returns the places of the members of this node, and the other nodes. Who is no
// member makes a gate as well, and never meets there.
func (f *far) homes(members []int) (near []int, list []away) {
	there := make([][]int, len(f.members))
	own := f.node[f.h.rank]
	for place, pe := range members {
		there[f.node[pe]] = append(there[f.node[pe]], pe)
		if f.node[pe] == own {
			near = append(near, place)
		}
	}
	me := max(0, slices.Index(there[own], f.h.rank))
	for node, pes := range there {
		if node != own && len(pes) > 0 {
			list = append(list, away{pes[me%len(pes)], pes})
		}
	}
	return near, list
}

// together says whether all members of a call wait for all others. Then a node tells the
// others when all of its members have come: one message for all of them. Elsewhere a member
// that waits for nobody must not wait for its neighbours either.
func together(k engine.Kind) bool {
	switch k {
	case engine.KindBroadcast, engine.KindReduce, engine.KindGather, engine.KindScatter:
		return false
	}
	return true
}

// announce has the other nodes told that this PE has come to a meeting, by whoever comes
// last.
func (g *gate) announce(call engine.Call) {
	switch {
	case g.away == nil:
	case len(g.near) == 1 || !together(call.Kind):
		g.tell(g.self)
	case g.count(g.arrivals(), len(g.near)):
		g.tell(g.near...)
	default:
		g.untold = g.gen
	}
}

// arrivals is the tally of this node. A member that others have seen come may be counted
// only when they are many meetings ahead, but not so many that records are used again.
func (g *gate) arrivals() *atomic.Uint64 { return &g.slots[g.home].near[g.gen%depth] }

// reveal tells the other nodes of this PE, if it has waited long for a neighbour: they are
// to know who is there, and who is not.
func (g *gate) reveal() {
	if g.away == nil || g.untold != g.gen {
		return
	}
	g.untold = 0
	if g.arrivals().Load() != g.gen<<16|uint64(len(g.near)) { // else the last one tells
		g.tell(g.self)
	}
}

// tell tells the other nodes that members of this one, given by their places, have come to
// the meeting. One that is not told is one that has lost this PE's, of which both will learn.
func (g *gate) tell(places ...int) {
	m := g.comes()
	for _, place := range places {
		before := len(m)
		if m = g.appendComing(m, place); len(m) > ucx.MaxMessage {
			g.post(m[:before])
			m = append(g.comes(), m[before:]...)
		}
	}
	g.post(m)
	g.message = m
}

// comes begins a message about arrivals.
func (g *gate) comes() []byte { return appendHead(g.message[:0], msgComes, g.slot, g.h.rank) }

func (g *gate) post(m []byte) {
	for _, a := range g.away {
		_ = g.h.far.wire.send(a.post, m)
	}
}

// appendComing appends what a member comes with, and how long that is.
func (g *gate) appendComing(m []byte, place int) []byte {
	pe, c := g.members[place], g.slots[place].at(g.gen)
	m = binary.LittleEndian.AppendUint32(m, uint32(pe))
	var stage []byte
	if n := g.slots[place].staged[g.gen%stages].Load(); n>>16 == g.gen {
		stage = g.h.ctl[pe].stage[g.slot][g.gen%stages][:n&0xffff]
	}
	m = binary.LittleEndian.AppendUint32(m, uint32(comeLen+len(stage)))
	m = binary.LittleEndian.AppendUint64(m, c.arrived.Load())
	m = binary.LittleEndian.AppendUint64(m, g.h.ctl[pe].call.Load())
	for _, word := range c.slip {
		m = binary.LittleEndian.AppendUint64(m, word)
	}
	return append(m, stage...)
}

// takeComes notes who has come to a meeting, if all of the message makes sense.
func (f *far) takeComes(slot int, rest []byte) {
	for _, note := range []bool{false, true} {
		u := &unpacker{rest: rest}
		for len(u.rest) > 0 {
			pe, n := int(u.u32()), int(u.u32())
			if n < comeLen || n > len(u.rest) || pe >= len(f.h.ctl) || !f.is(pe) {
				return
			}
			if of := (&unpacker{rest: u.take(n)}); note {
				f.h.ctl[pe].takeCome(slot, of)
			}
		}
	}
}

// takeCome notes that a PE has come, whose record this is a shadow of.
func (c *control) takeCome(slot int, u *unpacker) {
	arrived := u.u64()
	c.call.Store(u.u64()) // the last that is known of a PE that is cut off
	coming := c.slots[slot].at(arrived >> 8)
	for i := range coming.slip {
		coming.slip[i] = u.u64()
	}
	if slot < MaxTeams {
		copy(c.stage[slot][(arrived>>8)%stages][:], u.rest)
	}
	coming.arrived.Store(arrived)
}
