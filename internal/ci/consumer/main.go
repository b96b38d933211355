// Command consumer is what a user's own module looks like: it is another module,
// uses goshmem through a replace directive, and sees its public packages only. It
// is built, tested and run to show that the module can be used from outside.
package main

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/shmem"
)

func main() { shmem.Main(count) }

// count lets every PE add its number to a counter on PE 0, which prints the sum.
func count(ctx context.Context, w *shmem.World) error {
	sum, err := Sum(ctx, w)
	if err != nil {
		return err
	}
	if w.MyPE() == 0 {
		fmt.Printf("sum of %d PEs: %d\n", w.NPEs(), sum)
	}
	return nil
}

// Sum adds the numbers of all PEs on PE 0 and returns what this PE then reads there.
func Sum(ctx context.Context, w *shmem.World) (int64, error) {
	counter, err := shmem.Alloc[int64](ctx, w, 1)
	if err != nil {
		return 0, err
	}
	if err := shmem.AtomicAdd(counter, 0, int64(w.MyPE()), 0); err != nil {
		return 0, err
	}
	if err := w.Barrier(ctx); err != nil {
		return 0, err
	}
	return counter.G(0, 0)
}
