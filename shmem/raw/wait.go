package raw

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
)

func waitUntil[T shmem.Waitable](ctx context.Context, w *shmem.World, ivar uintptr, cmp shmem.Cmp, v T) error {
	a, err := shmem.ObjectAt[T](w, ivar, 1)
	if err != nil {
		return err
	}
	return shmem.WaitUntil(ctx, a, 0, cmp, v)
}

func test[T shmem.Waitable](w *shmem.World, ivar uintptr, cmp shmem.Cmp, v T) (bool, error) {
	a, err := shmem.ObjectAt[T](w, ivar, 1)
	if err != nil {
		return false, err
	}
	return shmem.Test(a, 0, cmp, v)
}
