package rocshmem

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// library is the shim and the way into it: one thread at a time, and none after a call
// that did not come back.
type library struct {
	*rocshmem.Library
	turns *turns                // of a stand-in; else nil
	token chan struct{}         // whoever has put one in is in the library
	lost  chan struct{}         // closed when dead is set
	dead  atomic.Pointer[error] // why nothing enters any more
}

func newLibrary(l *rocshmem.Library) *library {
	return &library{Library: l, token: make(chan struct{}, 1), lost: make(chan struct{})}
}

// do makes calls that come back by themselves, on the caller's thread.
func (l *library) do(calls func(l *rocshmem.Library)) error {
	if err := l.enter(); err != nil {
		return err
	}
	defer l.leave()
	calls(l.Library)
	return l.turns.failed()
}

// watched makes a call that may wait for other PEs. If they die, or time is over, its
// thread is given up, and the library with it.
func (l *library) watched(ctx context.Context, world engine.Heap, call engine.Call, what string, make func(l *rocshmem.Library)) error {
	if err := l.enter(); err != nil {
		return err
	}
	var back atomic.Bool
	go func() {
		make(l.Library)
		l.leave()
		back.Store(true)
		world.Ring(world.Rank())
	}()
	if why := world.Wait(ctx, call, back.Load); why != nil {
		return l.poison(fmt.Errorf("rocshmem: %s has not come back, so rocSHMEM cannot be used any more in this process: %w", what, why))
	}
	return nil
}

// enter waits for the library to be free.
func (l *library) enter() error {
	select {
	case l.token <- struct{}{}:
	case <-l.lost:
		return l.poisoned()
	}
	if err := l.poisoned(); err != nil { // which is not said to whoever came at the same moment
		l.leave()
		return err
	}
	return nil
}

func (l *library) leave() { <-l.token }

// poison has nothing enter the library from now on. The first reason stays.
func (l *library) poison(why error) error {
	if l.dead.CompareAndSwap(nil, &why) {
		close(l.lost)
	}
	return l.poisoned()
}

// poisoned is why nothing enters the library; nil if it is in order.
func (l *library) poisoned() error {
	if why := l.dead.Load(); why != nil {
		return *why
	}
	return nil
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
