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
// writes the number and the kind of each meeting that it comes to into its own record
// of it, so everybody sees who is there and who came for something else.
type gate struct {
	h       *Heap
	members []int
	slot    int    // of the team
	self    int    // own place in members
	home    int    // place of the first member of this node
	first   uint64 // the last meeting of earlier teams in this slot
	gen     uint64
	slots   []*slot            // of the members, in team order
	near    []int              // places of the members of this node, if there are others
	away    []away             // the other nodes that have members
	untold  uint64             // the meeting of which they have not been told yet that this PE has come
	message []byte             // the latest to them, used again
	err     error              // why this gate is out of order; sticky
	inside  bool               // between Open and Leave
	seen    uint64             // the last meeting that all are known to have come to, for the same
	calls   [depth]engine.Call // of this PE in its latest meetings

	due     uint64         // the meeting that the awaited word must have come to
	awaited *atomic.Uint64 // the word that this PE waits for
	ready   func() bool    // over, made once: meetings allocate nothing
}

// Gate makes the meeting point of a team. Its meetings are numbered from
// generation on, so that words left over in a reused slot are always older.
func (h *Heap) Gate(slotIndex int, members []int, generation uint64) engine.Gate {
	h.used[slotIndex].Store(true)
	g := &gate{h: h, slot: slotIndex, members: members, first: generation, gen: generation, seen: generation}
	g.ready = g.over
	for i, pe := range members {
		if pe == h.rank {
			g.self = i
		}
		g.slots = append(g.slots, &h.ctl[pe].slots[slotIndex])
	}
	if h.far != nil {
		g.near, g.away = h.far.homes(members)
		g.home = append(g.near, 0)[0]
	}
	return g
}

// Generation returns the number of the latest meeting of this PE at any gate.
func (h *Heap) Generation() uint64 {
	var last uint64
	for i := range h.own.slots {
		if !h.used[i].Load() { // there is no memory yet
			continue
		}
		s := &h.own.slots[i]
		last = max(last, s.gave.Load()>>8)
		for c := range s.comings {
			last = max(last, s.comings[c].arrived.Load()>>8)
		}
	}
	return last
}

// Meet returns when every member has called it with the same kind.
func (g *gate) Meet(ctx context.Context, call engine.Call) error {
	if err := g.Open(ctx, call); err != nil {
		return err
	}
	g.Arrive(call)
	if err := g.Await(ctx, call, engine.All); err != nil { // the board goes on to say where this PE gave up
		return err
	}
	g.Leave(call)
	return nil
}

// Gather is Meet that also exchanges four words.
func (g *gate) Gather(ctx context.Context, call engine.Call, mine engine.Words, all []engine.Words) error {
	if err := g.Open(ctx, call); err != nil {
		return err
	}
	copy(g.Slip(g.self)[:], mine[:])
	g.Arrive(call)
	if err := g.Await(ctx, call, engine.All); err != nil {
		return err
	}
	for i := range all {
		all[i] = engine.Words(g.Slip(i)[:len(mine)])
	}
	g.Leave(call)
	return nil
}

// Here says whether Await for member i, or all, would return at once.
func (g *gate) Here(i int) bool {
	switch {
	case g.lost():
		return true
	case !g.flat():
		return g.slots[0].opened.Load()>>8 >= g.gen
	case i != engine.All:
		return g.slots[i].at(g.gen).arrived.Load()>>8 >= g.gen
	}
	for _, s := range g.slots {
		if s.at(g.gen).arrived.Load()>>8 < g.gen {
			return false
		}
	}
	return true
}

// usable returns why there can be no meeting. The members of a team without the
// dead could go on for ever if each found the others there at once: they too learn
// of a death at the next meeting.
func (g *gate) usable(call engine.Call) error {
	switch {
	case g.err != nil:
		return &late{g.err}
	case g.h.own.alarm.Load() == 0:
		return nil
	}
	if g.h.own.getState() == engine.Running { // this is where it learns of it
		g.h.enter(call)
		g.h.noteSite(call)
	}
	if s := g.h.broken(); s != nil {
		g.gen++
		g.giveUp(s)
	}
	return g.err
}

// flat says whether members look at each other's records. Nobody counts those of another
// node.
func (g *gate) flat() bool { return len(g.members) <= flatMax || g.away != nil }

// gaveUp and above stand in place of a kind in the word that says which meeting was
// given up: the member does not come to it, or did not wait for its end, and comes to no
// later one. It has been to earlier ones, whose records stay.
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

// quit says whether word is that of a member which has given up.
func quit(word uint64) bool { return word&0xff >= gaveUp }

// quitBy says whether word is that of a member which has given up a meeting up to this
// one. A later one is no reason to end this: who gave that up was here.
func quitBy(word, generation uint64) bool { return quit(word) && word>>8 <= generation }

// lost says whether a member has given this meeting up, or an earlier one. Who was
// cancelled when it destroyed an earlier team may have written so late: that counts for
// nothing here.
func (g *gate) lost() bool { return g.ends(g.slots[g.home].ended.Load()) }

func (g *gate) ends(word uint64) bool { return quitBy(word, g.gen) && word>>8 > g.first }

// giveUp makes the gate useless for everybody: after an error the members no
// longer agree on which meeting is next.
func (g *gate) giveUp(err error) {
	g.err = err
	if g.h.own.getState() != engine.Failed { // else it is why this PE has failed, in another goroutine
		g.h.own.say(brief(err.Error()))
	}
	g.slots[g.self].gave.Store(g.gen<<8 | g.why(err))
	g.slots[g.home].end(g.gen, g.first)
	g.ring()
	for _, a := range g.away {
		for _, pe := range a.members { // a post may be what is wrong
			_ = g.h.far.wire.send(pe, giveMessage(g.h.rank, g.slot, a.members[0], g.first, g.h.own))
		}
	}
}

// end notes that a member has given a meeting up, unless one has given up an earlier one
// that is later than first.
func (s *slot) end(generation, first uint64) {
	for mine := generation<<8 | gaveUp; ; {
		old := s.ended.Load()
		if quitBy(old, generation) && old>>8 > first || s.ended.CompareAndSwap(old, mine) {
			return
		}
	}
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
		w := s.gave.Load() & 0xff
		return w >= gaveUp && w < withWorld
	})
}

// ring wakes who sleeps.
func (g *gate) ring() {
	for _, pe := range g.members {
		if !g.h.far.is(pe) {
			g.h.Ring(pe)
		}
	}
}

// waitFor waits until word has come to the due meeting, or any member has given up.
func (g *gate) waitFor(ctx context.Context, call engine.Call, word *atomic.Uint64) error {
	for n, pause := g.h.policy.spin(); n > 0; n-- {
		if g.settled(word) {
			return nil
		}
		if pause {
			mem.Pause()
		}
	}
	g.awaited = word
	if g.h.awake(g.ready) {
		return nil
	}
	g.reveal()
	s := g.h.await(ctx, call, meetTick, g.members, g.ready)
	if s == nil {
		return nil
	}
	if s.Cause == engine.ErrDied || s.Cause == engine.ErrFailed {
		return s // nobody else is to blame
	}
	for i, pe := range g.members {
		if !g.settled(&g.slots[i].at(g.due).arrived) {
			s.Absent = append(s.Absent, pe)
		}
	}
	return s
}

// settled says whether word has come to the due meeting.
func (g *gate) settled(word *atomic.Uint64) bool { return word.Load()>>8 >= g.due }

// over says whether the awaited word is settled, or any member has given up.
func (g *gate) over() bool { return g.settled(g.awaited) || g.lost() }

// awaitAll looks at every member's record.
func (g *gate) awaitAll(ctx context.Context, call engine.Call, want uint64) error {
	for i := range g.slots {
		if err := g.awaitOne(ctx, call, i, want); err != nil {
			return err
		}
	}
	if g.lost() { // by one who was here, but did not wait for the end
		g.due = g.gen
		return g.mismatch(ctx, call, g.blame(want))
	}
	if g.seen == g.gen-1 {
		g.seen = g.gen
	}
	return g.review(ctx, g.gen)
}

// awaitOne looks at one member's record.
func (g *gate) awaitOne(ctx context.Context, call engine.Call, i int, want uint64) error {
	word := &g.slots[i].at(g.gen).arrived
	if word.Load() == want {
		return nil
	}
	g.due = g.gen
	if err := g.waitFor(ctx, call, word); err != nil || word.Load() == want {
		return err
	}
	return g.mismatch(ctx, call, g.blame(want))
}

// review looks whether all were in the meetings up to this one, which all have come to,
// for the same.
func (g *gate) review(ctx context.Context, upTo uint64) error {
	for g.seen < upTo {
		g.due = g.seen + 1
		if i := g.stranger(g.slots[g.self].at(g.due).arrived.Load()); i >= 0 {
			return g.mismatch(ctx, g.calls[g.due%depth], i)
		}
		g.seen++
	}
	return nil
}

// stranger is the first member that came to the due meeting, but not for want; -1 if none
// has.
func (g *gate) stranger(want uint64) int {
	return slices.IndexFunc(g.slots, func(s *slot) bool {
		word := s.at(g.due).arrived.Load()
		return word>>8 == g.due && word != want
	})
}

// blame is the first stranger, or else who has given up.
func (g *gate) blame(want uint64) int {
	if i := g.stranger(want); i >= 0 {
		return i
	}
	return max(0, slices.IndexFunc(g.slots, func(s *slot) bool { return quitBy(s.gave.Load(), g.gen) }))
}

// open is what the last member does who arrives at a counted meeting.
func (g *gate) open(want uint64) {
	open := g.gen << 8
	if g.due = g.gen; g.stranger(want) >= 0 || g.lost() {
		open |= gaveUp
	}
	g.slots[0].opened.Store(open)
}

// awaitOpen waits until the last member has opened the due meeting, a counted one.
func (g *gate) awaitOpen(ctx context.Context, call engine.Call, want uint64) error {
	g.due = want >> 8
	if err := g.waitFor(ctx, call, &g.slots[0].opened); err != nil {
		return err
	}
	opened := g.slots[0].opened.Load()
	if opened == g.due<<8 || opened>>8 > g.due {
		g.seen = g.due
		return nil
	}
	return g.mismatch(ctx, call, g.blame(want))
}

// count adds this PE to the tally of the meeting and says whether it was the last of so many.
func (g *gate) count(tally *atomic.Uint64, members int) bool {
	for {
		old := tally.Load()
		next := old + 1
		if old>>16 < g.gen { // the first of this meeting, or a reused slot
			next = g.gen<<16 | 1
		}
		if tally.CompareAndSwap(old, next) {
			return next&0xffff == uint64(members)
		}
	}
}

// mismatch is the error of a meeting, the due one, to which the i-th member came for
// something else, or no longer comes.
func (g *gate) mismatch(ctx context.Context, call engine.Call, i int) error {
	gave := g.slots[i].gave.Load()
	switch {
	case !quitBy(gave, g.gen):
		return g.odd(call, i)
	case gave&0xff == withWorld:
		if s := g.news(ctx, call); s != nil {
			return s
		}
	case gave&0xff == following:
		i = max(g.quitter(), 0)
		gave = g.slots[i].gave.Load()
	}
	s := g.h.stall(causeOf(gave), g.members)
	pe := g.members[i]
	s.Detail = fmt.Sprintf("PE %d gave this team up: %s", pe, g.h.ctl[pe].said())
	return s
}

// odd is the error of a meeting to which the i-th member came for something else.
func (g *gate) odd(call engine.Call, i int) error {
	s := g.h.stall(engine.ErrMismatch, g.members)
	p := &s.PEs[i]
	kind := engine.Kind(g.slots[i].at(g.due).arrived.Load() & 0xff)
	if p.Call.Kind != kind { // it has gone on since
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
