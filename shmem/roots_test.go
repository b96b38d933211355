package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// TestRootsDiffer: a broadcast or scatter of which one member thinks itself the root goes
// unnoticed, because roots wait for nobody; the next collective tells everybody.
func TestRootsDiffer(t *testing.T) {
	for _, n := range []int{1, 100, 10000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			shmemtest.RunWith(t, 4, badOptions(), func(t testing.TB, w *shmem.World) { rootsDiffer(t, w, n) })
		})
	}
}

func rootsDiffer(t testing.TB, w *shmem.World, n int) {
	if w.NPEs() == 1 { // launched alone: there is nobody to disagree with
		return
	}
	ctx, root := t.Context(), 0
	if w.MyPE() == w.NPEs()-1 {
		root = w.MyPE()
	}
	large := must1(shmem.Alloc[int32](ctx, w, n*w.NPEs()))(t)
	small := must1(shmem.Alloc[int32](ctx, w, n))(t)
	for i, call := range []func(*shmem.Team) error{
		func(team *shmem.Team) error { return shmem.Broadcast(ctx, team, small, small, root) },
		func(team *shmem.Team) error { return shmem.BroadcastSlice(ctx, team, make([]int32, n), root) },
		func(team *shmem.Team) error { return shmem.Scatter(ctx, team, small, large, root) },
	} {
		team := must1(w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{}))(t)
		err := call(team)
		if err == nil {
			err = shmem.AllReduce(ctx, team, small, small, shmem.Sum)
		}
		if !errors.Is(err, shmem.ErrMismatch) || !strings.Contains(err.Error(), "root") {
			t.Errorf("call %d: %v", i, err)
		}
		must(t, w.Barrier(context.Background()))
	}
}
