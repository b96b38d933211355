package rocshmem

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/block"
)

// library is the shim and the way into it: one thread at a time, and none after a call
// that did not come back.
type library struct {
	*rocshmem.Library
	*block.Door
	turns *turns // of a stand-in; else nil
}

func newLibrary(l *rocshmem.Library) *library {
	return &library{Library: l, Door: block.NewDoor(name, "rocSHMEM")}
}

// do makes calls that come back by themselves, on the caller's thread.
func (l *library) do(calls func(l *rocshmem.Library)) error {
	if err := l.Enter(); err != nil {
		return err
	}
	defer l.Leave()
	calls(l.Library)
	return l.turns.failed()
}

// watched makes a call that may wait for other PEs. If they die, or time is over, its
// thread is given up, and the library with it.
func (l *library) watched(ctx context.Context, world engine.Heap, call engine.Call, what string, make func(l *rocshmem.Library)) error {
	return l.Watched(ctx, world, call, what+" has not come back", func() { make(l.Library) })
}

// refused is the error for what neither the library nor the engine can do.
func refused(format string, args ...any) error {
	return fmt.Errorf("rocshmem: %w: %s", device.ErrUnsupported, fmt.Sprintf(format, args...))
}

// failed is the error of a function that has returned a status; nil for success.
func failed(what string, status int32) error {
	if status == 0 {
		return nil
	}
	return fmt.Errorf("rocshmem: %s failed with status %d: ROCSHMEM_DEBUG_LEVEL=INFO has the library say why", what, status)
}
