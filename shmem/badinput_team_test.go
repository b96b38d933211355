package shmem_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// badSplit passes numbers that no PE may pass, on all PEs.
func badSplit(t testing.TB, w *shmem.World) {
	n, ctx := w.NPEs(), t.Context()
	x := wrong{is: shmem.ErrArgument, op: "split strided", peer: -1}.in(w)
	for _, start := range []int{-1, n, 1 << 16, math.MaxInt, math.MinInt} {
		x.text = fmt.Sprintf("start %d: the parent team has %d PEs", start, n)
		x.check(t, second(w.Team().SplitStrided(ctx, start, 1, 1, shmem.TeamConfig{})))
	}
	for _, size := range []int{0, -1, n + 1, 1<<16 + 1, math.MaxInt, math.MinInt} {
		x.text = fmt.Sprintf("size %d: the parent team has %d PEs", size, n)
		x.check(t, second(w.Team().SplitStrided(ctx, 0, 1, size, shmem.TeamConfig{})))
	}
	for _, stride := range []int{0, -1, n, n + 1, math.MaxInt, math.MinInt} {
		if n == 1 {
			break
		}
		x.text = fmt.Sprintf("start 0, stride %d, size 2: ", stride)
		x.check(t, second(w.Team().SplitStrided(ctx, 0, stride, 2, shmem.TeamConfig{})))
	}
	x.op = "split 2d"
	for _, xrange := range []int{0, -1, math.MinInt} {
		x.text = fmt.Sprintf("xrange %d: must be at least 1", xrange)
		row, column, err := w.Team().Split2D(ctx, xrange, shmem.TeamConfig{}, shmem.TeamConfig{})
		x.check(t, err)
		if row != nil || column != nil {
			t.Error("a refused split has made teams")
		}
	}
}

// badSplitOnOne passes numbers that are wrong on the last PE only.
func badSplitOnOne(t testing.TB, w *shmem.World) {
	pe, isLast, alone := last(w)
	if alone {
		return
	}
	for _, start := range []int{-1, w.NPEs(), 1 << 16} {
		if isLast {
			err := second(w.Team().SplitStrided(t.Context(), start, 1, 1, shmem.TeamConfig{}))
			wrong{is: shmem.ErrArgument, op: "split strided", peer: -1, text: fmt.Sprintf("start %d", start)}.in(w).check(t, err)
			continue
		}
		err := second(w.Team().SplitStrided(t.Context(), 0, 1, 1, shmem.TeamConfig{}))
		x := wrong{is: shmem.ErrMismatch, op: "split strided", peer: -1, text: fmt.Sprintf("PE %d refused", pe)}.in(w)
		x.check(t, err)
		x.text = fmt.Sprintf("start %d: the parent team has %d PEs", start, w.NPEs())
		x.check(t, err)
	}
	must(t, w.Barrier(t.Context())) // a refusal may be read until the next meeting
}

// badSplitDiffers passes valid numbers that differ between PEs.
func badSplitDiffers(t testing.TB, w *shmem.World) {
	pe, isLast, alone := last(w)
	if alone {
		return
	}
	n, ctx := w.NPEs(), t.Context()
	pick := func(mine, theirs int) int {
		if isLast {
			return mine
		}
		return theirs
	}
	strided := func(start, stride, size int) error {
		return second(w.Team().SplitStrided(ctx, start, stride, size, shmem.TeamConfig{}))
	}
	for name, err := range map[string]error{
		"start": strided(pick(1, 0), 1, 1),
		"size":  strided(0, 1, pick(n, n-1)),
		"2d": func() error {
			_, _, err := w.Team().Split2D(ctx, pick(1, n), shmem.TeamConfig{}, shmem.TeamConfig{})
			return err
		}(),
		"2d, 16 bits apart": func() error {
			_, _, err := w.Team().Split2D(ctx, pick(1<<16+1, 1), shmem.TeamConfig{}, shmem.TeamConfig{})
			return err
		}(),
	} {
		op := "split strided"
		if strings.HasPrefix(name, "2d") {
			op = "split 2d"
		}
		wrong{is: shmem.ErrMismatch, op: op, peer: -1, text: "(split #"}.in(w).check(t, err)
		for _, part := range []string{fmt.Sprintf("PE %d", pe), "badinput_team_test.go:"} {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v: does not say %s", name, err, part)
			}
		}
	}
	var err error // one splits in one way, the others in another
	if isLast {
		_, _, err = w.Team().Split2D(ctx, 1, shmem.TeamConfig{}, shmem.TeamConfig{})
		wrong{is: shmem.ErrMismatch, op: "split 2d", peer: -1}.in(w).check(t, err)
	} else {
		wrong{is: shmem.ErrMismatch, op: "split strided", peer: -1}.in(w).check(t, strided(1, 0, 1))
	}
}

// badTooManyTeams makes teams until there is no place for one more, and uses
// the places again.
func badTooManyTeams(t testing.TB, w *shmem.World) {
	x := wrong{is: shmem.ErrNoMemory, op: "split strided", peer: -1, text: "all 64 team slots are taken: destroy teams that are no longer needed"}.in(w)
	for range 2 {
		var teams []*shmem.Team
		for {
			team, err := w.Team().SplitStrided(t.Context(), 0, 1, w.NPEs(), shmem.TeamConfig{})
			if err != nil {
				x.check(t, err)
				break
			}
			teams = append(teams, team)
		}
		if len(teams) != 62 {
			t.Errorf("%d teams besides the world's two, want 62", len(teams))
		}
		must(t, teams[0].Destroy(t.Context()))
		_, _, err := w.Team().Split2D(t.Context(), 1, shmem.TeamConfig{}, shmem.TeamConfig{}) // needs two places
		wrong{is: shmem.ErrNoMemory, op: "split 2d", peer: -1, text: x.text}.in(w).check(t, err)
		for _, team := range teams[1:] {
			must(t, team.Destroy(t.Context()))
		}
	}
}

// badNilTeam calls every method of the team of those who are not in it.
func badNilTeam(t testing.TB, w *shmem.World) {
	var none *shmem.Team
	ctx := t.Context()
	must(t, none.Barrier(ctx))
	must(t, none.Sync(ctx))
	must(t, none.Destroy(ctx))
	if got := []int{none.MyPE(), none.NPEs(), none.Translate(0, w.Team()), w.Team().Translate(0, none), none.Translate(0, none)}; slices.Max(got) != -1 {
		t.Errorf("numbers of a nil team are %v, want -1 each", got)
	}
	_, _, err2d := none.Split2D(ctx, 1, shmem.TeamConfig{}, shmem.TeamConfig{})
	for op, err := range map[string]error{
		"split strided": second(none.SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{})),
		"split 2d":      err2d,
		"team config":   second(none.Config()),
	} {
		wrong{is: shmem.ErrNotMember, op: op, peer: -1, text: "this PE is not a member of the team", pe: -1}.check(t, err)
	}
	one := must1(w.Team().SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{}))(t)
	if member := w.MyPE() == 0; (one != nil) != member {
		t.Errorf("PE %d is a member of the team of PE 0: %v", w.MyPE(), one != nil)
	}
	must(t, one.Destroy(ctx))
}

// badDestroyed uses a team after its end, and ends it again.
func badDestroyed(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	team := must1(w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{}))(t)
	must(t, team.Destroy(ctx))
	must(t, team.Destroy(ctx)) // does nothing
	_, _, err2d := team.Split2D(ctx, 1, shmem.TeamConfig{}, shmem.TeamConfig{})
	for op, err := range map[string]error{
		"barrier":       team.Barrier(ctx),
		"sync":          team.Sync(ctx),
		"split strided": second(team.SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{})),
		"split 2d":      err2d,
	} {
		wrong{is: shmem.ErrClosed, op: op, peer: -1, text: "the team was destroyed"}.in(w).check(t, err)
	}
	must(t, w.Team().Destroy(ctx)) // the world's own teams stay
	must(t, w.SharedTeam().Destroy(ctx))
	must(t, w.SharedTeam().Barrier(ctx))
}

// badNil passes no world, and no context: the latter is one without a deadline.
func badNil(t testing.TB, w *shmem.World) {
	var none *shmem.World
	ctx := t.Context()
	for op, err := range map[string]error{
		"alloc":    second(shmem.Alloc[int64](ctx, none, 1)),
		"barrier":  none.Barrier(ctx),
		"sync":     none.Sync(ctx),
		"fence":    none.Fence(),
		"quiet":    none.Quiet(ctx),
		"finalize": none.Finalize(ctx),
	} {
		wrong{is: shmem.ErrArgument, op: op, peer: -1, text: "the world is nil: use Main, Init or RunLocal", pe: -1}.check(t, err)
	}
	for _, err := range []error{
		second(shmem.Alloc[int64](ctx, none, -1)),
		second(shmem.AllocAligned[int64](ctx, none, 1, 3)),
		second(shmem.AllocAligned[int64](ctx, none, 1, 8)),
		second(shmem.AllocSignal(ctx, none)),
		second(shmem.AllocSignals(ctx, none, 2)),
	} {
		wrong{is: shmem.ErrArgument, op: "alloc", peer: -1, text: "the world is nil: use Main, Init or RunLocal", pe: -1}.check(t, err)
	}
	var noContext context.Context
	a := must1(shmem.Alloc[int64](noContext, w, 1))(t)
	team := must1(w.Team().SplitStrided(noContext, 0, 1, w.NPEs(), shmem.TeamConfig{}))(t)
	must(t, w.Barrier(noContext))
	must(t, w.Sync(noContext))
	must(t, w.Quiet(noContext))
	must(t, shmem.WaitUntil(noContext, a, 0, shmem.EQ, 0))
	must(t, team.Destroy(noContext))
	must(t, a.Free(noContext))
}

// badConcurrent lets a second goroutine of PE 0 enter collectives while the first
// waits in a barrier that the other PEs have not reached.
func badConcurrent(t testing.TB, w *shmem.World) {
	if w.NPEs() == 1 {
		return
	}
	a, b, sig := twoArrays(t, w)
	ctx, team := t.Context(), w.Team()
	for round, c := range []struct {
		op   string
		call func() error
	}{
		{"barrier", func() error { return w.Barrier(ctx) }},
		{"sync", func() error { return w.Sync(ctx) }},
		{"alloc", func() error { return second(shmem.Alloc[int64](ctx, w, 1)) }},
		{"alloc", func() error { return second(shmem.Alloc[int64](ctx, w, 0)) }},
		{"free", func() error { return a.Free(ctx) }},
		{"split strided", func() error { return second(team.SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{})) }},
		{"split 2d", func() error {
			_, _, err := team.Split2D(ctx, 1, shmem.TeamConfig{}, shmem.TeamConfig{})
			return err
		}},
	} {
		if w.MyPE() != 0 {
			must1(sig.WaitUntil(ctx, shmem.GE, uint64(round+1)))(t)
			must(t, w.Barrier(ctx))
			continue
		}
		waiting := &watchedContext{Context: ctx, seen: make(chan struct{})}
		first := make(chan error, 1)
		go func() { first <- w.Barrier(waiting) }()
		<-waiting.seen
		wrong{is: shmem.ErrConcurrentCollective, op: c.op, peer: -1, text: "another goroutine of this PE is in a collective of this team"}.in(w).check(t, c.call())
		for pe := 1; pe < w.NPEs(); pe++ {
			must(t, sig.Add(1, pe))
		}
		must(t, <-first)
	}
	freeAll(t, a, b, sig)
}

// watchedContext tells when a call asks for its deadline, which is when it waits.
type watchedContext struct {
	context.Context
	once sync.Once
	seen chan struct{}
}

// Deadline reports the question and answers as the context below.
func (c *watchedContext) Deadline() (time.Time, bool) {
	c.once.Do(func() { close(c.seen) })
	return c.Context.Deadline()
}

// badClosed finalizes the world and then uses everything that is left of it.
func badClosed(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	a, b, sig := twoArrays(t, w)
	team := must1(w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{}))(t)
	own := must1(a.Local())(t)
	must(t, w.Finalize(ctx))
	must(t, w.Finalize(ctx)) // does nothing
	text := "the world is finalized"
	for _, u := range slices.Concat(peerUses(), signalUses(), atomicUses(), localUses(), localSignalUses()) {
		err := u.do(a, b, sig, 0)
		wrong{is: shmem.ErrClosed, op: u.op, peer: peerOf(err), text: text}.in(w).check(t, err)
	}
	_, _, err2d := w.Team().Split2D(ctx, 1, shmem.TeamConfig{}, shmem.TeamConfig{})
	for _, c := range []struct {
		op  string
		err error
	}{
		{"alloc", second(shmem.Alloc[int64](ctx, w, 1))},
		{"alloc", second(shmem.Alloc[int64](ctx, w, -1))},
		{"alloc", second(shmem.AllocSignal(ctx, w))},
		{"free", a.Free(ctx)},
		{"free", sig.Free(ctx)},
		{"fence", w.Fence()},
		{"quiet", w.Quiet(ctx)},
		{"barrier", w.Barrier(ctx)},
		{"sync", w.Sync(ctx)},
		{"barrier", w.SharedTeam().Barrier(ctx)},
		{"split strided", second(w.Team().SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{}))},
		{"split 2d", err2d},
	} {
		wrong{is: shmem.ErrClosed, op: c.op, peer: -1, text: text}.in(w).check(t, c.err)
	}
	if team.Barrier(ctx) == nil || team.Sync(ctx) == nil {
		t.Error("a team works after the end of its world")
	}
	must(t, team.Destroy(ctx)) // finalize has done it
	own[0] = 1                 // the memory is still there
	if w.MyPE() < 0 || w.NPEs() < 1 || w.Info().PEs != w.NPEs() || w.HeapStats().Size == 0 {
		t.Error("a finalized world no longer knows what it was")
	}
}
