package failtest_test

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/goshmem/goshmem/shmem"
)

func disagreeRows() []row { return slices.Concat(setUpRows(), dataRows(), oddRows()) }

// setUpRows are about what lasts, and about who is where.
func setUpRows() []row {
	return []row{
		{
			fault: "PEs allocate different sizes", others: "not noticed, also by SOS's checking build; from then on objects are at different places on the PEs",
			says: []string{
				"[HOST 0] PE 0: shmem: alloc: PE 0 asked 64 bytes aligned 128, PE 1 asked 128 bytes aligned 128 (alloc #2, FILE:LINE)",
				"[HOST 1] PE 1: shmem: alloc: PE 0 asked 64 bytes aligned 128, PE 1 asked 128 bytes aligned 128 (alloc #2, FILE:LINE)",
			},
			code: 1, pe: apart(allocs(8), allocs(16)), local: true, tests: badInput,
		},
		{
			fault: "PEs allocate different element types",
			says: []string{
				"[HOST 0] PE 0: shmem: alloc: PE 0 asked 64 bytes aligned 128, PE 1 asked 64 bytes aligned 128 of another element type (alloc #2, FILE:LINE)",
				"[HOST 1] PE 1: shmem: alloc: PE 0 asked 64 bytes aligned 128, PE 1 asked 64 bytes aligned 128 of another element type (alloc #2, FILE:LINE)",
			},
			code: 1, pe: apart(allocs(8), func(ctx context.Context, w *shmem.World) error {
				_, err := shmem.Alloc[float64](ctx, w, 8)
				return err
			}), local: true, tests: badInput,
		},
		{
			fault: "PEs split a team differently",
			says: []string{
				"[HOST 0] PE 0: shmem: split strided: PE 1 passed 1, 1, 1, PE 0 passed 0, 1, 1 (split #1, FILE:LINE)",
				"[HOST 1] PE 1: shmem: split strided: PE 0 passed 0, 1, 1, PE 1 passed 1, 1, 1 (split #1, FILE:LINE)",
			},
			code: 1, pe: apart(splits(0), splits(1)), local: true, tests: badInput,
		},
		{
			fault: "PEs free different arrays",
			says: []string{
				"[HOST 0] PE 0: shmem: free: PE 0 asked alloc #1 (64 bytes), PE 1 asked alloc #2 (64 bytes) (free #1, FILE:LINE)",
				"[HOST 1] PE 1: shmem: free: PE 0 asked alloc #1 (64 bytes), PE 1 asked alloc #2 (64 bytes) (free #1, FILE:LINE)",
			},
			code: 1, pe: freesApart, local: true, tests: badInput,
		},
		{
			fault: "PE 0 is in a barrier while PE 1 is in another collective", others: "hangs with all three",
			says: []string{
				"[HOST 0] PE 0: shmem: barrier: …PE 0 is in barrier #1 where PE 1 is in alloc #2; PE 0 is in barrier #1…; PE 1 is in alloc #2 (FILE:LINE)",
				"[HOST 1] PE 1: shmem: alloc: …PE 0 is in barrier #1 where PE 1 is in alloc #2; PE 0 is in barrier #1…; PE 1 is in alloc #2 (FILE:LINE)",
			},
			code: 1, pe: apart(barrier, allocs(8)), local: true,
			tests: []string{"shmem.TestBadOrderGoroutines", "shmem.TestBadOrderProcesses", "internal/killtest.TestBodies", "internal/killtest.TestBodiesProcesses", "internal/engine/host.TestGateMismatch"},
		},
		{
			fault: "PE 0 is in a barrier while PE 1 finalizes",
			says: []string{
				"[HOST 0] PE 0: shmem: barrier: …PE 0 is in barrier #1 where PE 1 is in finalize #1…",
				"[HOST 1] PE 1: shmem: finalize: …PE 0 is in barrier #1 where PE 1 is in finalize #1…",
			},
			code: 1, pe: apart(barrier, func(ctx context.Context, w *shmem.World) error { return w.Finalize(ctx) }), local: true,
			tests: []string{"shmem.TestBadOrderFinalize", "internal/killtest.TestLeaveMain"},
		},
		{
			fault: "PE 1 alone asks for what nobody can have",
			says: []string{
				"[HOST 0] PE 0: shmem: alloc: PE 1 refused alloc #2 (FILE:LINE): -2 elements: at least one is needed",
				"[HOST 1] PE 1: shmem: alloc: -2 elements: at least one is needed",
			},
			code: 1, pe: apart(allocs(8), allocs(-2)), local: true, tests: badInput,
		},
	}
}

func barrier(ctx context.Context, w *shmem.World) error { return w.Barrier(ctx) }

func allocs(n int) body {
	return func(ctx context.Context, w *shmem.World) error {
		_, err := shmem.Alloc[int64](ctx, w, n)
		return err
	}
}

func splits(start int) body {
	return func(ctx context.Context, w *shmem.World) error {
		_, err := w.Team().SplitStrided(ctx, start, 1, 1, shmem.TeamConfig{})
		return err
	}
}

func freesApart(ctx context.Context, w *shmem.World) error {
	a, err := shmem.Alloc[int64](ctx, w, 8)
	if err != nil {
		return err
	}
	b, err := shmem.Alloc[int64](ctx, w, 8)
	if err != nil {
		return err
	}
	free := func(a array) body { return func(ctx context.Context, _ *shmem.World) error { return a.Free(ctx) } }
	return apart(free(a), free(b))(ctx, w)
}

// apart has PE 0 do one thing and PE 1 another. Both must fail, and neither leaves
// before the other has: else the one that is later could be told of that instead.
func apart(zero, one body) body {
	return func(ctx context.Context, w *shmem.World) error {
		failed, err := shmem.Alloc[int64](ctx, w, 1)
		if err != nil {
			return err
		}
		mine, theirs, does := 0, 1, zero
		if w.MyPE() == 1 {
			mine, theirs, does = 1, 0, one
		}
		own, err := failed.Peer(mine)
		if err != nil {
			return err
		}
		other, err := failed.Peer(theirs)
		if err != nil {
			return err
		}
		err = does(ctx, w)
		atomic.StoreInt64(&own[0], 1) // memory outlives the world
		for err != nil && atomic.LoadInt64(&other[0]) == 0 {
			runtime.Gosched()
		}
		return err
	}
}
