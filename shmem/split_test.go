package shmem_test

import (
	"context"
	"errors"
	"testing"

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
