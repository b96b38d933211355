package main

import (
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
)

// refusals checks that what would go wrong on the device does not come to it: arguments that
// do not fit a kernel, and the table of memory that was freed.
func refusals(b *bench) error {
	list, err := allocated[float32](b, 1)
	if err != nil {
		return err
	}
	if b.left("load") {
		return freed(b, list)
	}
	k, err := b.kernels.named("load_fp32")
	if err != nil {
		return err
	}
	x, peers, me, n := list[0].x, list[0].peers, int32(b.me), int32(0)
	if _, compiled := b.kernels.(*files); compiled { // of a kernel in Go nothing is known
		for what, args := range map[string][]any{
			"an argument too few":        {x, x, n, me, me},
			"a number for an address":    {x, int64(0), n, me, me, peers},
			"an address for a number":    {x, x, x, me, me, peers},
			"a number of another type":   {x, x, float32(0), me, me, peers},
			"an address of another type": {x, peers.Table(), n, me, me, peers},
			"arguments in another order": {x, x, peers, n, me, me},
		} {
			if err := k.Launch(b.stream, [3]int{1}, args...); !errors.Is(err, gpu.ErrArgument) {
				return fmt.Errorf("%s: %w, want an error of the arguments", what, err)
			}
		}
	}
	if err := freed(b, list); err != nil {
		return err
	}
	y, err := gpu.Alloc[float32](b.d, 1)
	if err != nil {
		return err
	}
	if err := k.Launch(b.stream, [3]int{1}, y, y, n, me, me, peers); !errors.Is(err, provider.ErrFreed) {
		return fmt.Errorf("the table of freed memory: %w, want that it is refused", err)
	}
	return y.Close()
}
