// Late is a program that looks for what it has put before a quiet has completed it.
package main

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/shmem"
)

func main() { shmem.Main(late) }

func late(ctx context.Context, w *shmem.World) error {
	a, err := shmem.Alloc[int64](ctx, w, 64)
	if err != nil {
		return err
	}
	for i := range a.Len() {
		if err := a.P(i, 1, w.MyPE()); err != nil {
			return err
		}
	}
	for i := range a.Len() {
		if v, err := a.At(i); err != nil || v != 1 {
			return fmt.Errorf("element %d is %d, %v", i, v, err)
		}
	}
	return nil
}
