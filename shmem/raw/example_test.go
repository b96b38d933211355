package raw_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

// Each PE puts its number to the next one, as code does that comes from C: memory is
// known by addresses. Arrays are made of them where values are needed.
func Example() {
	ring := func(ctx context.Context, w *shmem.World) error {
		me, n := raw.MyPe(w), raw.NPes(w)
		src, err := raw.Malloc(ctx, w, 4)
		if err != nil {
			return err
		}
		dst, err := raw.Malloc(ctx, w, 4)
		if err != nil {
			return err
		}
		if err := raw.IntP(w, src, int32(me), me); err != nil {
			return err
		}
		if err := raw.Quiet(ctx, w); err != nil { // a put to oneself is a put, too
			return err
		}
		if err := raw.Putmem(w, dst, src, 4, (me+1)%n); err != nil {
			return err
		}
		if err := raw.BarrierAll(ctx, w); err != nil {
			return err
		}
		got, err := shmem.ObjectAt[int32](w, dst, 1)
		if err != nil {
			return err
		}
		v, err := got.At(0)
		if me == 0 {
			fmt.Println("PE 0 got", v)
		}
		return errors.Join(err, raw.Free(ctx, w, dst), raw.Free(ctx, w, src))
	}
	if err := shmem.RunLocal(context.Background(), 4, shmem.Options{HeapSize: 1 << 20}, ring); err != nil {
		fmt.Println(err)
	}
	// Output: PE 0 got 3
}
