package launch

import (
	"errors"
	"fmt"
	"syscall"
)

// maxText bounds the account of what went wrong: large jobs have long lists.
const maxText = 16 << 10

// breakIf breaks the job if there is something to say.
func (h *hub) breakIf(why string) {
	if why != "" {
		h.breakWith(ErrDisagree, why)
	}
}

// breakWith ends the job: every member, and whoever still connects, gets this
// error. Only the first counts.
func (h *hub) breakWith(kind error, text string) {
	if h.broken != nil {
		return
	}
	h.broken = encode(kindError, []byte{codeOf(kind)}, []byte(text[:min(len(text), maxText)]))
	h.tellAll(h.broken, h.limits.farewell)
}

// lost is the end of a connection without good-bye.
func (h *hub) lost(m *member, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m.left, h.incomplete = true, true
	text := fmt.Sprintf("%v died, or closed its connection without a word (%v)", m, err)
	if unreachable(err) {
		text = fmt.Sprintf("%v cannot be reached any more: its machine or the network is gone (%v)", m, err)
	}
	if h.joined < len(h.members) || h.gate.come > 0 { // else nobody waits
		text += "; " + h.roster()
	}
	h.breakWith(ErrLost, text)
}

// unreachable is true of what happens to a connection when the other end is silent, which
// is not what the death of a process does.
func unreachable(err error) bool {
	return errors.Is(err, syscall.ETIMEDOUT) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
}

// giveUp is a member that does not wait any longer.
func (h *hub) giveUp(m *member, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.breakWith(ErrMissing, fmt.Sprintf("%v gave up: %s; %s", m, why, h.roster()))
}

// leave is a member that closes its store. It disturbs only those who wait for it.
func (h *hub) leave(m *member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m.left, h.incomplete = true, true
	if h.joined < len(h.members) || h.gate.come > 0 {
		h.breakWith(ErrLost, fmt.Sprintf("%v has closed its store; %s", m, h.roster()))
	}
}

// breakOver breaks the job if a call can never be complete, because somebody has
// closed its store.
func (h *hub) breakOver(m *member) {
	if h.joined == len(h.members) && !h.incomplete {
		return
	}
	for _, other := range h.members {
		if other == nil {
			h.breakIf(fmt.Sprintf("%v is in %s before all have joined", m, h.gate.name()))
		} else if other.left {
			h.breakWith(ErrLost, fmt.Sprintf("%v has closed its store; %s", other, h.roster()))
		}
	}
}

// kinds are the errors that travel; a code is an index here.
func kinds() []error { return []error{ErrDisagree, ErrLost, ErrMissing} }

func codeOf(kind error) byte {
	for i, k := range kinds() {
		if k == kind {
			return byte(i)
		}
	}
	return 0
}

// decodeBreach is what a client makes of an error frame.
func decodeBreach(body []byte) (text string, kind error) {
	if len(body) == 0 || int(body[0]) >= len(kinds()) {
		return "the server reports an error that this version does not know", ErrDisagree
	}
	return string(body[1:]), kinds()[body[0]]
}
