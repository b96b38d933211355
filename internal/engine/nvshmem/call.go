package nvshmem

import (
	"context"
	"fmt"

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
	l.Leave()
	return word, err
}

// watched is for what may wait for other PEs. If they die, or time is over, the thread
// in the library is given up, and the library with it. What args point to must never
// be used again then, as it is not known when the call ends.
func (l *library) watched(ctx context.Context, world engine.Heap, call engine.Call, f *function, args ...uintptr) (uintptr, error) {
	if f.at == 0 {
		return 0, l.lacks(f)
	}
	words := append([]uintptr(nil), args...)
	var word uintptr
	var err error
	gaveUp := l.Watched(ctx, world, call, f.name+" has not come back", func() { word, err = l.into.Call(l.dev, f.at, words...) })
	if gaveUp != nil { // word and err may come at any time
		return 0, gaveUp
	}
	if err == nil {
		l.lib.Done(f.name)
	}
	return word, err
}

// enter waits for the library to be free, if it has the function.
func (l *library) enter(f *function) error {
	if f.at == 0 {
		return l.lacks(f)
	}
	return l.Enter()
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
