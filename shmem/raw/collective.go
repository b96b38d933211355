package raw

import (
	"context"
	"math"

	"github.com/goshmem/goshmem/shmem"
)

// object is what a collective of team works on. An address that is wrong here makes an
// array that the collective refuses, with the reason: so all members hear of it, and
// none waits for this PE.
func object[T any](team *shmem.Team, addr uintptr, n int) shmem.Array[T] {
	a, _ := shmem.ObjectAt[T](team.World(), addr, n)
	return a
}

// product is count times size; more than there can be is the most that can be, which
// no memory has. size is above 0.
func product(count, size int) int {
	if count > math.MaxInt/size {
		return math.MaxInt
	}
	return count * size
}

func allToAll(ctx context.Context, team *shmem.Team, dest, source uintptr, size int) error {
	n := product(size, max(team.NPEs(), 1))
	return shmem.AllToAll(ctx, team, object[byte](team, dest, n), object[byte](team, source, n))
}

func broadcast[T any](ctx context.Context, team *shmem.Team, dest, source uintptr, n, root int) error {
	return shmem.Broadcast(ctx, team, object[T](team, dest, n), object[T](team, source, n), root)
}

func allReduce[T shmem.Numeric](ctx context.Context, team *shmem.Team, dest, source uintptr, n int, op shmem.Reduction[T]) error {
	return shmem.AllReduce(ctx, team, object[T](team, dest, n), object[T](team, source, n), op)
}

func reduceScatter[T shmem.Numeric](ctx context.Context, team *shmem.Team, dest, source uintptr, n int, op shmem.Reduction[T]) error {
	whole := product(n, max(team.NPEs(), 1))
	return shmem.ReduceScatter(ctx, team, object[T](team, dest, n), object[T](team, source, whole), op)
}
