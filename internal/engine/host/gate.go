package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// flatMax is the largest team whose members look at each other's flags. It is
// the fastest way for few PEs and needs the fewest context switches when there
// are more PEs than cores; the work grows with the square of the team, so larger
// teams count arrivals in one word.
const flatMax = 16

// gate is the meeting point of one team. Meetings are numbered; each member
// writes the number and the kind of the meeting that it enters into its own
// arrived word, so everybody sees who is there and who came for something else.
type gate struct {
	h       *Heap
	members []int
	slot    int // of the team
	self    int // own place in members
	gen     uint64
	slots   []*slot     // of the members, in team order
	err     error       // why this gate is out of order; sticky
	inside  bool        // between Open and Leave
	ahead   bool        // this PE has not waited for everybody in the last meeting,
	last    engine.Call // which was this

	due     uint64         // the meeting that the awaited word must have come to
	awaited *atomic.Uint64 // the word that this PE waits for
	ready   func() bool    // over, made once: meetings allocate nothing
}

// Gate makes the meeting point of a team. Its meetings are numbered from
// generation on, so that words left over in a reused slot are always older.
func (h *Heap) Gate(slotIndex int, members []int, generation uint64) engine.Gate {
	g := &gate{h: h, slot: slotIndex, members: members, gen: generation}
	g.ready = g.over
	for i, pe := range members {
		if pe == h.rank {
			g.self = i
		}
		g.slots = append(g.slots, &h.ctl[pe].slots[slotIndex])
	}
	return g
}

// Generation returns the number of the latest meeting of this PE at any gate.
func (h *Heap) Generation() uint64 {
	var last uint64
	for i := range h.own.slots {
		last = max(last, h.own.slots[i].arrived.Load()>>8)
	}
	return last
}

// Meet returns when every member has called it with the same kind.
func (g *gate) Meet(ctx context.Context, call engine.Call) error {
	if err := g.usable(); err != nil {
		return err
	}
	g.gen++
	return g.meet(ctx, call)
}

// Gather is Meet that also exchanges four words. The words of two meetings in a
// row use different places: nobody can be two meetings ahead of a reader.
func (g *gate) Gather(ctx context.Context, call engine.Call, mine engine.Words, all []engine.Words) error {
	if err := g.usable(); err != nil {
		return err
	}
	g.gen++
	g.h.enter(call) // before it may have to wait for the others
	if err := g.catchUp(ctx, call); err != nil {
		return err
	}
	g.slots[g.self].write(g.gen, engine.Slip(mine[:3]))
	g.slots[g.self].more[g.gen&1].Store(mine[3])
	if err := g.meet(ctx, call); err != nil {
		return err
	}
	for m, s := range g.slots {
		slip := s.read(g.gen)
		all[m] = engine.Words{slip[0], slip[1], slip[2], s.more[g.gen&1].Load()}
	}
	return nil
}

// usable returns why there can be no meeting. The members of a team without the
// dead could go on for ever if each found the others there at once: they too learn
// of a death at the next meeting.
func (g *gate) usable() error {
	if g.err != nil {
		return &late{g.err}
	}
	if s := g.h.broken(); s != nil {
		g.gen++
		g.giveUp(s)
	}
	return g.err
}

// meet announces this PE and waits for the others.
func (g *gate) meet(ctx context.Context, call engine.Call) error {
	g.h.enter(call)
	if err := g.catchUp(ctx, call); err != nil {
		return err
	}
	want := g.gen<<8 | uint64(call.Kind)
	g.slots[g.self].arrived.Store(want) // also orders earlier puts before it
	var err error
	if g.flat() {
		err = g.meetFlat(ctx, call, want)
	} else {
		err = g.meetCounted(ctx, call, want)
	}
	if err != nil { // the board goes on to say where this PE gave up
		g.giveUp(err)
		return err
	}
	g.h.leave(call)
	return nil
}

func (g *gate) flat() bool { return len(g.members) <= flatMax }

// gaveUp and above stand in an arrived word in place of a kind: the member does
// not come to this meeting, nor to any later one. Earlier ones it has been to:
// those who still look at its word for one of them find that it was there.
const (
	gaveUp = 0xf0

	byItself  = gaveUp     // its context was cancelled, or it found others in another call
	byTimeout = gaveUp + 1 // its time was over
	withWorld = gaveUp + 2 // a PE has died or failed
	following = gaveUp + 3 // another member gave up before
)

// causeOf is the cause of the error of a member that finds somebody who gave up.
func causeOf(word uint64) error {
	if word&0xff == byTimeout {
		return engine.ErrTimeout
	}
	return engine.ErrMismatch
}

// quit says whether the member that wrote an arrived word has given up.
func quit(word uint64) bool { return word&0xff >= gaveUp }

// settled says whether word will say nothing more about this meeting: its writer
// is here, has gone on, or will never come.
func (g *gate) settled(word uint64) bool { return word>>8 >= g.due || quit(word) }

// strange says whether a member is not in this meeting for want, as far as it has
// settled. One that has gone on without waiting was here, but perhaps not for that.
func (g *gate) strange(s *slot, want uint64) bool {
	word := s.arrived.Load()
	if word>>8 > g.gen {
		came := s.came[g.gen&1].Load()
		return came>>8 == g.gen && came != want
	}
	return word != want && g.settled(word)
}

// lost says whether a member has given this meeting up, or an earlier one. A later one
// is no reason to end this: who gave that up was here.
func (g *gate) lost() bool {
	word := g.slots[0].ended.Load()
	return quit(word) && word>>8 <= g.gen
}

// giveUp makes the gate useless for everybody: after an error the members no
// longer agree on which meeting is next.
func (g *gate) giveUp(err error) {
	g.err = err
	if g.h.own.getState() != engine.Failed { // else it is why this PE has failed, in another goroutine
		storeText(g.h.own.reason[:], brief(err.Error()))
	}
	g.slots[g.self].arrived.Store(g.gen<<8 | g.why(err))
	for ended, mine := &g.slots[0].ended, g.gen<<8|gaveUp; ; {
		if old := ended.Load(); quit(old) && old <= mine || ended.CompareAndSwap(old, mine) {
			break
		}
	}
	g.ring()
}

// late is the error of a later call at a gate that is out of order.
type late struct{ err error }

func (l *late) Error() string {
	return "the team is out of order since an earlier collective failed: " + brief(l.err.Error())
}

func (l *late) Unwrap() error { return l.err }

// brief is the beginning of an error and who was absent. The rest says where the
// other PEs were, and grows old.
func brief(text string) string {
	parts := strings.Split(text, "; ")
	return strings.Join(append(parts[:1], slices.DeleteFunc(parts[1:], func(part string) bool {
		return !strings.Contains(part, " absent: ")
	})...), "; ")
}

// why tells the members that look next whom to ask.
func (g *gate) why(err error) uint64 {
	switch {
	case g.h.own.alarm.Load() != 0 && (errors.Is(err, engine.ErrDied) || errors.Is(err, engine.ErrFailed)):
		return withWorld
	case g.quitter() >= 0:
		return following
	case errors.Is(err, engine.ErrTimeout):
		return byTimeout
	}
	return byItself
}

// quitter is the member that gave up first, for a reason of its own; -1 if none did.
func (g *gate) quitter() int {
	return slices.IndexFunc(g.slots, func(s *slot) bool {
		w := s.arrived.Load() & 0xff
		return w >= gaveUp && w < withWorld
	})
}

func (g *gate) ring() {
	for _, pe := range g.members {
		g.h.Ring(pe)
	}
}

// meetFlat looks at every member's flag.
func (g *gate) meetFlat(ctx context.Context, call engine.Call, want uint64) error {
	g.ring()
	for _, s := range g.slots {
		if s.arrived.Load() == want {
			continue
		}
		if err := g.waitFor(ctx, call, &s.arrived); err != nil {
			return err
		}
		if i := g.firstStranger(want); i >= 0 {
			return g.mismatch(ctx, call, i)
		}
	}
	return nil
}

// waitFor waits until word is settled, or any member has given up.
func (g *gate) waitFor(ctx context.Context, call engine.Call, word *atomic.Uint64) error {
	for n, pause := g.h.policy.spin(); n > 0; n-- {
		if g.settled(word.Load()) {
			return nil
		}
		if pause {
			mem.Pause()
		}
	}
	g.awaited = word
	s := g.h.await(ctx, call, meetTick, g.members, g.ready)
	if s == nil {
		return nil
	}
	if s.Cause == engine.ErrDied || s.Cause == engine.ErrFailed {
		return s // nobody else is to blame
	}
	for i, pe := range g.members {
		if !g.settled(g.slots[i].arrived.Load()) {
			s.Absent = append(s.Absent, pe)
		}
	}
	return s
}

// over says whether the awaited word is settled, or any member has given up.
func (g *gate) over() bool { return g.settled(g.awaited.Load()) || g.lost() }

// meetCounted counts arrivals at the first member; the last one checks that all
// came for the same and opens the gate.
func (g *gate) meetCounted(ctx context.Context, call engine.Call, want uint64) error {
	first := g.slots[0]
	if g.count(&first.tally) {
		g.open(want)
	} else if err := g.waitFor(ctx, call, &first.opened); err != nil {
		return err
	}
	return g.agreed(ctx, call, want)
}

// open is what the last member does who arrives at a counted meeting.
func (g *gate) open(want uint64) {
	open := g.gen << 8
	if g.firstStranger(want) >= 0 {
		open |= gaveUp
	}
	g.slots[0].opened.Store(open)
	g.ring()
}

// agreed returns an error if the meeting had strangers or was given up before it was
// opened.
func (g *gate) agreed(ctx context.Context, call engine.Call, want uint64) error {
	opened := g.slots[0].opened.Load()
	if opened == g.gen<<8 || opened>>8 > g.gen {
		return nil
	}
	return g.mismatch(ctx, call, max(g.firstStranger(want), 0))
}

// count adds this PE to the tally of the meeting and says whether it was the last.
func (g *gate) count(tally *atomic.Uint64) bool {
	for {
		old := tally.Load()
		next := old + 1
		if old>>16 < g.gen { // the first of this meeting, or a reused slot
			next = g.gen<<16 | 1
		}
		if tally.CompareAndSwap(old, next) {
			return next&0xffff == uint64(len(g.members))
		}
	}
}

// firstStranger is the first member that gave up or came for something else, -1
// if none did.
func (g *gate) firstStranger(want uint64) int {
	for i, s := range g.slots {
		if g.strange(s, want) {
			return i
		}
	}
	return -1
}

// mismatch is the error of a meeting to which the i-th member came for something
// else, or no longer comes.
func (g *gate) mismatch(ctx context.Context, call engine.Call, i int) error {
	word := g.slots[i].arrived.Load()
	switch word & 0xff {
	case withWorld:
		if s := g.news(ctx, call); s != nil {
			return s
		}
	case following:
		i = max(g.quitter(), 0)
		word = g.slots[i].arrived.Load()
	}
	s := g.h.stall(causeOf(word), g.members)
	p := &s.PEs[i]
	if quit(word) {
		s.Detail = fmt.Sprintf("PE %d gave this team up: %s", p.PE, loadText(g.h.ctl[p.PE].reason[:]))
		return s
	}
	if word>>8 > g.gen {
		word = g.slots[i].came[g.gen&1].Load()
	}
	if kind := engine.Kind(word & 0xff); p.Call.Kind != kind { // it has gone on since
		p.Call = engine.Call{Kind: kind, Slot: call.Slot}
	}
	s.Detail = fmt.Sprintf("PE %d is in %v where PE %d is in %v", p.PE, p.Call, g.h.rank, call)
	return s
}

// news waits for what another member knows already: who died or failed. Each
// process learns of a death by itself, one a moment before the other.
func (g *gate) news(ctx context.Context, call engine.Call) *engine.Stall {
	g.h.await(ctx, call, meetTick, g.members, func() bool { return g.h.own.alarm.Load() != 0 })
	return g.h.broken()
}
