package shmem

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/goshmem/goshmem/internal/engine"
)

// SplitStrided makes a team of size members of t: start, start+stride, and so on,
// in t's numbering. Members get the team, others nil. All members of t must pass
// the same numbers; if one PE's are invalid or differ, every PE gets an error.
// Blocking, collective over t. OpenSHMEM: shmem_team_split_strided.
func (t *Team) SplitStrided(ctx context.Context, start, stride, size int, c TeamConfig) (*Team, error) {
	if t == nil {
		return nil, fail(nil, "split strided", noPeer, ErrNotMember)
	}
	asked := split{op: "split strided", numbers: [3]int{start, stride, size}, slots: 1, configs: [2]TeamConfig{c}}
	asked.parts = []portion{{0, start, stride, size}}
	asked.invalid = t.checkStrided(start, stride, size)
	agreed, err := t.split(ctx, asked)
	if err != nil {
		return nil, fail(t.w, asked.op, noPeer, err)
	}
	members := make([]int, size)
	for i := range members {
		members[i] = t.members[start+i*stride]
	}
	return t.w.join(agreed, 0, members, c), nil
}

func (t *Team) checkStrided(start, stride, size int) error {
	n := len(t.members)
	switch {
	case start < 0 || start >= n:
		return problem(ErrArgument, "start %d: the parent team has %d PEs", start, n)
	case size < 1 || size > n:
		return problem(ErrArgument, "size %d: the parent team has %d PEs", size, n)
	case size > 1 && stride < 1:
		return problem(ErrArgument, "start %d, stride %d, size %d: the stride must be at least 1", start, stride, size)
	case size > 1 && (stride > n || start+(size-1)*stride >= n):
		return problem(ErrArgument, "start %d, stride %d, size %d: the last PE would be %d, the parent team has %d", start, stride, size, start+(size-1)*stride, n)
	}
	return nil
}

// Split2D arranges the members of t in rows of xrange and returns this PE's row
// (x) and column (y) as teams. The last row may be shorter; an xrange beyond the
// team is one row. Blocking, collective over t. OpenSHMEM: shmem_team_split_2d.
func (t *Team) Split2D(ctx context.Context, xrange int, xc, yc TeamConfig) (x, y *Team, err error) {
	if t == nil {
		return nil, nil, fail(nil, "split 2d", noPeer, ErrNotMember)
	}
	asked := split{op: "split 2d", numbers: [3]int{min(xrange, len(t.members)), 0, 0}, slots: 2, configs: [2]TeamConfig{xc, yc}}
	if xrange < 1 {
		asked.invalid = problem(ErrArgument, "xrange %d: must be at least 1", xrange)
	}
	asked.parts = grid(len(t.members), min(xrange, len(t.members)))
	agreed, err := t.split(ctx, asked)
	if err != nil {
		return nil, nil, fail(t.w, asked.op, noPeer, err)
	}
	xrange = min(xrange, len(t.members))
	var row, column []int
	for i, pe := range t.members {
		if i/xrange == t.me/xrange {
			row = append(row, pe)
		}
		if i%xrange == t.me%xrange {
			column = append(column, pe)
		}
	}
	return t.w.join(agreed, 0, row, xc), t.w.join(agreed, 1, column, yc), nil
}

// split is what a PE asks for, or why it must not.
type split struct {
	op      string
	numbers [3]int
	slots   int // how many team slots it takes
	configs [2]TeamConfig
	parts   []portion // what all teams consist of that come of it
	invalid error
}

// portion is the members of a new team in the parent's numbering, and which of the slots
// it takes.
type portion struct{ slot, start, stride, size int }

// grid is the rows and columns of n members in rows of xrange.
func grid(n, xrange int) []portion {
	var all []portion
	for start := 0; xrange > 0 && start < n; start += xrange {
		all = append(all, portion{0, start, 1, min(xrange, n-start)})
	}
	for start := range max(xrange, 0) {
		all = append(all, portion{1, start, xrange, (n - start + xrange - 1) / xrange})
	}
	return all
}

// contexts is what a split says of its configurations, beside the bits of wordRefuse.
func (s split) contexts() uint64 {
	return uint64(uint16(s.configs[0].NumContexts))<<32 | uint64(uint16(s.configs[1].NumContexts))<<16
}

// agreement is what the members of the parent have settled.
type agreement struct {
	slots      [2]int
	all        uint64 // the same as a set of bits
	generation uint64
	site       string
	groups     [2]engine.Group // of this PE's teams, on a device
}

// splitTries bounds how often a split starts again because another one of some
// member, over another team, has taken the slot in between.
const splitTries = 100

// split agrees over t on the arguments, on slots that are free on all members, and
// on a meeting number that is new to everybody.
func (t *Team) split(ctx context.Context, asked split) (agreement, error) {
	if err := t.enter(ctx); err != nil {
		return agreement{}, err
	}
	defer t.exit()
	call := t.call(engine.KindSplit, engine.Site())
	for range splitTries {
		a, err := t.trySplit(ctx, asked, call)
		if err == nil && a.all != 0 {
			err = t.makeGroups(ctx, asked.parts, &a, call)
		}
		if err != nil || a.all != 0 {
			return a, err
		}
	}
	return agreement{}, problem(ErrConcurrentCollective, "other splits of the members took every slot first, %d times", splitTries)
}

// trySplit returns an empty agreement if a member has lost a slot to another split.
func (t *Team) trySplit(ctx context.Context, asked split, call engine.Call) (agreement, error) {
	w := t.w
	mine := engine.Words{asked.pack(), w.takenSlots(), 0, asked.contexts()}
	all, err := t.propose(ctx, call, mine, asked.invalid)
	if err != nil {
		return agreement{}, err
	}
	if err := t.compare(all, mine, call); err != nil {
		return agreement{}, err
	}
	a, err := settle(all, asked.slots, call.Site)
	if err != nil {
		return agreement{}, err
	}
	claimed := w.claim(a.all)
	everybody, err := t.allSay(ctx, call, claimed, &a)
	if err != nil || !everybody {
		if claimed {
			w.yield(a.all)
		}
		return agreement{}, err
	}
	return a, nil
}

// allSay meets the other members and says whether all said yes. It also settles the
// generation: not before all have claimed the slots, since until then another team could
// come and go there, whose words would be newer.
func (t *Team) allSay(ctx context.Context, call engine.Call, yes bool, a *agreement) (bool, error) {
	mine := engine.Words{1: t.w.heap.Generation()}
	if yes {
		mine[0] = 1
	}
	all, err := t.gather(ctx, call, mine)
	for _, words := range all {
		a.generation = max(a.generation, words[1])
		yes = yes && words[0] == 1
	}
	return err == nil && yes, err
}

// pack puts the arguments into one word; out-of-range ones are refused anyway.
func (s split) pack() uint64 {
	word := uint64(len(s.op))
	for _, n := range s.numbers {
		word = word<<16 | uint64(n)&0xffff
	}
	return word
}

// unpack shows the arguments that pack has put into a word.
func unpack(word uint64) string {
	return fmt.Sprintf("%d, %d, %d", int16(word>>32), int16(word>>16), int16(word))
}

// compare returns an error if another PE has passed other arguments.
func (t *Team) compare(all []engine.Words, mine engine.Words, call engine.Call) error {
	for i, words := range all {
		pe := t.members[i]
		if words[0] != mine[0] {
			return problem(ErrMismatch, "PE %d passed %s, PE %d passed %s (%v, %s)", pe, unpack(words[0]), t.w.rank, unpack(mine[0]), call, call.Site)
		}
		if words[wordRefuse] != mine[wordRefuse] {
			return problem(ErrMismatch, "PE %d passed another TeamConfig than PE %d (%v, %s)", pe, t.w.rank, call, call.Site)
		}
	}
	return nil
}

// settle picks the lowest slots that are free on all members.
func settle(all []engine.Words, slots int, site string) (agreement, error) {
	a := agreement{site: site}
	var taken uint64
	for _, words := range all {
		taken |= words[1]
	}
	for i := range slots {
		slot := bits.TrailingZeros64(^taken)
		if slot >= maxTeams {
			return a, problem(ErrNoMemory, "all %d team slots are taken: destroy teams that are no longer needed (one that went out of order keeps its slot)", maxTeams)
		}
		a.slots[i] = slot
		a.all |= 1 << slot
		taken |= 1 << slot
	}
	return a, nil
}

func (w *World) takenSlots() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.slots
}

// claim takes a set of slots if all of it is free here.
func (w *World) claim(slots uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.slots&slots != 0 {
		return false
	}
	w.slots |= slots
	return true
}

// yield gives claimed slots back.
func (w *World) yield(slots uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slots &^= slots
}

// join makes this PE's side of an agreed team in a claimed slot. If it is not a
// member it gives the slot back and returns nil.
func (w *World) join(a agreement, i int, members []int, c TeamConfig) *Team {
	t := w.newTeam(a.slots[i], members, a.generation, c)
	if t.me < 0 {
		w.yield(1 << t.slot)
		return nil
	}
	t.site, t.group = a.site, a.groups[i]
	w.mu.Lock()
	defer w.mu.Unlock()
	w.teams = append(w.teams, t)
	return t
}
