package block

import (
	"context"

	"github.com/goshmem/goshmem/internal/engine"
)

// meetingSlot is the team slot of the meetings, which a team may have afterwards.
const meetingSlot = 63

// Meetings are those of all PEs on their way into a world. After each step that can fail
// on one PE alone they meet: whoever has failed says so in the world of the host, where
// it is everybody's error.
type Meetings struct {
	ctx  context.Context
	size int
	gate engine.Gate
	seq  uint64
}

// Meet prepares the meetings of all PEs of a world.
func Meet(ctx context.Context, control engine.Heap, size int) *Meetings {
	everyone := make([]int, size)
	for pe := range everyone {
		everyone[pe] = pe
	}
	return &Meetings{ctx: ctx, size: size, gate: control.Gate(meetingSlot, everyone, 0)}
}

// Call is the next meeting, or a call of the library while the world begins.
func (m *Meetings) Call() engine.Call {
	m.seq++
	return engine.Call{Kind: engine.KindInit, Seq: m.seq}
}

// Gather meets the others, with a few words of each.
func (m *Meetings) Gather(mine engine.Words) ([]engine.Words, error) {
	all := make([]engine.Words, m.size)
	if err := m.gate.Gather(m.ctx, m.Call(), mine, all); err != nil {
		return nil, err
	}
	return all, nil
}
