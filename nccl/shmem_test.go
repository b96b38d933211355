package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
	"github.com/goshmem/goshmem/shmem"
)

// TestSymmetricArrays: arrays of package shmem are buffers, beside their own collectives.
func TestSymmetricArrays(t *testing.T) {
	if launched(t) {
		return
	}
	ranks := local(t, "host", options("host"))
	err := shmem.RunLocal(t.Context(), len(ranks), shmem.Options{HeapSize: 1 << 20, Timeout: limit}, func(ctx context.Context, w *shmem.World) error {
		r := ranks[w.MyPE()]
		a, err := shmem.Alloc[float32](ctx, w, 3)
		if err != nil {
			return err
		}
		b, err := a.Slice(1, 3)
		if err != nil {
			return err
		}
		local, err := a.Local()
		if err != nil {
			return err
		}
		local[1] = float32(w.MyPE() + 1)
		if err := nccl.AllReduce(r.c, b, b, nccl.Sum, r.s); err != nil {
			return err
		}
		if err := r.c.Synchronize(ctx, r.s); err != nil {
			return err
		}
		if local[0] != 0 || local[1] != 6 {
			return fmt.Errorf("sums %v", local)
		}
		var none shmem.Array[float32]
		if err := nccl.AllReduce(r.c, none, none, nccl.Sum, r.s); !errors.Is(err, shmem.ErrArgument) {
			return fmt.Errorf("the zero Array: %w", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

var _ nccl.Buffer = gpu.Slice[int8]{}
