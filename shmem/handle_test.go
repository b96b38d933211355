package shmem_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// started runs f on two goroutine PEs with a team of both and an array of one word. The
// second PE begins when the first has closed gone.
func started(t *testing.T, o shmem.Options, first, second func(x startedPE)) error {
	t.Helper()
	gone := make(chan struct{})
	return shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
		team, err := w.Team().SplitStrided(ctx, 0, 1, 2, shmem.TeamConfig{})
		if err != nil {
			return err
		}
		a, err := shmem.Alloc[int64](ctx, w, 1)
		if err != nil {
			return err
		}
		x := startedPE{t, ctx, w, team, a}
		if w.MyPE() == 0 {
			defer close(gone)
			first(x)
			return nil
		}
		<-gone
		second(x)
		return nil
	})
}

type startedPE struct {
	*testing.T
	ctx  context.Context
	w    *shmem.World
	team *shmem.Team
	a    shmem.Array[int64]
}

func (x startedPE) wrong(err, is error, op, text string) {
	x.Helper()
	wrong{is: is, op: op, peer: -1, text: text}.in(x.w).check(x.T, err)
}

// TestHandleGivenUp: the end of the context of Wait gives up the collective and those
// before it; the other PE learns why.
func TestHandleGivenUp(t *testing.T) {
	for _, limit := range []time.Duration{0, time.Millisecond} {
		must(t, started(t, shmem.Options{HeapSize: 1 << 20, Timeout: time.Minute}, func(x startedPE) {
			before := must1(shmem.StartAllReduce(x.team, x.a, x.a, shmem.Sum))(t)
			after := must1(shmem.StartBroadcast(x.team, x.a, x.a, 1))(t)
			if done, err := after.Test(); done || err != nil {
				t.Errorf("nobody else has come, but test says %v, %v", done, err)
			}
			ctx, cancel := context.WithCancel(x.ctx)
			if limit > 0 {
				ctx, cancel = context.WithTimeout(x.ctx, limit)
			}
			defer cancel()
			is := shmem.ErrTimeout
			if limit == 0 {
				is = context.Canceled
				cancel()
			}
			x.wrong(before.Wait(ctx), is, "wait", "PE 1 is absent: ")
			x.wrong(after.Wait(x.ctx), context.Canceled, "broadcast", "the team is out of order since an earlier collective failed: context canceled after")
		}, func(x startedPE) {
			x.wrong(x.team.Barrier(x.ctx), shmem.ErrMismatch, "barrier", "PE 0 gave this team up: context canceled after")
		}))
	}
}

// TestHandleGivenUpLater is the same for the second of two: it takes the first with it.
func TestHandleGivenUpLater(t *testing.T) {
	must(t, started(t, shmem.Options{HeapSize: 1 << 20, Timeout: time.Minute}, func(x startedPE) {
		before := must1(shmem.StartAllReduce(x.team, x.a, x.a, shmem.Sum))(t)
		after := must1(shmem.StartBroadcast(x.team, x.a, x.a, 1))(t)
		ctx, cancel := context.WithCancel(x.ctx)
		cancel()
		x.wrong(after.Wait(ctx), context.Canceled, "wait", "the team is out of order since an earlier collective failed: ")
		x.wrong(before.Wait(x.ctx), context.Canceled, "allreduce", "PE 1 is absent: ")
	}, func(startedPE) {}))
}

// TestHandleTimeout: Options.Timeout bounds what was started, and a blocking call that
// waits for it.
func TestHandleTimeout(t *testing.T) {
	must(t, started(t, shmem.Options{HeapSize: 1 << 20, Timeout: 50 * time.Millisecond}, func(x startedPE) {
		line := here(1)
		h := must1(shmem.StartAllReduce(x.team, x.a, x.a, shmem.Sum))(t)
		x.wrong(x.team.Barrier(x.ctx), shmem.ErrTimeout, "barrier", "the team is out of order since an earlier collective failed: timed out after")
		x.wrong(h.Wait(x.ctx), shmem.ErrTimeout, "allreduce", "(GOSHMEM_TIMEOUT or Options.Timeout); PE 0 is in allreduce #1 of team 2 ("+line+"); PE 1 is absent: ")
	}, func(startedPE) {}))
}

// TestHandleAborted: the end of the world ends what was started.
func TestHandleAborted(t *testing.T) {
	err := started(t, badOptions(), func(x startedPE) {
		h := must1(shmem.StartBarrier(x.team))(t)
		x.w.Abort(errors.New("enough"))
		if err := h.Wait(x.ctx); !errors.Is(err, shmem.ErrFailed) && !errors.Is(err, shmem.ErrClosed) || !strings.Contains(err.Error(), "enough") {
			t.Errorf("after the abort: %v", err)
		}
		_, err := shmem.StartBarrier(x.team)
		x.wrong(err, shmem.ErrClosed, "start barrier", "this PE ended the world: aborted: enough")
	}, func(startedPE) {})
	if err == nil || !strings.Contains(err.Error(), "aborted: enough") {
		t.Errorf("the world ended with %v", err)
	}
}

// TestHandleFinalize: finalize waits for what was started, on every team.
func TestHandleFinalize(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 3, badOptions(), func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[int64](ctx, w, 3))(t)
		must(t, a.Fill(1))
		team := must1(w.Team().SplitStrided(ctx, 0, 1, 3, shmem.TeamConfig{}))(t)
		own := must1(a.Local())(t)
		var handles []*shmem.Handle
		for i, on := range []*shmem.Team{w.Team(), w.SharedTeam(), team} {
			part := must1(a.Slice(i, i+1))(t)
			handles = append(handles, must1(shmem.StartAllReduce(on, part, part, shmem.Sum))(t))
		}
		must(t, w.Finalize(ctx))
		for i, h := range handles {
			if done, err := h.Test(); !done || err != nil || own[i] != 3 {
				t.Errorf("after finalize collective %d: complete %v, error %v, sum %d", i, done, err, own[i])
			}
		}
		return nil
	}))
}

// TestHandleWrong: what is wrong with a collective comes with its handle, and says where
// it was started; what cannot be started says so.
func TestHandleWrong(t *testing.T) {
	o := badOptions()
	o.Check = shmem.CheckOn
	must(t, started(t, o, func(x startedPE) {
		line := here(1)
		h := must1(shmem.StartBroadcast(x.team, x.a, x.a, 2))(t)
		exactly(t, h.Wait(x.ctx), "shmem: broadcast: root 2 out of range: the team has 2 PEs ("+line+")")
		exactly(t, second((*shmem.Team)(nil).Config()), "shmem: team config: this PE is not a member of the team")
		exactly(t, second(shmem.StartBarrier(nil)), "shmem: start barrier: this PE is not a member of the team")
		exactly(t, (*shmem.Handle)(nil).Wait(x.ctx), "shmem: wait: the handle is nil: nothing was started")
		exactly(t, second((*shmem.Handle)(nil).Test()), "shmem: test: the handle is nil: nothing was started")
	}, func(x startedPE) {
		x.wrong(x.team.Barrier(x.ctx), shmem.ErrMismatch, "barrier", "PE 0 gave this team up: root 2 out of range: the team has 2 PEs")
	}))
}

// TestHandleForgotten: finalize returns the error of what was started on a team and that
// nobody has waited for, with the line that started it; not one that was told.
func TestHandleForgotten(t *testing.T) {
	for _, told := range []bool{false, true} {
		must(t, shmem.RunLocal(t.Context(), 2, badOptions(), func(ctx context.Context, w *shmem.World) error {
			team := must1(w.Team().SplitStrided(ctx, 0, 1, 2, shmem.TeamConfig{}))(t)
			a := must1(shmem.Alloc[int64](ctx, w, 1))(t)
			line := here(1)
			h := must1(shmem.StartBroadcast(team, a, a, 2))(t)
			why := "shmem: broadcast: root 2 out of range: the team has 2 PEs (" + line + ")"
			if told {
				exactly(t, h.Wait(ctx), why)
				return w.Finalize(ctx)
			}
			err := w.Finalize(ctx)
			if !errors.Is(err, shmem.ErrPE) {
				t.Errorf("finalize after a collective that failed: %v", err)
			}
			exactly(t, err, "shmem: finalize: nobody waited for what was started at "+line+": "+why)
			return nil
		}))
	}
}
