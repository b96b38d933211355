package host

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/internal/engine"
)

// Die ends PEs as a crash would. For goroutine PEs, which nobody can end from outside,
// that is what the others are told; whoever plays a dead one must end it.
func (h *Heap) Die(of string, pes []int) {
	if h.peers != nil {
		h.slay(of, pes)
		return
	}
	order := 0
	for pe := range h.obits {
		if h.obits[pe].Load() != nil {
			order = 2
		}
	}
	for _, pe := range pes {
		h.obits[pe].CompareAndSwap(nil, &obit{"died: " + of, order})
	}
	for _, pe := range pes { // they have died of this and fail of nothing any more
		h.ctl[pe].state.CompareAndSwap(uint32(engine.Running), uint32(engine.Dead))
	}
	for pe := range h.ctl {
		h.alarm(pe)
	}
}

// Hang stops this PE: a process until somebody lets it go on, a goroutine until the
// world has ended. That nobody ends it is the others' time-out, or twice this PE's own.
func (h *Heap) Hang(call engine.Call) error {
	h.enter(call)
	defer h.leave(call)
	if h.peers != nil {
		return h.freeze()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*h.timeout)
	defer cancel()
	if s := h.await(ctx, call, meetTick, nil, func() bool { return false }); s != nil {
		return s
	}
	return nil
}

// doom is what lastWords says of a PE that a fault has killed.
func (c *control) doom() string { return fmt.Sprintf(" (%s)", c.said()) }
