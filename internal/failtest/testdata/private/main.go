// Private puts into a global variable, which is not symmetric: it does not compile.
package main

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
)

var total [8]int64

func main() {
	shmem.Main(func(ctx context.Context, w *shmem.World) error {
		a, err := shmem.Alloc[int64](ctx, w, 8)
		if err != nil {
			return err
		}
		return shmem.Array[int64].Put(total, a, 1)
	})
}
