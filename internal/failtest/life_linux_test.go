package failtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/shmem"
)

func lifeRows() []row {
	return []row{
		{
			fault: "a call before init", others: "Open MPI: an error (255); OSSS-UCX crashes; SOS says PE -1 and crashes, its checking build has an error",
			ours: "Nothing can be called without a world: what a program can have before Init is a nil world and zero values.",
			says: []string{
				"[HOST 0] shmem: barrier: the world is nil: use Main, Init or RunLocal",
				"[HOST 0] shmem: alloc: the world is nil: use Main, Init or RunLocal",
				"[HOST 0] shmem: put slice: the zero value has no memory: use Alloc or AllocSignal",
				"[HOST 0] shmem: signal set: the zero value has no memory: use Alloc or AllocSignal",
			},
			code: 1, program: beforeInit, tests: badInput,
		},
		{
			fault: "a call after finalize", others: "Open MPI has crashed before; OSSS-UCX crashes; SOS: an error about addresses",
			says: []string{
				"[HOST 0] shmem: barrier: the world is finalized",
				"[HOST 0] shmem: put: the world is finalized",
				"[HOST 0] shmem: alloc: the world is finalized",
			},
			code: 1, program: afterFinalize, tests: append([]string{"shmem.TestBadOrderFinalize"}, badInput...),
		},
		{
			fault: "a wait on a destroyed team",
			says: []string{
				"[HOST 0] PE 0: shmem: barrier: the team was destroyed",
				"[HOST 1] PE 1: shmem: barrier: the team was destroyed",
			},
			code: 1, pe: func(ctx context.Context, w *shmem.World) error {
				team, err := w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{})
				if err != nil {
					return err
				}
				if err := team.Destroy(ctx); err != nil {
					return err
				}
				return team.Barrier(ctx)
			}, local: true, tests: badInput,
		},
		{
			fault: "a call after this PE has ended the world (Abort)",
			says: []string{
				"[HOST 0] PE 0: shmem: barrier: this PE ended the world: aborted: out of cheese",
				"[HOST 1] PE 1: shmem: barrier: PE 0 (host HOST, pid PID) failed: aborted: out of cheese; …",
			},
			code: 1, pe: func(ctx context.Context, w *shmem.World) error {
				if w.MyPE() == 0 {
					w.Abort(errors.New("out of cheese"))
				}
				return w.Barrier(ctx)
			}, local: true, tests: []string{"shmem.TestEndingsProcesses"},
		},
	}
}

// say prints errors as a program would that goes on, and ends with 1.
func say(errs ...error) {
	for _, err := range errs {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

func beforeInit() {
	ctx := context.Background()
	var w *shmem.World
	_, alloc := shmem.Alloc[int64](ctx, w, 8)
	say(w.Barrier(ctx), alloc, array{}.PutSlice(nil, 1), shmem.Signal{}.Set(1, 1))
}

func afterFinalize() {
	ctx := context.Background()
	w, err := shmem.Init(ctx, shmem.Options{})
	if err != nil {
		say(err)
	}
	a, err := shmem.Alloc[int64](ctx, w, 8)
	if err != nil {
		say(err)
	}
	if err := w.Finalize(ctx); err != nil {
		say(err)
	}
	_, again := shmem.Alloc[int64](ctx, w, 8)
	say(w.Barrier(ctx), a.Put(a, 1), again)
}
