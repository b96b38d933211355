package shmem_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// checkedTeams runs calls on three goroutine PEs in checked mode, each on a new team.
// PE 2 gets the first error, the others are told that it gave the team up.
func checkedTeams(t *testing.T, calls []mistake) {
	t.Helper()
	o := badOptions()
	o.Check = shmem.CheckOn
	must(t, shmem.RunLocal(t.Context(), 3, o, func(ctx context.Context, w *shmem.World) error {
		x := newData(t, w)
		for _, m := range calls {
			x.t = must1(w.Team().SplitStrided(ctx, 0, 1, 3, shmem.TeamConfig{}))(t)
			err := m.call(x)
			if w.MyPE() != 2 {
				m.is, m.text = shmem.ErrMismatch, "PE 2 gave this team up: "+m.text
			}
			wrong{is: m.is, op: m.op, peer: -1, text: m.text}.in(w).check(t, err)
		}
		return nil
	}))
}

// TestBadLayouts: what only the members together can get wrong.
func TestBadLayouts(t *testing.T) {
	one := func(counts ...int) shmem.Layout { return shmem.Layout{Counts: counts, Offsets: []int{0, 2, 4}} }
	checkedTeams(t, []mistake{
		{"alltoallv", shmem.ErrMismatch, "PE 1 sends 2 elements, PE 2 expects 1 of it", func(x data) error {
			send := one(1, 1, 1)
			if x.t.MyPE() == 1 {
				send = one(1, 1, 2)
			}
			return shmem.AllToAllV(x.ctx, x.t, x.b, one(1, 1, 1), x.a, send)
		}},
		{"alltoallv", shmem.ErrArgument, "the receive layout has [0:3] for PE 0 of the team and [2:3] for PE 1, which overlap", func(x data) error {
			n := 1
			if x.t.MyPE() == 2 {
				n = 3
			}
			return shmem.AllToAllV(x.ctx, x.t, x.b, one(n, 1, 1), x.a, one(1, 1, n))
		}},
		{"collect", shmem.ErrLength, "the destination has 8 elements, the source 16: slice the longer one", func(x data) error {
			dst := x.many
			if x.t.MyPE() == 2 {
				dst = x.b
			}
			return second(shmem.Collect(x.ctx, x.t, dst, x.a))
		}},
	})
}

// badNilTeamCollectives calls every collective on the team of those who are not in it,
// and on one that is gone.
func badNilTeamCollectives(t testing.TB, w *shmem.World) {
	gone := must1(w.Team().SplitStrided(t.Context(), 0, 1, w.NPEs(), shmem.TeamConfig{}))(t)
	must(t, gone.Destroy(t.Context()))
	x := must1(newWords(t.Context(), w, nil, w.NPEs()))(t)
	for _, r := range slices.Concat(requests(1), ofSlices(1)) {
		op := strings.TrimSuffix(r.name, " of slices")
		x.t = nil
		wrong{is: shmem.ErrNotMember, op: op, peer: -1, text: "this PE is not a member of the team", pe: -1}.check(t, r.call(t.Context(), x))
		x.t = gone
		wrong{is: shmem.ErrClosed, op: op, peer: -1, text: "the team was destroyed"}.in(w).check(t, r.call(t.Context(), x))
	}
	var none context.Context
	must(t, shmem.Broadcast(none, w.Team(), x.src, x.src, 0))
	for _, a := range []interface{ Free(context.Context) error }{x.src, x.dst, x.narrow[0], x.narrow[1], x.unsigned[0], x.unsigned[1]} {
		must(t, a.Free(none))
	}
}
