package shmem_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// disorder is a world in which the last PE calls something else than the others.
type disorder struct {
	op, other string // the error's Op on the last PE, and on the others
	last      func(t testing.TB, w *shmem.World, a shmem.Array[int64]) error
	rest      func(t testing.TB, w *shmem.World, a shmem.Array[int64]) error
	site      string // what the others read of the last PE's line
}

func disorders() []disorder {
	type A = shmem.Array[int64]
	barrier := func(t testing.TB, w *shmem.World, _ A) error { return w.Barrier(t.Context()) }
	alloc := func(t testing.TB, w *shmem.World, _ A) error { return second(shmem.Alloc[int64](t.Context(), w, 1)) }
	allocSite := here(-1)
	sync := func(t testing.TB, w *shmem.World, _ A) error { return w.Sync(t.Context()) }
	free := func(t testing.TB, _ *shmem.World, a A) error { return a.Free(t.Context()) }
	freeSite := here(-1)
	split := func(t testing.TB, w *shmem.World, _ A) error {
		return second(w.Team().SplitStrided(t.Context(), 0, 1, 1, shmem.TeamConfig{}))
	}
	splitSite := here(-2)
	return []disorder{
		{"alloc", "barrier", alloc, barrier, allocSite},
		{"barrier", "alloc", barrier, alloc, ""},
		{"barrier", "sync", barrier, sync, ""},
		{"free", "alloc", free, alloc, freeSite},
		{"split strided", "sync", split, sync, splitSite},
	}
}

// TestBadOrderGoroutines also runs teams so large that they meet in another way.
func TestBadOrderGoroutines(t *testing.T) {
	for _, d := range disorders() {
		for _, n := range []int{2, 4, 20} {
			t.Run(fmt.Sprintf("%s among %s/%d", d.op, d.other, n), func(t *testing.T) {
				for range 5 { // who notices first is a matter of luck
					shmemtest.RunWith(t, n, badOptions(), broken(d.run))
				}
			})
		}
	}
}

func TestBadOrderProcesses(t *testing.T) {
	for _, d := range disorders() {
		shmemtest.RunProcessesWith(t, 4, badOptions(), broken(d.run))
	}
}

// run makes the disorder and looks at what each PE is told.
func (d disorder) run(t testing.TB, w *shmem.World, meet func()) {
	a := must1(shmem.Alloc[int64](t.Context(), w, 1))(t)
	meet()
	pe, isLast, _ := last(w)
	op, call := d.other, d.rest
	if isLast {
		op, call = d.op, d.last
	}
	err := call(t, w, a)
	meet() // or the others would read on the board what this PE does next
	wrong{is: shmem.ErrMismatch, op: op, peer: -1}.in(w).check(t, err)
	if err == nil {
		return
	}
	noun := func(op string) string { op, _, _ = strings.Cut(op, " "); return op + " #" }
	for _, part := range []string{noun(d.op), noun(d.other), fmt.Sprintf("PE %d ", pe), d.site} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v: does not say %q", err, part)
		}
	}
	// The team is out of order: nobody waits any more.
	wrong{is: shmem.ErrMismatch, op: "barrier", peer: -1}.in(w).check(t, w.Barrier(t.Context()))
	wrong{is: shmem.ErrMismatch, op: "alloc", peer: -1}.in(w).check(t, second(shmem.Alloc[int64](t.Context(), w, 1)))
	wrong{is: shmem.ErrMismatch, op: "free", peer: -1}.in(w).check(t, a.Free(t.Context()))
	must(t, a.P(0, 1, (w.MyPE()+1)%w.NPEs())) // what needs no meeting goes on
	meet()
}

// broken runs a body that breaks its world, and ends the world then. The body gets
// a function by which the PEs meet without a collective or a wait, which would
// show on the board.
func broken(body func(t testing.TB, w *shmem.World, meet func())) shmemtest.Body {
	return func(t testing.TB, w *shmem.World) {
		if w.NPEs() == 1 { // launched alone: there is nobody to disagree with
			return
		}
		here := must1(shmem.AllocSignal(t.Context(), w))(t)
		round := 0
		body(t, w, func() {
			round++
			for pe := range w.NPEs() {
				must(t, here.Add(1, pe))
			}
			for start := time.Now(); !must1(here.Test(shmem.GE, uint64(round*w.NPEs())))(t); runtime.Gosched() {
				if time.Since(start) > 10*time.Second {
					t.Fatal("not all PEs have come")
				}
			}
		})
		w.Abort(errors.New("the test has broken this world"))
	}
}

// TestBadOrderFinalize lets the last PE leave while the others go on.
func TestBadOrderFinalize(t *testing.T) {
	for _, n := range []int{2, 4, 20} {
		shmemtest.RunWith(t, n, badOptions(), broken(leaveEarly))
	}
	shmemtest.RunProcessesWith(t, 4, badOptions(), broken(leaveEarly))
}

func leaveEarly(t testing.TB, w *shmem.World, meet func()) {
	a := must1(shmem.Alloc[int64](t.Context(), w, 1))(t)
	gone := must1(a.Local())(t)
	meet()
	var everyone [][]int64
	for i := range w.NPEs() {
		everyone = append(everyone, must1(a.Peer(i))(t))
	}
	tell := func() { // memory outlives the world
		for _, copy := range everyone {
			atomic.AddInt64(&copy[0], 1)
		}
	}
	pe, isLast, _ := last(w)
	if isLast {
		err := w.Finalize(t.Context())
		wrong{is: shmem.ErrMismatch, op: "finalize", peer: -1, text: " in finalize #1"}.in(w).check(t, err)
		wrong{is: shmem.ErrClosed, op: "barrier", peer: -1}.in(w).check(t, w.Barrier(t.Context()))
		must(t, w.Finalize(t.Context())) // it is closed all the same
		tell()
		return
	}
	err := w.Barrier(t.Context())
	x := wrong{is: shmem.ErrMismatch, op: "barrier", peer: -1, text: fmt.Sprintf("PE %d ", pe)}.in(w)
	if errors.Is(err, shmem.ErrFailed) { // a failed finalize ends the world
		x.is = shmem.ErrFailed
	}
	x.check(t, err)
	if err != nil && !strings.Contains(err.Error(), "finalize") {
		t.Errorf("%v: does not say what PE %d did", err, pe)
	}
	tell()
	for start := time.Now(); atomic.LoadInt64(&gone[0]) < int64(w.NPEs()); runtime.Gosched() {
		if time.Since(start) > 10*time.Second {
			t.Fatal("not all PEs have seen the end")
		}
	}
}

// TestBadOrderTeam breaks a team; the world goes on without it.
func TestBadOrderTeam(t *testing.T) {
	for _, n := range []int{2, 4} {
		shmemtest.RunWith(t, n, badOptions(), broken(breakTeam))
		shmemtest.RunProcessesWith(t, n, badOptions(), broken(breakTeam))
	}
}

func breakTeam(t testing.TB, w *shmem.World, meet func()) {
	ctx := t.Context()
	pe, isLast, _ := last(w)
	team := must1(w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{}))(t)
	meet()
	op, err := "barrier", error(nil)
	if isLast {
		op, err = "sync", team.Sync(ctx)
	} else {
		err = team.Barrier(ctx)
	}
	meet()
	wrong{is: shmem.ErrMismatch, op: op, peer: -1, text: " of team "}.in(w).check(t, err)
	if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("PE %d ", pe)) {
		t.Errorf("%v: does not name PE %d", err, pe)
	}
	wrong{is: shmem.ErrMismatch, op: "split strided", peer: -1}.in(w).check(t, second(team.SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{})))
	must(t, team.Destroy(ctx)) // on this PE alone
	for range 3 {
		must(t, w.Barrier(ctx))
	}
	must(t, must1(shmem.Alloc[int64](ctx, w, 1))(t).Free(ctx))
	again := must1(w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{}))(t)
	must(t, again.Barrier(ctx))
	must(t, again.Destroy(ctx))
	meet()
}
