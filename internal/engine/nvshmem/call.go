package nvshmem

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/abi/nvshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/block"
)

// The library is entered in one of two ways. Both let one thread in at a time, as the
// library wants it.
//
// call is for what comes back by itself; it is made on the caller's thread.
func (l *library) call(f *function, args ...uintptr) (uintptr, error) {
	if err := l.enter(f); err != nil {
		return 0, err
	}
	n := copy(l.args[:], args)
	word, err := l.into.Call(l.dev, f.at, l.args[:n]...)
	if err == nil {
		l.lib.Done(f.name)
	}
	l.leave()
	return word, err
}

// watched is for what may wait for other PEs. If they die, or time is over, the thread
// in the library is given up, and the library with it. What args point to must never
// be used again then, as it is not known when the call ends.
func (l *library) watched(ctx context.Context, world engine.Heap, call engine.Call, f *function, args ...uintptr) (uintptr, error) {
	if err := l.enter(f); err != nil {
		return 0, err
	}
	words := append([]uintptr(nil), args...)
	var back atomic.Bool
	var word uintptr
	var err error
	go func() {
		word, err = l.into.Call(l.dev, f.at, words...)
		l.leave()
		back.Store(true)
		world.Ring(world.Rank())
	}()
	if why := world.Wait(ctx, call, back.Load); why != nil {
		return 0, l.poison(fmt.Errorf("nvshmem: %s has not come back, so NVSHMEM cannot be used any more in this process: %w", f.name, why))
	}
	if err == nil {
		l.lib.Done(f.name)
	}
	return word, err
}

// enter waits for the library to be free.
func (l *library) enter(f *function) error {
	if f.at == 0 {
		return l.lacks(f)
	}
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

// failed is the error of a function that has returned a status; nil for success.
func failed(f *function, word uintptr, err error) error {
	if err != nil {
		return err
	}
	if status := dl.Status(word); status != nvshmem.NVSHMEMX_SUCCESS {
		text, kind := meaning(status)
		return block.Of(kind, fmt.Errorf("nvshmem: %s: %s", f.name, text))
	}
	return nil
}

// meaning is a status in words, and what kind of error it is; nil for one of the library's own.
func meaning(status int32) (text string, kind error) {
	switch status {
	case nvshmem.NVSHMEMX_ERROR_INVALID_VALUE:
		return "invalid value", device.ErrArgument
	case nvshmem.NVSHMEMX_ERROR_OUT_OF_MEMORY:
		return "out of memory", device.ErrMemory
	case nvshmem.NVSHMEMX_ERROR_NOT_SUPPORTED:
		return "not supported", device.ErrUnsupported
	case nvshmem.NVSHMEMX_ERROR_SYMMETRY:
		return "the PEs' arguments differ", engine.ErrMismatch
	case nvshmem.NVSHMEMX_ERROR_GPU_NOT_SELECTED:
		return "no GPU is selected", device.ErrNoDevice
	case nvshmem.NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED:
		return "the launch of a collective kernel failed", nil
	case nvshmem.NVSHMEMX_ERROR_INTERNAL:
		return "internal error (NVSHMEM_DEBUG=INFO has the library say more)", nil
	}
	return fmt.Sprintf("status %d", status), nil
}
