package failtest_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

// heldByDisagree are the tests of package shmem that try all collectives.
var heldByDisagree = []string{"shmem.TestKindsDisagree"}

// dataRows are collectives that carry data, with different arguments.
func dataRows() []row {
	return []row{
		{
			fault: "PEs broadcast different counts", others: "hang, or return on all PEs with data that cannot be right, without a word",
			ours: "A PE that needs nothing from the others any more learns of it in the next collective.",
			says: []string{
				"[HOST 0] PE 0: shmem: barrier: …PE 0 asked for broadcast of 4 elements of 8 bytes, root 0, PE 1 for broadcast of 8 elements of 8 bytes, root 0 (broadcast #1, FILE:LINE)…",
				"[HOST 1] PE 1: shmem: broadcast: PE 0 asked for broadcast of 4 elements of 8 bytes, root 0, PE 1 for broadcast of 8 elements of 8 bytes, root 0 (broadcast #1, FILE:LINE)",
			},
			code: 1, pe: apart(onArrays(4, broadcasts(0)), onArrays(8, broadcasts(0))), local: true, tests: heldByDisagree,
		},
		{
			fault: "PEs collect different counts (FCollect)", others: "as for broadcast",
			says: []string{
				"[HOST 0] PE 0: shmem: fcollect: …PE 1 …for fcollect of 8 elements of 8 bytes…",
				"[HOST 1] PE 1: shmem: fcollect: …PE 0 …for fcollect of 4 elements of 8 bytes…",
			},
			code: 1, pe: apart(onArrays(4, fcollects), onArrays(8, fcollects)), local: true, tests: heldByDisagree,
		},
		{
			fault: "PEs reduce with different operations (AllReduce)",
			says: []string{
				"[HOST 0] PE 0: shmem: allreduce: …PE 1 …for allreduce (max) of 8 int64…",
				"[HOST 1] PE 1: shmem: allreduce: …PE 0 …for allreduce (sum) of 8 int64…",
			},
			code: 1, pe: apart(onArrays(8, sums), onArrays(8, maxima)), local: true, tests: heldByDisagree,
		},
	}
}

// oddRows are jobs of four of which PE 1 does something else than the others. All learn
// of that at once and end in any order.
func oddRows() []row {
	first := "goshmem: rank 1 (host HOST, pid PID) failed first: exit status 1"
	return []row{
		{
			fault: "PE 1 of 4 gives up a broadcast: there is no such root",
			ours:  "The launcher names the PE that failed, by what the others say of it: their processes may end before its.",
			says: []string{
				"[HOST 1] PE 1: shmem: broadcast: root 99 out of range: the team has 4 PEs",
				"[HOST 2] PE 2: shmem: …: PE 1 …root 99 out of range: the team has 4 PEs…",
				first,
			},
			code: 1, n: 4, pe: odd(onArrays(8, broadcasts(0)), onArrays(8, broadcasts(99))), local: true,
		},
		{
			fault: "PE 1 of 4 returns while the others are in a barrier",
			ours:  "The one that is alone with what it does counts as the one that failed.",
			says:  []string{"[HOST 0] PE 0: shmem: barrier: …PE 1 is in finalize #1…", first},
			code:  1, n: 4, pe: odd(barrier, func(context.Context, *shmem.World) error { return nil }), local: true,
		},
		{
			fault: "PE 1 of 4 reduces with another operation",
			says:  []string{"[HOST 0] PE 0: shmem: allreduce: …PE 1 …for allreduce (max) of 8 int64…", first},
			code:  1, n: 4, pe: odd(onArrays(8, sums), onArrays(8, maxima)), local: true,
		},
		{
			fault: "PE 1 of 4 calls Abort and returns no error",
			says: []string{
				"[HOST 1] PE 1: aborted: out of cheese",
				"[HOST 0] PE 0: shmem: barrier: PE 1 (host HOST, pid PID) failed: aborted: out of cheese; …",
				first,
			},
			code: 1, n: 4, pe: odd(barrier, func(_ context.Context, w *shmem.World) error { w.Abort(errors.New("out of cheese")); return nil }),
		},
	}
}

// TestOddOneOut repeats the rows of four processes, several jobs at a time: the report
// names PE 1 whoever ends first.
func TestOddOneOut(t *testing.T) {
	for _, r := range oddRows() {
		t.Run(r.fault, func(t *testing.T) {
			var jobs sync.WaitGroup
			for range 3 {
				jobs.Go(func() {
					for range 10 {
						e := launched(t, r, nil)
						if e.code != r.code {
							t.Errorf("exit status %d, want %d", e.code, r.code)
						}
						compare(t, e.lines, r.says)
					}
				})
			}
			jobs.Wait()
			jobtest.NoLeftovers(t)
		})
	}
}

// odd has PE 1 do one thing and the others another.
func odd(others, one body) body {
	return func(ctx context.Context, w *shmem.World) error {
		if w.MyPE() == 1 {
			return one(ctx, w)
		}
		return others(ctx, w)
	}
}

// onArrays calls a collective with a source of n elements, and with a destination for
// them and for those of all PEs.
func onArrays(n int, call func(ctx context.Context, t *shmem.Team, one, all, src array) error) body {
	return func(ctx context.Context, w *shmem.World) error {
		src, err := shmem.Alloc[int64](ctx, w, 8)
		if err != nil {
			return err
		}
		dst, err := shmem.Alloc[int64](ctx, w, 8*w.NPEs())
		if err != nil {
			return err
		}
		part, err := src.Slice(0, n)
		if err != nil {
			return err
		}
		one, err := dst.Slice(0, n)
		if err != nil {
			return err
		}
		all, err := dst.Slice(0, n*w.NPEs())
		if err != nil {
			return err
		}
		if err := call(ctx, w.Team(), one, all, part); err != nil {
			return err
		}
		return w.Barrier(ctx) // what a PE is not told in a collective it learns in the next
	}
}

func broadcasts(root int) func(ctx context.Context, t *shmem.Team, one, all, src array) error {
	return func(ctx context.Context, t *shmem.Team, one, _, src array) error {
		return shmem.Broadcast(ctx, t, one, src, root)
	}
}

func fcollects(ctx context.Context, t *shmem.Team, _, all, src array) error {
	return shmem.FCollect(ctx, t, all, src)
}

func sums(ctx context.Context, t *shmem.Team, one, _, src array) error {
	return shmem.AllReduce(ctx, t, one, src, shmem.Sum)
}

func maxima(ctx context.Context, t *shmem.Team, one, _, src array) error {
	return shmem.AllReduce(ctx, t, one, src, shmem.Max)
}
