//go:build amd64 || arm64

package dlpack_test

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/interchange/dlpack"
	"github.com/goshmem/goshmem/shmem"
)

// A tensor is lent to a consumer, which usually is in C or Python and gets the address
// of the record; here it is Import.
func ExampleExport() {
	err := shmem.RunLocal(context.Background(), 1, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
		x, err := shmem.NewTensor[int32](ctx, w, 2, 3)
		if err != nil {
			return err
		}
		array, err := x.Transpose().Interchange()
		if err != nil {
			return err
		}
		lent, err := dlpack.Export(array, true)
		if err != nil {
			return err
		}
		borrowed, err := dlpack.Import(lent.Address(), true)
		if err != nil {
			return err
		}
		fmt.Println(borrowed.Array.Shape, borrowed.Array.Strides, lent.Released())
		err = borrowed.Close() // the consumer is done, and says so
		fmt.Println(lent.Released())
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [3 2] [1 3] false
	// true
}
