package nvshmem

import (
	"context"
	"errors"
	"runtime"
	"unsafe"

	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
)

// Put copies n bytes to pe, and returns when they are there: the library waits for a
// copy where the peer is reached directly, and only for src elsewhere.
func (m *memory) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if fixed, done := settled(src, n); done != nil {
		defer done(false)
		src = fixed
	}
	return m.move(&m.lib.put, pe, dst, src, n, true)
}

// Get copies n bytes from pe.
func (m *memory) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if fixed, done := settled(dst, n); done != nil {
		defer done(true)
		dst = fixed
	}
	return m.move(&m.lib.get, pe, src, dst, n, false)
}

// PutNBI begins to copy n bytes to pe.
func (m *memory) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if m.lib.putNBI.at == 0 || inStack(src, n) {
		return m.Put(pe, dst, src, n)
	}
	m.late.hold(src)
	return m.move(&m.lib.putNBI, pe, dst, src, n, true)
}

// GetNBI begins to copy n bytes from pe.
func (m *memory) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if m.lib.getNBI.at == 0 || inStack(dst, n) {
		return m.Get(pe, dst, src, n)
	}
	m.late.hold(dst)
	return m.move(&m.lib.getNBI, pe, src, dst, n, false)
}

// move calls one of the four functions, which take to, from, bytes and PE. The memory is
// not in a stack, so that its address is good for as long as it is alive.
func (m *memory) move(f *function, pe int, far engine.Offset, near unsafe.Pointer, n uintptr, put bool) error {
	p, err := m.At(pe, far, n)
	if err != nil || n == 0 {
		return err
	}
	if err := m.local(pe, uintptr(near), n); err != nil {
		return err
	}
	if put {
		_, err = m.lib.call(f, p, uintptr(near), n, uintptr(pe))
	} else {
		_, err = m.lib.call(f, uintptr(near), p, n, uintptr(pe))
	}
	runtime.KeepAlive(near)
	return err
}

// PutSignal is a put, and a signal once that is there.
func (m *memory) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	if _, _, err := m.signalling(pe, sig, op); err != nil {
		return err
	}
	if err := m.Put(pe, dst, src, n); err != nil {
		return err
	}
	if !m.direct {
		if _, err := m.lib.call(&m.lib.fence); err != nil {
			return err
		}
	}
	op.Blind = true
	if _, err := m.Atomic(pe, sig, op); err != nil {
		return err
	}
	return m.Quiet(context.Background())
}

// inStack says whether memory may be in the stack of this goroutine, which may move on
// the way into the library: nothing so large is in one, and no stack is longer.
func inStack(p unsafe.Pointer, n uintptr) bool {
	const most, longest = 128 << 10, 1 << 30
	var here byte
	return n <= most && uintptr(p)-uintptr(unsafe.Pointer(&here)) < longest
}

// settled gives memory of n bytes that does not move in the place of what may, with a
// copy of it. done is nil if there is no need; else it must be called, with back to
// have the copy written back.
func settled(p unsafe.Pointer, n uintptr) (fixed unsafe.Pointer, done func(back bool)) {
	if n == 0 || !inStack(p, n) {
		return p, nil
	}
	var copied []byte
	release := func() {}
	if n <= dl.ScratchSize {
		s := dl.Borrow()
		copied, release = dl.OutSlice[byte](s, int(n)), s.Return
	} else {
		copied = make([]byte, n) // too large for a stack
	}
	copy(copied, unsafe.Slice((*byte)(p), n))
	return unsafe.Pointer(&copied[0]), func(back bool) {
		if back {
			copy(unsafe.Slice((*byte)(p), n), copied)
		}
		release()
	}
}

// Fence orders what the host has begun before what comes.
func (m *memory) Fence() {
	held, library, stream, failed := m.late.take()
	if err := errors.Join(failed, m.complete(context.Background(), library || !m.direct, stream)); err != nil {
		m.late.fail(err)
	}
	runtime.KeepAlive(held)
}

// Quiet returns when all that the host has begun is done.
func (m *memory) Quiet(ctx context.Context) error {
	held, library, stream, failed := m.late.take()
	err := m.complete(ctx, library || !m.direct, stream)
	runtime.KeepAlive(held)
	return errors.Join(failed, err)
}

// complete waits for the library, unless it has nothing, and for our stream.
func (m *memory) complete(ctx context.Context, library, stream bool) error {
	call := engine.Call{Kind: engine.KindQuiet}
	var err error
	switch {
	case library && m.direct: // it waits for copies only
		_, err = m.lib.call(&m.lib.quiet)
	case library:
		_, err = m.lib.watched(ctx, m.Control, call, &m.lib.quiet)
	default:
		err = m.lib.Poisoned()
	}
	if err != nil || !stream {
		return err
	}
	return m.Finish(ctx, call, m.Stream)
}
