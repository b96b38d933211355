package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

func broadcastCall(seq int) engine.Call {
	return engine.Call{Kind: engine.KindBroadcast, Slot: 3, Seq: uint64(seq)}
}

// arrive opens a meeting and arrives with a slip and a stage that say who and when.
func arrive(g *gate, call engine.Call) error { return arriveIn(context.Background(), g, call, true) }

// arriveIn is arrive, perhaps without a stage.
func arriveIn(ctx context.Context, g *gate, call engine.Call, staged bool) error {
	if err := g.Open(ctx, call); err != nil {
		return err
	}
	if staged {
		stage, err := g.OwnStage(ctx, call, engine.StageSize)
		if err != nil {
			return err
		}
		*(*uint64)(stage) = call.Seq
	}
	*g.Slip(g.self) = engine.Slip{uint64(g.self), call.Seq, uint64(call.Kind), 6: ^call.Seq}
	g.Arrive(call)
	return nil
}

// sees waits for member i and compares what it has come with.
func sees(g *gate, call engine.Call, i int) error {
	if err := g.Await(context.Background(), call, i); err != nil {
		return err
	}
	if slip := *g.Slip(i); slip != (engine.Slip{uint64(i), call.Seq, uint64(call.Kind), 6: ^call.Seq}) {
		return fmt.Errorf("meeting %d: member %d came with %v", call.Seq, i, slip)
	}
	if staged := *(*uint64)(g.Stage(i)); staged != call.Seq && staged != 0 {
		return fmt.Errorf("meeting %d: member %d has staged %d", call.Seq, i, staged)
	}
	return nil
}

// TestPartsHammer lets each member in its turn, and sometimes all, not wait: what the
// others read is still what belongs to their meeting. Whole meetings come between.
func TestPartsHammer(t *testing.T) {
	for n, rounds := range map[int]int{2: 6000, 3: 3000, flatMax: 500, flatMax + 1: 500} {
		onBoth(t, []int{n}, func(t *testing.T, heaps []*Heap) {
			if heaps[0].peers != nil && n > 2 {
				rounds /= 10
			}
			all := gates(heaps, 3)
			none(t, each(heaps, func(h *Heap) error {
				g := all[h.rank]
				for round := 1; round <= rounds; round++ {
					call, root := broadcastCall(round), round*7%n
					if err := arrive(g, call); err != nil {
						return err
					}
					if g.self != root {
						if err := sees(g, call, root); err != nil {
							return err
						}
					}
					g.Leave(call)
					if round%5 == 0 {
						if err := meetOnce(g, round); err != nil {
							return err
						}
					}
				}
				return nil
			}))
		})
	}
}

// TestPartsAhead: a member that does not wait gets as far ahead as there are records, or
// stages, or one meeting if members are counted, and no further.
func TestPartsAhead(t *testing.T) {
	for _, staged := range []bool{false, true} {
		onBoth(t, sizes(), func(t *testing.T, heaps []*Heap) {
			all := gates(heaps, 3)
			ahead := int(all[0].ahead())
			if staged {
				ahead = min(ahead, stages-1)
			}
			getAhead(t, all, ahead, staged)
			for i, g := range all[1:] {
				err := arriveIn(context.Background(), g, broadcastCall(ahead+1), staged)
				if err == nil { // it need not look around yet
					err = sees(g, broadcastCall(ahead+1), engine.All)
				}
				if !errors.Is(err, engine.ErrMismatch) || !strings.Contains(err.Error(), "PE 0 gave this team up: context canceled") {
					t.Errorf("PE %d in the meeting that was given up: %v", i+1, err)
				}
			}
		})
	}
}

// getAhead has member 0 get so far ahead and no further, and then the others follow.
func getAhead(t *testing.T, all []*gate, ahead int, staged bool) {
	for seq := 1; seq <= ahead; seq++ {
		none(t, []error{arriveIn(context.Background(), all[0], broadcastCall(seq), staged)})
		all[0].Leave(broadcastCall(seq))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	err := arriveIn(cancelled, all[0], broadcastCall(ahead+1), staged)
	var s *engine.Stall
	if !errors.Is(err, context.Canceled) || !errors.As(err, &s) || len(s.Absent) != len(all)-1 {
		t.Fatalf("%d meetings ahead: %v", ahead+1, err)
	}
	for seq := 1; seq <= ahead; seq++ { // they were good all the same
		for _, g := range all[1:] {
			none(t, []error{arriveIn(context.Background(), g, broadcastCall(seq), staged)})
		}
		for i, g := range all[1:] {
			lookAt(t, g, i+1, seq)
		}
	}
}

// lookAt has PE pe see member 0 in a meeting that is to be good.
func lookAt(t *testing.T, g *gate, pe, seq int) {
	t.Helper()
	if err := sees(g, broadcastCall(seq), 0); err != nil {
		t.Errorf("PE %d in meeting %d: %v", pe, seq, err)
	}
	g.Leave(broadcastCall(seq))
}

// TestPartsRefusedNext: who is ahead and refuses the next meeting does not end the one
// before, for which a member has yet to come.
func TestPartsRefusedNext(t *testing.T) {
	onBoth(t, sizes(), func(t *testing.T, heaps []*Heap) {
		all, last, first := gates(heaps, 3), len(heaps)-1, broadcastCall(1)
		var gone atomic.Int32
		errs := each(heaps, func(h *Heap) error {
			g := all[h.rank]
			if h.rank == last {
				for _, other := range heaps[1:last] { // all that wait are asleep, or wrongly gone
					for other.own.sleepers.Load() == 0 && gone.Load() == 0 {
						h.policy.yield(func() bool { return true })
					}
				}
			}
			if err := arrive(g, first); err != nil {
				return err
			}
			if h.rank == 0 {
				g.Leave(first)
				g.Refuse(broadcastCall(2), errors.New("out of cheese"))
				return nil
			}
			err := g.Await(context.Background(), first, engine.All)
			gone.Add(1)
			if err != nil {
				return err
			}
			for i := range heaps {
				if err := sees(g, first, i); err != nil {
					return err
				}
			}
			g.Leave(first)
			err = g.Meet(context.Background(), engine.Call{Kind: engine.KindBarrier, Slot: 3, Seq: 1})
			if !errors.Is(err, engine.ErrMismatch) || !strings.Contains(err.Error(), "PE 0 gave this team up: out of cheese") {
				return fmt.Errorf("the refused meeting: %w", err)
			}
			return nil
		})
		for pe, err := range errs {
			if err != nil {
				t.Errorf("PE %d: %v", pe, err)
			}
		}
	})
}

// TestPartsReadFromOneWhoGaveUp: the program of a member that gave up while it waited for
// the others in the next meeting may change what they read in this one: they learn of it
// when they come to the next, also if they wait for nobody there.
func TestPartsReadFromOneWhoGaveUp(t *testing.T) {
	onBoth(t, sizes(), func(t *testing.T, heaps []*Heap) {
		all, first, second := gates(heaps, 3), broadcastCall(1), broadcastCall(2)
		for _, g := range all {
			none(t, []error{arrive(g, first)})
		}
		all[0].Leave(first)
		none(t, []error{arrive(all[0], second)})
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := all[0].Await(cancelled, second, engine.All); !errors.Is(err, context.Canceled) {
			t.Errorf("PE 0: %v", err)
		}
		for i, g := range all[1:] {
			lookAt(t, g, i+1, 1)
			err := arrive(g, second)
			if !errors.Is(err, engine.ErrMismatch) || !strings.Contains(err.Error(), "PE 0 gave this team up: context canceled") {
				t.Errorf("PE %d: %v", i+1, err)
			}
		}
	})
}

// TestPartsOfEarlierTeam: who gives up an earlier team late, in whose slot another one is
// by now, does not end that one.
func TestPartsOfEarlierTeam(t *testing.T) {
	onBoth(t, []int{3}, func(t *testing.T, heaps []*Heap) {
		earlier, destroy := gates(heaps[:2], 3), broadcastCall(1)
		for _, g := range earlier {
			none(t, []error{arrive(g, destroy)})
		}
		none(t, []error{earlier[0].Await(t.Context(), destroy, engine.All)})
		earlier[0].Leave(destroy)
		later := func(pe int) *gate { return heaps[pe].Gate(3, []int{0, 2}, heaps[0].Generation()).(*gate) }
		one, other := later(0), later(2)
		earlier[1].Refuse(destroy, context.Canceled)
		for _, g := range []*gate{one, other} {
			none(t, []error{arrive(g, destroy)})
		}
		none(t, []error{one.Await(t.Context(), destroy, engine.All), other.Await(t.Context(), destroy, engine.All)})
		one.Leave(destroy)
		one.Refuse(broadcastCall(2), errors.New("out of cheese"))
		other.Leave(destroy)
		if err := other.Meet(t.Context(), broadcastCall(2)); !errors.Is(err, engine.ErrMismatch) || !strings.Contains(err.Error(), "PE 0 gave this team up: out of cheese") {
			t.Errorf("the later team, given up by one: %v", err)
		}
	})
}

// TestPartsKindOfOneAhead: who came for something else and has gone on is found out; it
// finds out itself when it looks at the others.
func TestPartsKindOfOneAhead(t *testing.T) {
	heaps := newLocal(3, smallConfig())
	all := gates(heaps, 3)
	gather := engine.Call{Kind: engine.KindGather, Slot: 3, Seq: 1}
	none(t, []error{arrive(all[0], gather)})
	all[0].Leave(gather)
	for _, g := range all[1:] {
		none(t, []error{arrive(g, broadcastCall(1))})
	}
	none(t, []error{arrive(all[0], broadcastCall(1))}) // its second meeting
	for pe, err := range []error{all[0].review(t.Context(), 1), all[1].Await(t.Context(), broadcastCall(1), 0), all[2].Await(t.Context(), broadcastCall(1), engine.All)} {
		kinds := "in broadcast #1 of team 3 where PE 0 is in gather #1 of team 3"
		if pe > 0 {
			kinds = fmt.Sprintf("PE 0 is in gather where PE %d is in broadcast #1 of team 3", pe)
		}
		if !errors.Is(err, engine.ErrMismatch) || !strings.Contains(err.Error(), kinds) {
			t.Errorf("PE %d: %v, want %s", pe, err, kinds)
		}
	}
}

// TestPartsKindsBehind: members that never look at each other, one in something else, find
// out when they wait for all, or when they are too far ahead.
func TestPartsKindsBehind(t *testing.T) {
	for _, last := range []int{2, stages - 1, stages} {
		heaps := newLocal(2, smallConfig())
		all := gates(heaps, 3)
		var errs [2]error
		for seq := 1; seq <= last; seq++ {
			for pe, g := range all {
				call := broadcastCall(seq)
				if seq == 1 && pe == 1 {
					call.Kind = engine.KindGather
				}
				if errs[pe] = arrive(g, call); errs[pe] == nil {
					g.Leave(call)
				} else if seq < stages {
					t.Errorf("PE %d in meeting %d of %d: %v", pe, seq, last, errs[pe])
				}
			}
		}
		if last < stages {
			errs[0] = all[0].Await(t.Context(), broadcastCall(last), engine.All)
		}
		if !errors.Is(errs[0], engine.ErrMismatch) || !strings.Contains(errs[0].Error(), "PE 1 is in gather where PE 0 is in broadcast #1 of team 3") {
			t.Errorf("after %d meetings: %v", last, errs[0])
		}
	}
}

// TestStages: those of meetings in a row, and of slots, are different memory.
func TestStages(t *testing.T) {
	heaps := newLocal(2, smallConfig())
	seen := map[unsafe.Pointer]bool{}
	for slot := range 3 {
		g := gates(heaps, slot)[0]
		for range stages {
			g.gen++
			for i := range heaps {
				p := g.Stage(i)
				if seen[p] || uintptr(p)%64 != 0 {
					t.Errorf("stage of member %d in slot %d at %p", i, slot, p)
				}
				seen[p] = true
			}
		}
	}
}
