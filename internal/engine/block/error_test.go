package block_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/engine/block"
	"github.com/goshmem/goshmem/shmem"
)

// TestKinds: what an engine's error is to users, through package shmem.
func TestKinds(t *testing.T) {
	asUsersGetIt := func(err error) error { return &shmem.Error{Op: "init", Err: block.Sorted(err)} }
	for _, kind := range []error{
		shmem.ErrTimeout, shmem.ErrDied, shmem.ErrFailed, shmem.ErrMismatch, context.Canceled, context.DeadlineExceeded,
		gpu.ErrUnsupported, gpu.ErrNoDevice, gpu.ErrMemory, gpu.ErrArgument, gpu.ErrFault, gpu.ErrArch,
	} {
		for _, err := range []error{fmt.Errorf("engine: %w: why", kind), block.Of(kind, errors.New("engine: why"))} {
			if got := asUsersGetIt(err); !errors.Is(got, kind) || got.Error() != "shmem: init: "+err.Error() {
				t.Errorf("%v is not %v, or has other words", got, kind)
			}
		}
	}
	own := block.Of(nil, errors.New("library: status 7"))
	if got := asUsersGetIt(own); !errors.Is(got, shmem.ErrFailed) || !errors.Is(got, own) || block.Sorted(nil) != nil {
		t.Errorf("an error of no kind becomes %v", got)
	}
	differ := block.Differ("PE %d is older", 1)
	if got := asUsersGetIt(differ); !errors.Is(got, shmem.ErrMismatch) || got.Error() != "shmem: init: PE 1 is older" || block.Reason(differ) != "" {
		t.Errorf("PEs that differ: %v, told as %q", got, block.Reason(differ))
	}
	if got := block.Reason(own); got != "library: status 7" {
		t.Errorf("told as %q", got)
	}
}
