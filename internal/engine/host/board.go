package host

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// enter writes on the board that this PE is in call.
func (h *Heap) enter(call engine.Call) {
	h.post(call.Pack(true))
	if call.Site != "" {
		h.noteSite(call)
	}
}

// leave writes that call is over. Another goroutine of the PE may have entered
// a call since; its entry stays. So does that of a call which failed with the
// world: others are to read where this PE was when it learned of that.
func (h *Heap) leave(call engine.Call) {
	if h.own.call.Load() == call.Pack(true) && h.own.getState() != engine.Left {
		h.post(call.Pack(false))
	}
}

// post stores a board entry. It orders nothing, so it is a plain store where
// the machine allows.
func (h *Heap) post(word uint64) { mem.Store(unsafe.Pointer(&h.own.call), word) }

// noteSite adds the line of the user's program to the board entry of call.
func (h *Heap) noteSite(call engine.Call) {
	site := call.Site
	if site == "" {
		site = engine.Site()
	}
	h.own.siteFor.Store(0)
	storeText(h.own.site[:], site)
	h.own.siteFor.Store(call.Pack(true))
}

// Note writes what this PE refuses, for others to read.
func (h *Heap) Note(reason string) { h.own.say(reason) }

// Progress reads the board of pe. That of another node is asked for.
func (h *Heap) Progress(pe int) engine.Progress {
	h.far.refresh(pe)
	return h.progress(pe)
}

// progress reads the board of pe as it is here.
func (h *Heap) progress(pe int) engine.Progress {
	c := h.ctl[pe]
	word := c.call.Load()
	call, active := engine.Unpack(word)
	p := engine.Progress{PE: pe, State: c.getState(), Call: call, Active: active, Note: c.said(), Last: c.latest(), Untold: word == 0 && h.far.is(pe)}
	if h.peers != nil {
		p.Host, p.Pid = h.peers[pe].host, h.peers[pe].pid
		if h.far != nil {
			p.Host += fmt.Sprintf(", node %d", h.far.node[pe])
		}
	}
	if c.siteFor.Load() == call.Pack(true) {
		if site := loadText(c.site[:]); c.siteFor.Load() == call.Pack(true) {
			p.Site = site
		}
	}
	switch {
	case p.State == engine.Failed:
		p.Reason = "failed: " + p.Note
	case p.State != engine.Finalized && p.State != engine.Left && h.obits[pe].Load() != nil:
		o := h.obits[pe].Load()
		p.State, p.Reason, p.Order = engine.Dead, o.text, o.order
	case p.State == engine.Dead && h.far.is(pe):
		p.Reason, p.Order = loadText(c.end[:]), int(c.fate.Load())-fateDied
	}
	return p
}

// stall describes the state of the world (or of a team) for an error.
func (h *Heap) stall(cause error, members []int) *engine.Stall {
	if members == nil {
		members = h.all()
	}
	h.far.refresh(members...)
	s := &engine.Stall{Cause: cause}
	for _, pe := range members {
		s.PEs = append(s.PEs, h.progress(pe))
	}
	return s
}

// Where says in which calls the PEs are, and who has not come to a call of all in which this
// one is. It may be asked by any goroutine.
func (h *Heap) Where() string {
	s := h.stall(engine.ErrTimeout, nil)
	mine := s.PEs[h.rank]
	for _, p := range s.PEs {
		if mine.Active && mine.Call.Kind != engine.KindSendReceive && (!p.Active || p.Call != mine.Call) {
			s.Absent = append(s.Absent, p.PE)
		}
	}
	return s.Whereabouts()
}

// all are all PEs.
func (h *Heap) all() []int {
	pes := make([]int, len(h.ctl))
	for pe := range pes {
		pes[pe] = pe
	}
	return pes
}

// broken returns why no wait can succeed any more, nil if there is no reason. A PE
// that has been told so only follows: whatever it does next, it is not the cause.
func (h *Heap) broken() *engine.Stall {
	if h.own.alarm.Load() == 0 {
		return nil
	}
	h.far.others(func(_ int, c *control) { h.far.exits(c) })
	var cause error
	for pe := range h.ctl {
		switch p := h.progress(pe); {
		case p.State == engine.Dead:
			cause = engine.ErrDied
		case p.State == engine.Failed && cause == nil:
			cause = engine.ErrFailed
		}
	}
	if cause == nil {
		return nil
	}
	s := h.stall(cause, nil)
	if h.own.state.CompareAndSwap(uint32(engine.Running), uint32(engine.Left)) {
		h.far.tell(false)
	}
	return s
}

// Broken is broken for callers that want an error.
func (h *Heap) Broken() error {
	if s := h.broken(); s != nil {
		return s
	}
	return nil
}

// Fail ends the world for everybody. The first failure of a PE is the one that
// counts, but one that only follows may still end the job. Other processes are not
// alarmed about one that is about to exit: its death alarms them, so that none of
// them, which end because of it, ends before it.
func (h *Heap) Fail(reason string, exit int) {
	from, to := engine.Running, engine.Failed
	if reason == "" {
		to = engine.Left
	} else if exit >= 0 && h.own.getState() == engine.Left {
		from = engine.Left
	}
	if to == engine.Failed && h.own.getState() == from {
		reason, _, _ = strings.Cut(reason, "\n") // a stack trace is for the PE's own output
		h.own.say(reason)
		h.own.exit.Store(max(int32(exit), -1) + 1)
	}
	if !h.own.state.CompareAndSwap(uint32(from), uint32(to)) {
		return
	}
	h.far.tell(exit == engine.Stays)
	if exit != engine.Stays && h.peers != nil {
		return
	}
	for pe := range h.ctl {
		h.alarm(pe)
	}
}

// alarm makes every waiter of pe look for what happened.
func (h *Heap) alarm(pe int) {
	h.ctl[pe].alarm.Add(1)
	h.policy.ring(pe)
}

// lastWords says why a PE gave a team up before its process ended: then it is not
// the one to blame. Or which fault it had to die of.
func lastWords(c *control) string {
	if c.doomed.Load() != 0 {
		return c.doom()
	}
	for i := range c.slots {
		if quit(c.slots[i].gave.Load()) {
			return " after this: " + c.said()
		}
	}
	return ""
}
