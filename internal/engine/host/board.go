package host

import (
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
// a call since; its entry stays.
func (h *Heap) leave(call engine.Call) {
	if h.own.call.Load() == call.Pack(true) {
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
	h.own.site.store(site)
	h.own.siteFor.Store(call.Pack(true))
}

// Note writes what this PE refuses, for others to read.
func (h *Heap) Note(reason string) { h.own.reason.store(reason) }

// Progress reads the board of pe.
func (h *Heap) Progress(pe int) engine.Progress {
	c := h.ctl[pe]
	word := c.call.Load()
	call, active := engine.Unpack(word)
	p := engine.Progress{PE: pe, State: c.getState(), Call: call, Active: active, Note: c.reason.load()}
	if h.peers != nil {
		p.Host, p.Pid = h.peers[pe].host, h.peers[pe].pid
	}
	if c.siteFor.Load() == call.Pack(true) {
		if site := c.site.load(); c.siteFor.Load() == call.Pack(true) {
			p.Site = site
		}
	}
	switch {
	case p.State == engine.Failed:
		p.Reason = "failed: " + p.Note
	case p.State != engine.Finalized && h.obits[pe].Load() != nil:
		p.State, p.Reason = engine.Dead, *h.obits[pe].Load()
	}
	return p
}

// stall describes the state of the world (or of a team) for an error.
func (h *Heap) stall(cause error, members []int) *engine.Stall {
	s := &engine.Stall{Cause: cause}
	if members == nil {
		for pe := range h.ctl {
			s.PEs = append(s.PEs, h.Progress(pe))
		}
		return s
	}
	for _, pe := range members {
		s.PEs = append(s.PEs, h.Progress(pe))
	}
	return s
}

// broken returns why no wait can succeed any more, nil if there is no reason.
func (h *Heap) broken() *engine.Stall {
	if h.own.alarm.Load() == 0 {
		return nil
	}
	s := h.stall(nil, nil)
	for _, p := range s.PEs {
		switch p.State {
		case engine.Dead:
			s.Cause = engine.ErrDied
			return s
		case engine.Failed:
			s.Cause = engine.ErrFailed
		}
	}
	if s.Cause == nil {
		return nil
	}
	return s
}

// Fail ends the world for everybody. The first failure of a PE is the one that counts.
func (h *Heap) Fail(reason string, exit int) {
	if h.own.getState() != engine.Running {
		return
	}
	h.own.reason.store(reason)
	h.own.exit.Store(int32(exit) + 1)
	h.own.setState(engine.Failed)
	for pe := range h.ctl {
		h.alarm(pe)
	}
}

// alarm makes every waiter of pe look for what happened.
func (h *Heap) alarm(pe int) {
	h.ctl[pe].alarm.Add(1)
	h.policy.ring(pe)
}
