package host

import (
	"encoding/binary"

	"github.com/goshmem/goshmem/internal/engine"
)

// What a PE tells other nodes. A message has a kind, the slot of a gate, and who says it;
// what follows depends on the kind.
const (
	msgComes = 1 + iota // members of its node to a meeting: for each its word, call, slip and what is staged
	msgGive             // a team up: which meeting, whose word is to say so there, and why
	msgState            // what has become of the PE, and where it is
	msgEnded            // another PE, of the sender's node: when, and how
	msgBeat             // nothing but that the sender lives
	msgAsk              // for the board of a PE
	msgBoard            // of the PE that was asked for
	msgRing             // a sleeper that is waiting for a signal
	msgDoom             // die of this

	headLen = 8
	comeLen = 9 * 8 // of a member that has come, without what is staged
)

func head(kind byte, slot, from int) []byte { return appendHead(nil, kind, slot, from) }

func appendHead(m []byte, kind byte, slot, from int) []byte {
	return binary.LittleEndian.AppendUint32(append(m, kind, byte(slot), 0, 0), uint32(from))
}

// appendText is for texts that others follow.
func appendText(m []byte, text string) []byte {
	text = text[:min(len(text), 8*63-1)]
	m = binary.LittleEndian.AppendUint16(m, uint16(len(text)))
	return append(m, text...)
}

// unpacker takes a message apart. What is not there is zero, and makes the message short:
// nothing of it may count.
type unpacker struct {
	rest  []byte
	short bool
}

func (u *unpacker) take(n int) []byte {
	if len(u.rest) < n {
		u.rest, u.short = nil, true
		return make([]byte, n)
	}
	b := u.rest[:n]
	u.rest = u.rest[n:]
	return b
}

func (u *unpacker) u16() int     { return int(binary.LittleEndian.Uint16(u.take(2))) }
func (u *unpacker) u32() uint32  { return binary.LittleEndian.Uint32(u.take(4)) }
func (u *unpacker) u64() uint64  { return binary.LittleEndian.Uint64(u.take(8)) }
func (u *unpacker) text() string { return string(u.take(u.u16())) }

// appendBoard is where a PE is: others show it once the PE cannot be asked any more.
func appendBoard(m []byte, c *control) []byte {
	m = binary.LittleEndian.AppendUint64(m, c.call.Load())
	m = binary.LittleEndian.AppendUint64(m, c.siteFor.Load())
	m = appendText(m, loadText(c.site[:]))
	return appendText(m, c.said())
}

// shown is what appendBoard has packed.
type shown struct {
	call, siteFor uint64
	site, note    string
}

func (u *unpacker) board() shown {
	return shown{call: u.u64(), siteFor: u.u64(), site: u.text(), note: u.text()}
}

func (c *control) takeBoard(b shown) {
	c.call.Store(b.call)
	storeText(c.site[:], b.site)
	c.siteFor.Store(b.siteFor)
	c.say(b.note)
}

// stateMessage is urgent if nobody may wait any more.
func stateMessage(from int, c *control, urgent bool) []byte {
	m := head(msgState, 0, from)
	if urgent {
		m[2] = 1
	}
	m = binary.LittleEndian.AppendUint32(m, c.state.Load())
	m = binary.LittleEndian.AppendUint32(m, uint32(c.exit.Load()))
	return appendBoard(m, c)
}

// endedMessage goes with what a PE has shown last: nobody can ask it any more.
func endedMessage(from, pe int, o *obit, c *control) []byte {
	m := head(msgEnded, 0, from)
	for _, word := range []uint32{uint32(pe), uint32(o.order), c.state.Load(), uint32(c.exit.Load())} {
		m = binary.LittleEndian.AppendUint32(m, word)
	}
	return appendBoard(appendText(m, o.text), c)
}

func (f *far) takeEnded(u *unpacker) {
	pe := int(u.u32())
	e := ending{order: int(u.u32()), state: engine.State(u.u32()), exit: int32(u.u32()), text: u.text()}
	board := u.board()
	e.board = &board
	if pe < len(f.h.ctl) && f.is(pe) && !u.short && e.order <= orderMost && e.state <= engine.Dead {
		f.mourn(pe, e)
	}
}

// askMessage asks for the board of a PE of the receiver's node.
func askMessage(from, pe int) []byte {
	return binary.LittleEndian.AppendUint32(head(msgAsk, 0, from), uint32(pe))
}

func (f *far) takeAsk(from int, u *unpacker) {
	if pe := int(u.u32()); pe < len(f.h.ctl) && !f.is(pe) && !u.short {
		m := binary.LittleEndian.AppendUint32(head(msgBoard, 0, f.h.rank), uint32(pe))
		_ = f.wire.send(from, appendBoard(m, f.h.ctl[pe])) // who has asked waits for a time
	}
}

func (f *far) takeAnswer(u *unpacker) {
	pe, board := int(u.u32()), u.board()
	if pe < len(f.h.ctl) && f.is(pe) && !u.short {
		f.h.ctl[pe].takeBoard(board)
		f.answers[pe].Add(1)
	}
}

func doomMessage(from int, of string) []byte { return appendText(head(msgDoom, 0, from), of) }

// handle does what a PE of another node has told. What makes no sense is left out: it is
// not from a PE of this world.
func (f *far) handle(m []byte) {
	if len(m) < headLen {
		return
	}
	u := &unpacker{rest: m[4:]}
	kind, slot, from := m[0], int(m[1]), int(u.u32())
	if slot >= maxSlots || from >= len(f.h.ctl) || !f.is(from) {
		return
	}
	c := f.h.ctl[from]
	c.heard.Add(1)
	switch kind {
	case msgComes:
		f.takeComes(slot, u.rest)
		f.wake()
	case msgGive:
		f.takeGive(c, slot, u)
	case msgState:
		f.takeState(c, u, m[2] != 0)
	case msgEnded:
		f.takeEnded(u)
	case msgAsk:
		f.takeAsk(from, u)
	case msgBoard:
		f.takeAnswer(u)
	case msgRing:
		f.h.Ring(f.h.rank)
	case msgDoom:
		if of := u.text(); !u.short {
			f.h.Die(of, []int{f.h.rank})
		}
	}
}

// giveMessage says that a member has given a team up. home is whose word tells the
// members of the receiver's node.
func giveMessage(from, slot, home int, first uint64, c *control) []byte {
	m := binary.LittleEndian.AppendUint64(head(msgGive, slot, from), c.slots[slot].gave.Load())
	m = binary.LittleEndian.AppendUint64(m, first)
	m = binary.LittleEndian.AppendUint32(m, uint32(home))
	return appendBoard(m, c)
}

func (f *far) takeGive(c *control, slot int, u *unpacker) {
	gave, first, home, board := u.u64(), u.u64(), int(u.u32()), u.board()
	if home >= len(f.h.ctl) || f.is(home) || u.short || !quit(gave) {
		return
	}
	c.takeBoard(board)
	c.slots[slot].gave.Store(gave)
	f.h.ctl[home].slots[slot].end(gave>>8, first)
	f.wake()
}

// takeState notes what has become of a PE, unless it is known to have ended. That it will
// exit is no alarm before it has.
func (f *far) takeState(c *control, u *unpacker, urgent bool) {
	state, exit, board := engine.State(u.u32()), int32(u.u32()), u.board()
	if c.fate.Load() != 0 || u.short || state >= engine.Dead { // its death others tell
		return
	}
	c.takeBoard(board)
	c.exit.Store(exit)
	c.setState(state)
	if urgent {
		f.alarm()
	}
	f.wake()
}
