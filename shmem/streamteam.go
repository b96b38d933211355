package shmem

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// meetings is what a team has for its collectives on streams.
type meetings struct {
	first    uint64                    // the generation that its gate begins after
	rejected atomic.Pointer[rejection] // of a call on a stream, for the next blocking one

	host atomic.Pointer[hostGroup] // where they meet, if this process does the work

	mu    sync.Mutex // one call is queued at a time
	asked engine.Collective
}

// rejection is why this PE does not come to a collective on a stream.
type rejection struct {
	kind engine.Kind
	why  error
}

// BarrierOnStream is [Team.BarrierOnStream] for all PEs. Collective over the world.
// rocSHMEM: rocshmem_barrier_all_on_stream; NVSHMEM: nvshmemx_barrier_all_on_stream.
func (w *World) BarrierOnStream(s *gpu.Stream) error {
	if w == nil {
		return noWorld("barrier on stream")
	}
	return w.world.BarrierOnStream(s)
}

// SyncOnStream is [Team.SyncOnStream] for all PEs. Collective over the world. rocSHMEM:
// rocshmem_sync_all_on_stream; NVSHMEM: nvshmemx_sync_all_on_stream.
func (w *World) SyncOnStream(s *gpu.Stream) error {
	if w == nil {
		return noWorld("sync on stream")
	}
	return w.world.SyncOnStream(s)
}

// BarrierOnStream has later work of the stream wait until the streams of all members have
// come here, and what they had put on these streams is there. It returns at once; on a nil
// team it does nothing. All members call what they call on streams of a team in the same
// order, and it is done in that order, also on several streams; what a graph has of it is
// done when the graph is launched, which is for the program to order. Nobody compares:
// members that differ wait in vain, or for each other's next call. An error of the wait
// comes from the stream's Synchronize. Blocking calls of the team may be made meanwhile.
// Collective over the team. rocSHMEM: rocshmem_barrier_on_stream; NVSHMEM:
// nvshmemx_barrier_on_stream.
func (t *Team) BarrierOnStream(s *gpu.Stream) error {
	return t.meetOn(s, engine.KindBarrier)
}

// SyncOnStream is BarrierOnStream that completes no puts. Collective over the team.
// rocSHMEM: rocshmem_team_sync_on_stream; NVSHMEM: nvshmemx_team_sync_on_stream.
func (t *Team) SyncOnStream(s *gpu.Stream) error {
	return t.meetOn(s, engine.KindSync)
}

func (t *Team) meetOn(s *gpu.Stream, kind engine.Kind) error {
	if t == nil {
		return nil
	}
	g, h, err := t.on(s)
	if err == nil {
		if err = t.before(h); err == nil && kind == engine.KindSync {
			err = g.SyncOn(h)
		} else if err == nil {
			err = g.BarrierOn(h)
		}
		t.after(t.w.named(s), h)
	}
	if err != nil {
		return t.reject(s, kind, err)
	}
	if kind == engine.KindBarrier {
		t.w.quieted(h)
	}
	return nil
}

// collectiveOn queues a collective, unless its arguments are invalid.
func (t *Team) collectiveOn(s *gpu.Stream, c engine.Collective, invalid error) error {
	if t == nil {
		return fail(nil, onStream(c.Kind), noPeer, ErrNotMember)
	}
	g, h, err := t.on(s)
	err = cmp.Or(invalid, err)
	if err == nil && c.Bytes > 0 {
		m := &t.meetings
		m.mu.Lock()
		m.asked = c
		if err = t.before(h); err == nil {
			err = g.CollectiveOn(h, &m.asked)
		}
		t.after(t.w.named(s), h)
		m.mu.Unlock()
	}
	if err != nil {
		return t.reject(s, c.Kind, err)
	}
	return nil
}

// onStream is what a collective on a stream is called in errors.
func onStream(kind engine.Kind) string { return kind.String() + " on stream" }

// on returns where a collective of the team on a stream goes.
func (t *Team) on(s *gpu.Stream) (engine.Group, device.Handle, error) {
	if state := t.state.Load(); state != live {
		return nil, 0, t.gone(state)
	}
	q, h, err := t.w.on(s)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case q.host != nil:
		return t.meeting(q.host), h, nil
	case t.group != nil:
		return t.group, h, nil
	}
	return nil, 0, problem(ErrArgument, "this team does not meet on streams: not all PEs reach each other's memory, so it is this PE alone")
}

// meeting returns where the members meet on streams that call functions.
func (t *Team) meeting(on *hostStreams) *hostGroup {
	m := &t.meetings
	if g := m.host.Load(); g != nil {
		return g
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.host.Load() == nil {
		m.host.Store(newHostGroup(on, t))
	}
	return m.host.Load()
}

// reject keeps a call that cannot be for the next blocking collective of the team, which
// fails on all members then: they wait for this PE in vain. What is wrong with the world or
// the team as a whole they know.
func (t *Team) reject(s *gpu.Stream, kind engine.Kind, err error) error {
	err = fail(t.w, onStream(kind), noPeer, err)
	if t.state.Load() != live || t.w.state.Load() != live || t.w.heap.Broken() != nil {
		return err
	}
	t.meetings.rejected.CompareAndSwap(nil, &rejection{kind, err})
	if q, closed := t.w.streams(); closed == nil && q.host != nil {
		t.meeting(q.host).refuse(s, kind, err)
	}
	return err
}

// refuseRejected ends the team at its gate, if this PE has rejected a call on a stream.
// The caller has entered the team.
func (t *Team) refuseRejected() {
	if t.meetings.rejected.Load() == nil {
		return
	}
	if r := t.meetings.rejected.Swap(nil); r != nil {
		t.gate.Refuse(t.call(r.kind, ""), r.why)
	}
}

// finishMeetings waits for what this PE has queued on streams of the team, where this
// process does it.
func (t *Team) finishMeetings(ctx context.Context) error {
	if g := t.meetings.host.Load(); g != nil {
		return g.finish(ctx)
	}
	return nil
}

// endMeetings has what comes later on streams of the team fail: out of a graph, or of a
// stream that nobody has waited for.
func (t *Team) endMeetings() {
	if g := t.meetings.host.Load(); g != nil {
		g.team.state.CompareAndSwap(live, t.state.Load())
	}
}
