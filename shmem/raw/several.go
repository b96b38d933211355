package raw

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
)

// several finds n elements at ivars, and in status which of them do not count: at 0
// there is no status.
func several[T shmem.Waitable](w *shmem.World, ivars uintptr, n int, status uintptr) (shmem.Array[T], []bool, error) {
	a, err := shmem.ObjectAt[T](w, ivars, n)
	if err != nil || status == 0 {
		return a, nil, err
	}
	ints, err := local[int32](w, status, n)
	if err != nil {
		return a, nil, err
	}
	except := make([]bool, n)
	for i, s := range ints {
		except[i] = s != 0
	}
	return a, except, nil
}

// each is several with a value for each element.
func each[T shmem.Waitable](w *shmem.World, ivars uintptr, n int, status, values uintptr) (shmem.Array[T], []bool, []T, error) {
	a, except, err := several[T](w, ivars, n, status)
	if err != nil {
		return a, nil, nil, err
	}
	vs, err := local[T](w, values, n)
	return a, except, vs, err
}

func waitUntilAny[T shmem.Waitable](ctx context.Context, w *shmem.World, ivars uintptr, n int, status uintptr, cmp shmem.Cmp, v T) (int, error) {
	a, except, err := several[T](w, ivars, n, status)
	if err != nil {
		return -1, err
	}
	return shmem.WaitUntilAny(ctx, a, except, cmp, v)
}

func waitUntilAll[T shmem.Waitable](ctx context.Context, w *shmem.World, ivars uintptr, n int, status uintptr, cmp shmem.Cmp, v T) error {
	a, except, err := several[T](w, ivars, n, status)
	if err != nil {
		return err
	}
	return shmem.WaitUntilAll(ctx, a, except, cmp, v)
}

// waitUntilSome writes the numbers where the caller wants them: C's size_t is as
// large as Go's int.
func waitUntilSome[T shmem.Waitable](ctx context.Context, w *shmem.World, ivars uintptr, n int, indices, status uintptr, cmp shmem.Cmp, v T) (int, error) {
	a, except, err := several[T](w, ivars, n, status)
	if err != nil {
		return 0, err
	}
	room, err := local[int](w, indices, n)
	if err != nil {
		return 0, err
	}
	found, err := shmem.WaitUntilSome(ctx, a, room[:0], except, cmp, v)
	return len(found), err
}

func waitUntilAnyVector[T shmem.Waitable](ctx context.Context, w *shmem.World, ivars uintptr, n int, status uintptr, cmp shmem.Cmp, values uintptr) (int, error) {
	a, except, vs, err := each[T](w, ivars, n, status, values)
	if err != nil {
		return -1, err
	}
	return shmem.WaitUntilAnyVector(ctx, a, except, cmp, vs)
}

func waitUntilAllVector[T shmem.Waitable](ctx context.Context, w *shmem.World, ivars uintptr, n int, status uintptr, cmp shmem.Cmp, values uintptr) error {
	a, except, vs, err := each[T](w, ivars, n, status, values)
	if err != nil {
		return err
	}
	return shmem.WaitUntilAllVector(ctx, a, except, cmp, vs)
}

func waitUntilSomeVector[T shmem.Waitable](ctx context.Context, w *shmem.World, ivars uintptr, n int, indices, status uintptr, cmp shmem.Cmp, values uintptr) (int, error) {
	a, except, vs, err := each[T](w, ivars, n, status, values)
	if err != nil {
		return 0, err
	}
	room, err := local[int](w, indices, n)
	if err != nil {
		return 0, err
	}
	found, err := shmem.WaitUntilSomeVector(ctx, a, room[:0], except, cmp, vs)
	return len(found), err
}
