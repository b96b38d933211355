// Overtaken is the program of docs/races.md: a flag may overtake the data that it stands for.
package main

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/shmem"
)

func main() { shmem.Main(overtaken) }

func overtaken(ctx context.Context, w *shmem.World) error {
	data, err := shmem.Alloc[int64](ctx, w, 4)
	if err != nil {
		return err
	}
	flag, err := shmem.AllocSignal(ctx, w)
	if err != nil {
		return err
	}
	if w.MyPE() == 0 {
		if err := data.PutSlice([]int64{1, 2, 3, 4}, 1); err != nil {
			return err
		}
		return flag.Set(1, 1)
	}
	if _, err := flag.WaitUntil(ctx, shmem.EQ, 1); err != nil {
		return err
	}
	if v, err := data.At(3); err != nil || v != 4 {
		return fmt.Errorf("the last element is %d, %v", v, err)
	}
	return nil
}
