package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// TestAheadAndWrong has a root broadcast some words, as far ahead of the others as it gets,
// and then do something that the others do not: what it has broadcast before arrives, then
// there is an error for all.
func TestAheadAndWrong(t *testing.T) {
	if jobSize(t) > 0 {
		return // worlds of goroutine PEs
	}
	wrong := map[string]func(ctx context.Context, x words) error{
		"root": func(ctx context.Context, x words) error { return shmem.Broadcast(ctx, x.t, x.dst, x.src, 99) },
		"form": func(ctx context.Context, x words) error { return shmem.BroadcastSlice(ctx, x.t, x.from[:1], 0) },
		"kind": func(ctx context.Context, x words) error { return shmem.Gather(ctx, x.t, x.dst, x.src, 1) },
		"op":   func(ctx context.Context, x words) error { return shmem.AllReduceSlice(ctx, x.t, x.to, x.from, nil) },
		"patience": func(ctx context.Context, x words) error {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return x.t.Barrier(ctx)
		},
	}
	for name, call := range wrong {
		for _, n := range []int{2, 3, 16, 17} {
			for _, before := range []int{0, 1, 6, 7, 9} {
				aheadAndWrong(t, fmt.Sprintf("%s, %d PEs, after %d", name, n, before), n, int64(before), call)
			}
		}
	}
}

func aheadAndWrong(t *testing.T, name string, n int, before int64, call func(ctx context.Context, x words) error) {
	t.Helper()
	err := shmem.RunLocal(t.Context(), n, badOptions(), func(ctx context.Context, w *shmem.World) error {
		team := must1(w.Team().SplitStrided(ctx, 0, 1, n, shmem.TeamConfig{}))(t)
		x := must1(newWords(ctx, w, team, 1))(t)
		dst, src := x.of(1, 1)
		for round := range before {
			must(t, src.Set(0, round))
			must(t, shmem.Broadcast(ctx, team, dst, src, 0))
			if got := must1(dst.At(0))(t); got != round && w.MyPE() > 0 {
				t.Errorf("%s: PE %d: broadcast %d brought %d", name, w.MyPE(), round, got)
			}
		}
		mine := call
		if w.MyPE() > 0 {
			mine = func(ctx context.Context, x words) error { return shmem.Broadcast(ctx, x.t, dst, src, 0) }
		}
		err := mine(ctx, x)
		if err == nil && w.MyPE() == 0 {
			err = team.Barrier(ctx)
		}
		if !errors.Is(err, shmem.ErrMismatch) && w.MyPE() > 0 || err == nil {
			t.Errorf("%s: PE %d: %v", name, w.MyPE(), err)
		}
		return nil
	})
	must(t, err)
}
