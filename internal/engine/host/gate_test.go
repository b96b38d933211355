package host

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
)

// TestGateHammer meets thousands of times in all ways, on teams that look at each
// other and on teams that count. Plain words written before a meeting are read
// after it: the race detector sees whether the meeting orders them.
func TestGateHammer(t *testing.T) {
	for n, rounds := range map[int]int{2: 20000, 3: 10000, 8: 3000, flatMax: 2000, flatMax + 1: 2000, 40: 1000} {
		onBoth(t, []int{n}, func(t *testing.T, heaps []*Heap) {
			rounds := rounds
			if heaps[0].peers != nil && n > 2 { // more processes than cores give them away at every meeting
				rounds /= 50
			}
			all := gates(heaps, 3)
			var plain [2][]int // by parity: a fast PE is one meeting ahead of a slow one at most
			for i := range plain {
				plain[i] = make([]int, n)
			}
			none(t, each(heaps, func(h *Heap) error {
				for round := 1; round <= rounds; round++ {
					plain[round%2][h.rank] = round
					if err := meetOnce(all[h.rank], round); err != nil {
						return err
					}
					for pe, seen := range plain[round%2] {
						if seen != round {
							return fmt.Errorf("after meeting %d PE %d is at %d", round, pe, seen)
						}
					}
				}
				return nil
			}))
		})
	}
}

// meetOnce is a barrier, a sync or an exchange of words, in turns.
func meetOnce(g *gate, round int) error {
	kinds := []engine.Kind{engine.KindBarrier, engine.KindSync, engine.KindAlloc, engine.KindSplit}
	call := engine.Call{Kind: kinds[round%len(kinds)], Slot: 3, Seq: uint64(round)}
	if call.Kind == engine.KindBarrier || call.Kind == engine.KindSync {
		return g.Meet(context.Background(), call)
	}
	words := func(pe int) engine.Words {
		return engine.Words{uint64(round), uint64(pe), uint64(round * (pe + 1)), ^uint64(round)}
	}
	all := make([]engine.Words, len(g.members))
	if err := g.Gather(context.Background(), call, words(g.self), all); err != nil {
		return err
	}
	for pe, got := range all {
		if got != words(pe) {
			return fmt.Errorf("meeting %d: PE %d gave %v, want %v", round, pe, got, words(pe))
		}
	}
	return nil
}

// TestGateTeams meets on overlapping teams in turns, and on new teams in used slots
// whose meetings are numbered on.
func TestGateTeams(t *testing.T) {
	onBoth(t, []int{4, 36}, func(t *testing.T, heaps []*Heap) {
		var evens, upper []int
		for pe := range heaps {
			if pe%2 == 0 {
				evens = append(evens, pe)
			}
			if pe >= len(heaps)/2 {
				upper = append(upper, pe)
			}
		}
		teams := [][]int{evens, upper}
		none(t, each(heaps, func(h *Heap) error {
			for team := range 8 {
				slot := team % 2
				if !slices.Contains(teams[slot], h.rank) {
					continue
				}
				at := slot + 5
				if team >= 4 { // on streams
					at += engine.OnStreams
				}
				g := h.Gate(at, teams[slot], uint64(team*10))
				for seq := range uint64(10) {
					if err := g.Meet(context.Background(), engine.Call{Kind: engine.KindSync, Slot: uint8(at), Seq: seq + 1}); err != nil {
						return err
					}
				}
				if got, want := h.Generation(), uint64(team*10+10); got != want {
					return fmt.Errorf("after team %d the latest meeting is %d, want %d", team, got, want)
				}
			}
			return nil
		}))
	})
}

// sizes are one team that looks and one that counts.
func sizes() []int { return []int{3, flatMax + 3} }

// TestGateMismatch lets one member come for something else after good meetings:
// everybody is told who and what, at once and from then on.
func TestGateMismatch(t *testing.T) {
	onBoth(t, sizes(), func(t *testing.T, heaps []*Heap) {
		for _, culprit := range []int{0, 1, len(heaps) - 1} {
			all := gates(heaps, 2+culprit)
			errs := each(heaps, func(h *Heap) error {
				for round := range 10 {
					if err := meetOnce(all[h.rank], round); err != nil {
						return err
					}
				}
				call := engine.Call{Kind: engine.KindBarrier, Slot: uint8(2 + culprit), Seq: 7}
				if h.rank == culprit {
					call.Kind = engine.KindAlloc
				}
				return all[h.rank].Meet(context.Background(), call)
			})
			for pe, err := range errs {
				want := fmt.Sprintf("PE %d", culprit)
				if !errors.Is(err, engine.ErrMismatch) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "alloc") || !strings.Contains(err.Error(), "barrier") {
					t.Errorf("PE %d: %v: want a mismatch that names %s, alloc and barrier", pe, err, want)
				}
				again := all[pe].Gather(context.Background(), engine.Call{Kind: engine.KindBarrier}, engine.Words{}, make([]engine.Words, len(heaps)))
				if !errors.Is(again, err) {
					t.Errorf("PE %d: the next meeting: %v, want the same error", pe, again)
				}
			}
		}
	})
}

// TestGateGiveUp cancels one member's wait: those that come later do not wait.
func TestGateGiveUp(t *testing.T) {
	onBoth(t, sizes(), func(t *testing.T, heaps []*Heap) {
		all := gates(heaps, 4)
		call := engine.Call{Kind: engine.KindSync, Slot: 4, Seq: 1}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := all[1].Meet(ctx, call)
		var s *engine.Stall
		if !errors.Is(err, context.Canceled) || !errors.As(err, &s) || len(s.Absent) != len(heaps)-1 {
			t.Fatalf("the first member: %v", err)
		}
		for pe, g := range all {
			if pe == 1 {
				continue
			}
			if err := g.Meet(t.Context(), call); !errors.Is(err, engine.ErrMismatch) || !strings.Contains(err.Error(), "PE 1 gave this team up: ") || !strings.Contains(err.Error(), context.Canceled.Error()) {
				t.Errorf("PE %d: %v", pe, err)
			}
		}
	})
}

// TestGateGiveUpWakes cancels one member's wait while all others but the last sleep.
func TestGateGiveUpWakes(t *testing.T) {
	onBoth(t, sizes(), func(t *testing.T, heaps []*Heap) {
		all := gates(heaps, 4)
		last := len(heaps) - 1
		ctx, cancel := context.WithCancel(t.Context())
		errs := each(heaps, func(h *Heap) error {
			switch h.rank {
			case last: // comes when all others are there, and only to end it
				for _, other := range heaps[:last] {
					for other.own.sleepers.Load() == 0 {
						heaps[last].policy.yield(func() bool { return true })
					}
				}
				cancel()
				return context.Canceled
			case 0:
				return all[0].Meet(ctx, engine.Call{Kind: engine.KindSync, Slot: 4, Seq: 1})
			}
			return all[h.rank].Meet(context.Background(), engine.Call{Kind: engine.KindSync, Slot: 4, Seq: 1})
		})
		for pe, err := range errs[:last] {
			if want := engine.ErrMismatch; pe > 0 && !errors.Is(err, want) || pe == 0 && !errors.Is(err, context.Canceled) {
				t.Errorf("PE %d: %v", pe, err)
			}
		}
		if err := all[last].Meet(t.Context(), engine.Call{Kind: engine.KindSync, Slot: 4, Seq: 1}); !errors.Is(err, engine.ErrMismatch) {
			t.Errorf("who comes late: %v", err)
		}
	})
}

// hooked is a policy that is held up before it looks.
type hooked struct {
	policy
	before func()
}

func (h hooked) spin() (int, bool) {
	h.before()
	return h.policy.spin()
}

// TestGateSlowMember: a meeting that all members have come to is good also for one
// that looks only after another has gone on and given up.
func TestGateSlowMember(t *testing.T) {
	onBoth(t, sizes(), func(t *testing.T, heaps []*Heap) {
		all := gates(heaps, 4)
		arrived, goOn := make(chan struct{}), make(chan struct{})
		heaps[0].policy = hooked{heaps[0].policy, func() {
			if arrived != nil {
				close(arrived)
				arrived = nil
				<-goOn
			}
		}}
		call := engine.Call{Kind: engine.KindSync, Slot: 4, Seq: 1}
		slow := make(chan error, 1)
		here := arrived
		go func() { slow <- all[0].Meet(t.Context(), call) }()
		<-here
		none(t, each(heaps[1:], func(h *Heap) error { return all[h.rank].Meet(t.Context(), call) }))
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := all[1].Meet(cancelled, call); !errors.Is(err, context.Canceled) {
			t.Fatalf("PE 1: %v", err)
		}
		close(goOn)
		if err := <-slow; err != nil {
			t.Errorf("all had come, but the slow member gets: %v", err)
		}
		if err := all[0].Meet(t.Context(), call); !errors.Is(err, engine.ErrMismatch) {
			t.Errorf("the next meeting, which a member has given up: %v", err)
		}
	})
}

// TestGateGiveUpBehind lets a member give up a meeting that the others have
// completed, since they had seen it arrive: they must not wait for it in the next.
func TestGateGiveUpBehind(t *testing.T) {
	onBoth(t, sizes(), func(t *testing.T, heaps []*Heap) {
		all := gates(heaps, 4)
		call := engine.Call{Kind: engine.KindSync, Slot: 4, Seq: 1}
		none(t, each(heaps, func(h *Heap) error { return all[h.rank].Meet(t.Context(), call) }))
		all[0].giveUp(context.Canceled) // as if it had not seen the last one come
		errs := each(heaps[1:], func(h *Heap) error { return all[h.rank].Meet(t.Context(), call) })
		for i, err := range errs {
			if !errors.Is(err, engine.ErrMismatch) || !strings.Contains(err.Error(), "PE 0 gave this team up: context canceled") {
				t.Errorf("PE %d in the next meeting: %v", i+1, err)
			}
		}
	})
}

// TestGateTimeoutAgainstLast lets one member give up just when the last one comes:
// whoever wins, nobody waits for the one that has gone.
func TestGateTimeoutAgainstLast(t *testing.T) {
	heaps := newLocal(flatMax+8, smallConfig())
	last := len(heaps) - 1
	for round := range 600 {
		if round%60 == 0 { // every team has a slot of its own
			heaps = newLocal(len(heaps), smallConfig())
		}
		all := gates(heaps, 1+round%60)
		ctx, cancel := context.WithCancel(t.Context())
		errs := each(heaps, func(h *Heap) error {
			call, mine := engine.Call{Kind: engine.KindSync, Slot: 1, Seq: 1}, context.Background()
			switch h.rank {
			case 3:
				mine = ctx
			case last:
				for heaps[3].own.sleepers.Load() == 0 {
					runtime.Gosched()
				}
				cancel()
				heaps[3].policy.ring(3)
				for range round % 50 {
					all[last].settled(&all[last].slots[3].at(all[last].gen).arrived)
				}
			}
			if err := all[h.rank].Meet(mine, call); err != nil {
				return err
			}
			return all[h.rank].Meet(mine, call)
		})
		for pe, err := range errs {
			if errors.Is(err, engine.ErrTimeout) {
				t.Fatalf("PE %d has waited for one that had given up: %v", pe, err)
			}
		}
	}
}

// TestArrivalsAhead: a member that is counted late, when its neighbour is meetings ahead, is
// still the last of the meeting in which it is counted: it tells the other nodes.
func TestArrivalsAhead(t *testing.T) {
	heaps, all := apart(4), []int{0, 1, 2, 3}
	a, b := heaps[0].Gate(1, all, 0).(*gate), heaps[1].Gate(1, all, 0).(*gate)
	for ahead := range uint64(depth - 1) {
		at := (ahead + 1) * 100
		for _, a.gen = range []uint64{at, at + 1 + ahead} {
			if a.count(a.arrivals(), 2) {
				t.Fatal("the first of two is the last")
			}
		}
		for _, b.gen = range []uint64{at, at + 1 + ahead} {
			if !b.count(b.arrivals(), 2) {
				t.Errorf("meeting %d, with the other in %d: nobody is the last", b.gen, a.gen)
			}
		}
	}
}
