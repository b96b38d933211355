package shmem_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// TestTrees moves vectors of many pieces over virtual nodes, on teams whose nodes have
// equally many members, or not, or one each, and holds each element to
// what the members' make in team order.
func TestTrees(t *testing.T) {
	if jobSize(t) > 0 {
		return // worlds of goroutine PEs
	}
	for _, c := range []struct {
		pes, node           int
		start, stride, size int
	}{{4, 2, 0, 1, 4}, {6, 2, 0, 1, 6}, {5, 2, 0, 1, 5}, {7, 3, 1, 1, 5}, {6, 3, 1, 2, 3}, {6, 4, 0, 1, 6}, {4, 1, 0, 1, 4}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			o := roomy
			o.NodeSize = c.node
			must(t, shmem.RunLocal(t.Context(), c.pes, o, func(ctx context.Context, w *shmem.World) error {
				team, err := w.Team().SplitStrided(ctx, c.start, c.stride, c.size, shmem.TeamConfig{})
				var arrays [2]shmem.Array[float64]
				for i := range arrays {
					if err == nil {
						arrays[i], err = shmem.Alloc[float64](ctx, w, treePart*c.size)
					}
				}
				if err == nil && team != nil {
					err = overTree(ctx, team, arrays[0], arrays[1])
				}
				if err != nil {
					return err
				}
				return w.Barrier(ctx)
			}))
		})
	}
}

// fraction is an element of a member: sums depend on the order.
func fraction(member, i int) float64 { return float64(member*7919+i%1013+1) / 3 }

func sumOf(members, i int) (sum float64) {
	for m := range members {
		sum += fraction(m, i)
	}
	return sum
}

// treePart is how many elements each member has of a vector.
const treePart = 1200

func overTree(ctx context.Context, team *shmem.Team, dst, src shmem.Array[float64]) error {
	const part = treePart
	n, me := team.NPEs(), team.MyPE()
	mine, err := src.Local()
	if err != nil {
		return err
	}
	for i := range mine {
		mine[i] = fraction(me, i)
	}
	own, err := dst.Slice(part*me, part*(me+1))
	if err != nil {
		return err
	}
	total := func(i int) float64 { return sumOf(n, i) }
	for root := range n {
		if err = shmem.Reduce(ctx, team, dst, src, shmem.Sum, root); err != nil {
			return err
		}
		if me == root {
			if err = holds(dst, 0, total); err != nil {
				return fmt.Errorf("reduce to %d: %w", root, err)
			}
		}
		if err = shmem.Broadcast(ctx, team, dst, src, root); err != nil {
			return err
		}
		if err = holds(dst, 0, func(i int) float64 { return fraction(root, i) }); err != nil {
			return fmt.Errorf("broadcast from %d: %w", root, err)
		}
	}
	if err = shmem.ReduceScatter(ctx, team, own, src, shmem.Sum); err == nil {
		err = holds(own, part*me, total)
	}
	if err != nil {
		return fmt.Errorf("reduce scatter: %w", err)
	}
	if err = shmem.FCollect(ctx, team, dst, own); err == nil { // in place
		err = holds(dst, 0, total)
	}
	if err != nil {
		return fmt.Errorf("fcollect: %w", err)
	}
	if err = shmem.AllReduce(ctx, team, src, src, shmem.Sum); err == nil {
		err = holds(src, 0, total)
	}
	if err != nil {
		return fmt.Errorf("allreduce: %w", err)
	}
	return sliceOverTree(ctx, team, 5*part*n)
}

func holds(a shmem.Array[float64], first int, want func(i int) float64) error {
	mine, err := a.Local()
	for i, got := range mine {
		if got != want(first+i) {
			return fmt.Errorf("element %d is %v, want %v", i, got, want(first+i))
		}
	}
	return err
}

func sliceOverTree(ctx context.Context, team *shmem.Team, n int) error {
	v := make([]float64, n)
	for i := range v {
		v[i] = fraction(team.MyPE(), i)
	}
	if err := shmem.AllReduceSlice(ctx, team, v, v, shmem.Sum); err != nil {
		return err
	}
	for i, got := range v {
		if want := sumOf(team.NPEs(), i); got != want {
			return fmt.Errorf("slices: element %d is %v, want %v", i, got, want)
		}
	}
	return nil
}
