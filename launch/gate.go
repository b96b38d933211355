package launch

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// gate is the call that the members are coming to: a barrier, or a broadcast,
// which is a barrier that carries bytes. The first to come says which.
type gate struct {
	kind         kind
	root, length int
	first        *member
	data         []byte
	come         int
}

// name is how messages call it.
func (g *gate) name() string {
	if g.kind == kindBarrier {
		return "barrier"
	}
	return fmt.Sprintf("broadcast of %d bytes from rank %d", g.length, g.root)
}

// join makes a connection a member. When the last has come all are told.
func (h *hub) join(who peer, l *link) *member {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := &member{peer: who, link: l}
	if h.me.noun == "node" && who == h.me && h.members[who.rank] != nil {
		return nil // we ourselves, see seekTwin
	}
	if h.broken == nil {
		h.breakIf(h.objection(who))
	}
	if h.broken != nil {
		h.tell(m, h.broken, time.Now().Add(h.limits.farewell))
		return nil
	}
	h.members[who.rank] = m
	h.joined++
	if h.joined == len(h.members) {
		_ = h.ln.Close() // the next world may need the port
		h.tellAll(encode(kindDone), h.limits.frame)
	}
	return m
}

// objection is what speaks against letting a process in; "": nothing.
func (h *hub) objection(who peer) string {
	switch {
	case who.size != h.me.size:
		return fmt.Sprintf("%v says that there are %d %s, %v says %d", who, who.size, h.me.nouns(), h.me, h.me.size)
	case who.rank >= len(h.members):
		return fmt.Sprintf("%v: there are %ss 0 to %d only", who, h.me.noun, len(h.members)-1)
	case h.members[who.rank] != nil:
		return fmt.Sprintf("%s %d is there twice: %v and %v", who.noun, who.rank, h.members[who.rank], who)
	}
	return ""
}

// arrive takes a member's call in. When the last has come all are released.
func (h *hub) arrive(m *member, f frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil {
		return // it was told, and will read so
	}
	if h.gate.come == 0 {
		h.gate = gate{kind: f.kind, first: m}
	}
	h.breakIf(h.gate.take(m, f))
	m.here = true
	h.gate.come++
	h.breakOver(m)
	if h.broken == nil && h.gate.come == len(h.members) {
		h.release()
	}
}

// take compares a member's call with that of the first, and keeps the root's
// bytes. It returns what is wrong.
func (g *gate) take(m *member, f frame) string {
	call := gate{kind: f.kind}
	if f.kind == kindCast {
		if len(f.body) < callSize {
			return fmt.Sprintf("%v sent a call of %d bytes", m, len(f.body))
		}
		call.root, call.length = int(binary.BigEndian.Uint32(f.body)), int(binary.BigEndian.Uint32(f.body[4:]))
	}
	if g.first == m {
		g.root, g.length = call.root, call.length
	}
	switch {
	case m.here:
		return fmt.Sprintf("%v called twice at once", m)
	case call.kind != g.kind || call.root != g.root || call.length != g.length:
		return fmt.Sprintf("%v is in %s, %v in %s", m, call.name(), g.first, g.name())
	case f.kind == kindCast && m.rank == call.root:
		g.data = f.body[callSize:]
		if len(g.data) != g.length {
			return fmt.Sprintf("%v announced %d bytes and sent %d", m, g.length, len(g.data))
		}
	}
	return ""
}

// release lets everybody go on, with the root's bytes.
func (h *hub) release() {
	done := encode(kindDone, h.gate.data)
	h.gate = gate{}
	for _, m := range h.members {
		m.here = false
	}
	h.tellAll(done, h.limits.frame)
}

// tellAll sends an encoded frame to every member. One deadline for all: a member
// that is stopped must not multiply the wait. Rank 0 comes last: its process serves
// the others and may end when it is told.
func (h *hub) tellAll(encoded []byte, limit time.Duration) {
	deadline := time.Now().Add(limit)
	for _, m := range slices.Backward(h.members) {
		if m != nil && !m.left {
			h.tell(m, encoded, deadline)
		}
	}
}

// tell sends to one member. One that cannot be reached is cut off; its listener
// sees that and reports it.
func (h *hub) tell(m *member, encoded []byte, deadline time.Time) {
	if err := m.link.sendBy(deadline, encoded); err != nil {
		_ = m.link.conn.Close()
	}
}
