package launch

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
)

// vigil is what a launcher waits for, told once to the person who wonders why nothing
// happens. A nil vigil notes nothing.
type vigil struct {
	say func(string)

	mu   sync.Mutex
	text string // what is waited for where another process serves
	hub  *hub   // of this process, if it serves
	at   address
	over bool // it was said, or there is nothing more to wait for
}

// note says what is waited for: at a hub of this process, if h is not nil, else text.
func (v *vigil) note(h *hub, at address, text string) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.hub, v.at, v.text = cmp.Or(v.hub, h), at, text
}

// tell says once what is waited for, if there is something.
func (v *vigil) tell() {
	if v == nil {
		return
	}
	v.mu.Lock()
	h, at, text := v.hub, v.at, v.text
	v.mu.Unlock()
	if h != nil {
		text = fmt.Sprintf("waiting for %s at %s%s%s", h.absent(), at.place(h.me), h.strangers(), at.hint(h.me))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.over && text != "" {
		v.over = true
		v.say(text)
	}
}

// end is the end of the wait: nothing is said afterwards.
func (v *vigil) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.over = true
}

// absent names the others that have not joined.
func (h *hub) absent() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []span
	for rank, m := range h.members {
		if m == nil && rank != h.me.rank {
			out = extend(out, rank, "")
		}
	}
	text := list(out)
	if strings.ContainsAny(text, "-,") {
		return h.me.noun + "s " + text
	}
	return h.me.noun + " " + text
}

// strangers is the last connection that was not let in, as the end of a sentence.
func (h *hub) strangers() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dropped == "" {
		return ""
	}
	return "; " + h.dropped
}
