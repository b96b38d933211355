// Blame fails on PE 1 while the others wait for it.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/goshmem/goshmem/shmem"
)

func main() {
	shmem.Main(func(ctx context.Context, w *shmem.World) error {
		if w.MyPE() != 1 {
			return w.Barrier(ctx)
		}
		if os.Args[1] == "panic" {
			panic("boom")
		}
		return errors.New("boom")
	})
}
