package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// Two goroutines of every PE split two teams at once, again and again: each split
// gets slots that no other one of any member has.
func TestSplitsOfTwoTeamsAtOnce(t *testing.T) {
	shmemtest.RunWith(t, 4, shmem.Options{HeapSize: 1 << 20}, func(t testing.TB, w *shmem.World) {
		ctx := t.Context()
		parents := [2]*shmem.Team{w.Team(), nil}
		all, err := w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{})
		if err != nil {
			t.Fatal(err)
		}
		parents[1] = all
		results := make(chan error, len(parents))
		for _, parent := range parents {
			go func() { results <- splitOften(ctx, parent) }()
		}
		for range parents {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
	})
}

// between is a heap that does something once, between the two meetings of a split.
type between struct {
	engine.Heap
	do *func()
}

func (h between) Gate(slot int, members []int, generation uint64) engine.Gate {
	return betweenGate{h.Heap.Gate(slot, members, generation), h.do}
}

type betweenGate struct {
	engine.Gate
	do *func()
}

func (g betweenGate) Gather(ctx context.Context, call engine.Call, mine engine.Words, all []engine.Words) error {
	err := g.Gate.Gather(ctx, call, mine, all)
	if do := *g.do; do != nil && call.Kind == engine.KindSplit {
		*g.do = nil
		do()
	}
	return err
}

// TestSplitWhileTeamComesAndGoes: a split whose members agree on a slot in which another
// team has come and gone since they looked for one makes a team all the same.
func TestSplitWhileTeamComesAndGoes(t *testing.T) {
	var dos [2]func()
	o := shmem.WithHeap(badOptions(), func(h engine.Heap) engine.Heap { return between{h, &dos[h.Rank()]} })
	must(t, shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
		parent := must1(w.Team().SplitStrided(ctx, 0, 1, 2, shmem.TeamConfig{}))(t)
		dos[w.MyPE()] = func() {
			other := must1(w.Team().SplitStrided(ctx, 0, 1, 2, shmem.TeamConfig{}))(t)
			must(t, errors.Join(other.Barrier(ctx), other.Barrier(ctx), other.Destroy(ctx)))
		}
		team := must1(parent.SplitStrided(ctx, 0, 1, 2, shmem.TeamConfig{}))(t)
		for range 20 {
			must(t, team.Barrier(ctx))
		}
		return errors.Join(team.Destroy(ctx), parent.Destroy(ctx))
	}))
}

func splitOften(ctx context.Context, parent *shmem.Team) error {
	for range 200 {
		team, err := parent.SplitStrided(ctx, 0, 1, parent.NPEs(), shmem.TeamConfig{})
		if err != nil {
			return err
		}
		if err := errors.Join(team.Barrier(ctx), team.Destroy(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// A team that an earlier error has put out of order is no reason for Finalize to fail.
func TestFinalizeWithBrokenTeam(t *testing.T) {
	shmemtest.RunWith(t, 2, shmem.Options{HeapSize: 1 << 20}, func(t testing.TB, w *shmem.World) {
		ctx := t.Context()
		team, err := w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{})
		if err != nil {
			t.Fatal(err)
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if w.MyPE() == 0 && w.NPEs() > 1 {
			if err := team.Barrier(cancelled); !errors.Is(err, context.Canceled) {
				t.Errorf("barrier with a cancelled context: %v", err)
			}
		}
		if err := errors.Join(w.Barrier(ctx), w.Finalize(ctx)); err != nil {
			t.Error(err)
		}
	})
}

// brokenTeam makes a team of all PEs and has PE 0 put it out of order.
func brokenTeam(t testing.TB, ctx context.Context, w *shmem.World) *shmem.Team {
	t.Helper()
	team := must1(w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{}))(t)
	if w.MyPE() == 0 {
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if err := team.Barrier(cancelled); !errors.Is(err, context.Canceled) {
			t.Errorf("barrier with a cancelled context: %v", err)
		}
	}
	must(t, w.Barrier(ctx))
	return team
}

// TestDestroyBrokenTeam: each PE ends a team that is out of order by itself; one that did
// not know is told. Neither that nor leaving it is reported as a leak.
func TestDestroyBrokenTeam(t *testing.T) {
	for _, destroys := range []bool{true, false} {
		var mu sync.Mutex
		var lines []string
		o := badOptions()
		o.Logf = func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, fmt.Sprintf(format, args...))
		}
		must(t, shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
			team := brokenTeam(t, ctx, w)
			if !destroys {
				return nil
			}
			if err := team.Destroy(ctx); w.MyPE() == 0 {
				must(t, err)
			} else {
				wrong{is: shmem.ErrMismatch, op: "team destroy", peer: -1, text: "PE 0 gave this team up: context canceled"}.in(w).check(t, err)
			}
			must(t, team.Destroy(ctx))
			exactly(t, team.Barrier(ctx), "shmem: barrier: the team was destroyed")
			return nil
		}))
		if text := strings.Join(lines, "\n"); strings.Contains(text, "not destroyed") || strings.Contains(text, "earlier") {
			t.Errorf("destroyed %v, logged:\n%s", destroys, text)
		}
	}
}

// TestBrokenTeamKeepsSlot: a member that has not looked yet at a team which the others
// have ended learns that it is out of order, whatever teams they have made since.
func TestBrokenTeamKeepsSlot(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 3, badOptions(), func(ctx context.Context, w *shmem.World) error {
		pair := must1(w.Team().SplitStrided(ctx, 0, 1, 2, shmem.TeamConfig{}))(t)
		team := brokenTeam(t, ctx, w)
		if pair != nil {
			if err := team.Destroy(ctx); w.MyPE() == 1 && !errors.Is(err, shmem.ErrMismatch) {
				t.Errorf("destroy: %v", err)
			}
			for range 5 {
				made := must1(pair.SplitStrided(ctx, 0, 1, 2, shmem.TeamConfig{}))(t)
				must(t, errors.Join(made.Barrier(ctx), made.Destroy(ctx)))
			}
		}
		must(t, w.Barrier(ctx))
		if pair == nil {
			wrong{is: shmem.ErrMismatch, op: "barrier", peer: -1, text: "PE 0 gave this team up: context canceled"}.in(w).check(t, team.Barrier(ctx))
		}
		return nil
	}))
}
