package shmem

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// Team is an ordered set of PEs that do collectives together. A nil *Team is the
// team of a PE that is not a member: barriers, syncs and Destroy do nothing on
// it, MyPE, NPEs and Translate give -1, and everything else is ErrNotMember.
// OpenSHMEM: shmem_team_t; nil is SHMEM_TEAM_INVALID.
type Team struct {
	w        *World
	slot     int
	members  []int // PE numbers of the world, in team order
	me       int
	config   TeamConfig
	site     string // where the team was made
	gate     engine.Gate
	group    engine.Group // where streams of a device meet; nil: in a world without
	order    order
	stream   device.Handle          // for what the team does there while this PE waits; 0: not made yet
	bases    []unsafe.Pointer       // of the members' heaps; nil: only the engine gets there
	direct   bool                   // all of them are there
	staged   bool                   // what members stage can be loaded
	folding  folding                // what reductions need
	current  collective             // under way, if busy
	last     atomic.Pointer[Handle] // the last collective that was started; nil: none is under way
	state    atomic.Uint32          // live, freed or closed
	meetings meetings               // on streams
	busy     atomic.Uint32          // 1: a goroutine is in a collective; it alone uses gate and count
	count    [engine.KindFinalize + 1]uint64
	past     int // what the roots of all collectives were
}

// TeamConfig are wishes for a new team. OpenSHMEM: shmem_team_config_t.
type TeamConfig struct {
	NumContexts int // communication contexts that the team will have; recorded, not limited
}

const (
	worldSlot  = 0
	sharedSlot = 1
	maxTeams   = 64
)

func (w *World) newTeam(slot int, members []int, generation uint64, c TeamConfig) *Team {
	t := &Team{
		w: w, slot: slot, members: members, config: c,
		me:     slices.Index(members, w.rank),
		gate:   w.heap.Gate(slot, members, generation),
		direct: true, staged: true,
	}
	t.meetings.first = generation
	for i, pe := range members {
		t.bases = append(t.bases, w.bases[pe])
		t.direct = t.direct && w.bases[pe] != nil
		t.staged = t.staged && t.gate.Stage(i) != nil
	}
	return t
}

// World returns the world that the team belongs to, nil for a nil team. Local.
func (t *Team) World() *World {
	if t == nil {
		return nil
	}
	return t.w
}

// MyPE returns this PE's number in the team. Local. OpenSHMEM: shmem_team_my_pe.
func (t *Team) MyPE() int {
	if t == nil {
		return -1
	}
	return t.me
}

// NPEs returns the number of members. Local. OpenSHMEM: shmem_team_n_pes.
func (t *Team) NPEs() int {
	if t == nil {
		return -1
	}
	return len(t.members)
}

// Config returns what the team was made with. Local. OpenSHMEM: shmem_team_get_config.
func (t *Team) Config() (TeamConfig, error) {
	if t == nil {
		return TeamConfig{}, fail(nil, "team config", noPeer, ErrNotMember)
	}
	return t.config, nil
}

// Translate returns the number in team to of the PE that is pe here, -1 if it is
// in no such place or either team is nil. Local. OpenSHMEM: shmem_team_translate_pe.
func (t *Team) Translate(pe int, to *Team) int {
	if t == nil || to == nil || t.w != to.w || pe < 0 || pe >= len(t.members) {
		return -1
	}
	return slices.Index(to.members, t.members[pe])
}

// Barrier completes all puts and atomics of this PE and waits until every member
// has called it. Blocking, collective over the team. OpenSHMEM: shmem_team_sync
// with quiet; rocSHMEM: rocshmem_barrier.
func (t *Team) Barrier(ctx context.Context) error {
	if t == nil {
		return nil
	}
	err := t.w.busyStreams()
	if err == nil {
		err = t.w.lane.moves.Quiet(orBackground(ctx))
	}
	if err != nil {
		return fail(t.w, "barrier", noPeer, t.stayAway(ctx, engine.KindBarrier, err))
	}
	return t.meet(ctx, engine.KindBarrier, "barrier", "")
}

// stayAway tells the others that this PE does not come to a meeting, and why, so that
// they do not wait for it.
func (t *Team) stayAway(ctx context.Context, kind engine.Kind, why error) error {
	if err := t.enter(ctx); err != nil {
		return why
	}
	defer t.exit()
	t.gate.Refuse(t.call(kind, ""), why)
	return why
}

// Sync waits until every member has called it. It makes stores of a PE to its own
// memory visible and completes no puts. Blocking, collective over the team.
// OpenSHMEM: shmem_team_sync.
func (t *Team) Sync(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.meet(ctx, engine.KindSync, "sync", "")
}

// meet waits until every member is in the same kind of call.
func (t *Team) meet(ctx context.Context, kind engine.Kind, op, site string) error {
	if err := t.enter(ctx); err != nil {
		return fail(t.w, op, noPeer, err)
	}
	err := t.gate.Meet(orBackground(ctx), t.call(kind, cmp.Or(site, t.startedAt(ctx))))
	t.exit()
	if err != nil {
		return fail(t.w, op, noPeer, err)
	}
	return nil
}

// gather is meet that also exchanges four words, in team order.
func (t *Team) gather(ctx context.Context, call engine.Call, mine engine.Words) ([]engine.Words, error) {
	all := make([]engine.Words, len(t.members))
	if err := t.gate.Gather(orBackground(ctx), call, mine, all); err != nil {
		return nil, err
	}
	return all, nil
}

// enter takes the team for one collective of this goroutine, after those that were
// started.
func (t *Team) enter(ctx context.Context) error {
	if t.last.Load() != nil {
		if err := t.waitForStarted(orBackground(ctx)); err != nil {
			return err
		}
	}
	if !t.busy.CompareAndSwap(0, 1) {
		return ErrConcurrentCollective
	}
	if s := t.state.Load(); s != live {
		t.exit()
		return t.gone(s)
	}
	t.refuseRejected()
	return nil
}

// exit gives the team back. An ordinary store is enough, and much cheaper than one that
// nothing later may pass.
func (t *Team) exit() { mem.Store(unsafe.Pointer(&t.busy), uint32(0)) }

func (t *Team) gone(state uint32) error {
	if state == closed {
		return t.w.gone()
	}
	return problem(ErrClosed, "the team was destroyed")
}

// call counts and names the next call of its kind on this team.
func (t *Team) call(kind engine.Kind, site string) engine.Call {
	t.count[kind]++
	if t.w.info.Checked && site == "" {
		site = engine.Site()
	}
	return engine.Call{Kind: kind, Slot: uint8(t.slot), Seq: t.count[kind], Site: site}
}

// Destroy ends the team and those of its contexts that are left. It waits for all
// members; the world's own teams and nil stay as they are, and a second call does
// nothing. Blocking, collective over the team. OpenSHMEM: shmem_team_destroy.
//
// A team that is out of order is ended on this PE alone, without waiting. An error says
// so to a PE that did not know; the team is ended all the same. Such a team keeps its
// place among the 64 that a PE can have: the members cannot agree any more, and one that
// still is in an earlier call must not take the words of a new team for those it awaits.
func (t *Team) Destroy(ctx context.Context) error {
	_, err := t.destroy(ctx)
	return err
}

// destroy also says whether the team was out of order.
func (t *Team) destroy(ctx context.Context) (broken bool, err error) {
	if t == nil || t.slot <= sharedSlot || t.state.Load() == freed {
		return false, nil
	}
	if err := t.endContexts(ctx); err != nil {
		return false, rewrap(t.w, "team destroy", err)
	}
	if err := t.finishMeetings(ctx); err != nil {
		return false, fail(t.w, "team destroy", noPeer, err)
	}
	if err := t.enter(ctx); err != nil {
		return false, fail(t.w, "team destroy", noPeer, err)
	}
	defer t.exit()
	err = t.gate.Meet(orBackground(ctx), t.call(engine.KindDestroy, engine.Site()))
	if err == nil {
		err = t.endGroup(ctx)
	}
	t.state.Store(freed)
	t.endMeetings()
	t.w.forget(t)
	if err == nil {
		t.w.yield(1 << t.slot)
	}
	if errors.Is(err, engine.ErrOutOfOrder) { // this PE has been told
		return true, nil
	}
	return err != nil, fail(t.w, "team destroy", noPeer, err)
}

// forget takes a destroyed team off the list of those that are left.
func (w *World) forget(t *Team) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.teams = slices.DeleteFunc(w.teams, func(other *Team) bool { return other == t })
}
