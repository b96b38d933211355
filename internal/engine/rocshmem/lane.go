package rocshmem

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// NewLane returns the memory itself.
func (m *memory) NewLane() engine.Lane { return m }

// Put copies n bytes to pe. They are there when it returns.
func (m *memory) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	to, err := m.at(pe, dst, n)
	if err != nil || n == 0 {
		return err
	}
	if m.Peers[pe] == 0 {
		return m.putFar(pe, to, src, n)
	}
	return m.copyIn(m.Peers[pe]+device.Ptr(dst), src, n)
}

// PutNBI is Put: nothing is left to be completed.
func (m *memory) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	return m.Put(pe, dst, src, n)
}

// Get copies n bytes from pe.
func (m *memory) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	from, err := m.at(pe, src, n)
	if err != nil || n == 0 {
		return err
	}
	if m.Peers[pe] == 0 {
		return m.getFar(pe, dst, from, n)
	}
	return m.copyOut(dst, m.Peers[pe]+device.Ptr(src), n)
}

// GetNBI is Get.
func (m *memory) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	return m.Get(pe, dst, src, n)
}

// PutSignal is Put, and then the operation.
func (m *memory) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	if err := m.Put(pe, dst, src, n); err != nil {
		return err
	}
	_, err := m.Atomic(pe, sig, op)
	return err
}

// Fence orders nothing: whatever was called before is complete.
func (m *memory) Fence() {}

// Quiet completes nothing, for the same reason.
func (m *memory) Quiet(context.Context) error { return m.lib.Poisoned() }

// onDevice says whether an address is memory of a device, rather than Go's.
func (m *memory) onDevice(p unsafe.Pointer) (bool, error) {
	if m.symmetric(uintptr(p), 1) {
		return true, nil
	}
	about, err := m.GPU.Attributes(device.Ptr(uintptr(p)))
	return about.Known && !about.Pinned, err
}

// copyIn copies from anywhere to memory of a device, and returns when it is there.
func (m *memory) copyIn(to device.Ptr, src unsafe.Pointer, n uintptr) error {
	there, err := m.onDevice(src)
	switch {
	case err != nil:
		return err
	case !there:
		return m.GPU.CopyIn(m.Dev, to, src, n, m.Stream)
	}
	if err := m.GPU.Copy(m.Dev, to, device.Ptr(uintptr(src)), n, m.Stream); err != nil {
		return err
	}
	return m.settle()
}

// copyOut is copyIn the other way.
func (m *memory) copyOut(dst unsafe.Pointer, from device.Ptr, n uintptr) error {
	there, err := m.onDevice(dst)
	switch {
	case err != nil:
		return err
	case !there:
		return m.GPU.CopyOut(m.Dev, dst, from, n, m.Stream)
	}
	if err := m.GPU.Copy(m.Dev, device.Ptr(uintptr(dst)), from, n, m.Stream); err != nil {
		return err
	}
	return m.settle()
}

// settle waits for the own stream.
func (m *memory) settle() error {
	return m.Finish(context.Background(), engine.Call{Kind: engine.KindQuiet}, m.Stream)
}

// putFar puts to a PE without an address here. The library reads symmetric memory only:
// everything else goes through a part of it, some at a time.
func (m *memory) putFar(pe int, to rocshmem.Symmetric, src unsafe.Pointer, n uintptr) error {
	if m.symmetric(uintptr(src), n) {
		return m.sendFar(pe, to, rocshmem.Local(uintptr(src)), n)
	}
	return m.pass(n, func(through uintptr, at, some uintptr) error {
		if err := m.copyIn(device.Ptr(through), unsafe.Add(src, at), some); err != nil {
			return err
		}
		return m.sendFar(pe, to+rocshmem.Symmetric(at), rocshmem.Local(through), some)
	})
}

// getFar is putFar the other way.
func (m *memory) getFar(pe int, dst unsafe.Pointer, from rocshmem.Symmetric, n uintptr) error {
	if m.symmetric(uintptr(dst), n) {
		return m.fetchFar(pe, rocshmem.Local(uintptr(dst)), from, n)
	}
	return m.pass(n, func(through uintptr, at, some uintptr) error {
		if err := m.fetchFar(pe, rocshmem.Local(through), from+rocshmem.Symmetric(at), some); err != nil {
			return err
		}
		return m.copyOut(unsafe.Add(dst, at), device.Ptr(through), some)
	})
}

// pass calls copy for n bytes, some at a time, with the memory that they pass through.
func (m *memory) pass(n uintptr, copy func(through uintptr, at, some uintptr) error) error {
	m.passing.Lock()
	defer m.passing.Unlock()
	for at := uintptr(0); at < n; {
		some := min(n-at, scratchSize)
		if err := copy(m.Base+m.Bytes+bounce, at, some); err != nil {
			return err
		}
		at += some
	}
	return nil
}

func (m *memory) sendFar(pe int, to rocshmem.Symmetric, from rocshmem.Local, n uintptr) error {
	s := rocshmem.Stream(m.Stream)
	err := m.lib.do(func(l *rocshmem.Library) {
		l.PutmemOnStream(to, from, uint64(n), rocshmem.PE(pe), s)
		l.QuietOnStream(s)
	})
	if err != nil {
		return err
	}
	return m.settle()
}

func (m *memory) fetchFar(pe int, to rocshmem.Local, from rocshmem.Symmetric, n uintptr) error {
	s := rocshmem.Stream(m.Stream)
	err := m.lib.do(func(l *rocshmem.Library) {
		l.GetmemOnStream(to, from, uint64(n), rocshmem.PE(pe), s)
		l.QuietOnStream(s)
	})
	if err != nil {
		return err
	}
	return m.settle()
}

// local refuses memory that the library cannot read or write for a PE without an address.
func (m *memory) local(pe int, p device.Ptr, n uintptr) error {
	if m.Peers[pe] != 0 || m.symmetric(uintptr(p), n) {
		return nil
	}
	return fmt.Errorf("rocshmem: %w: PE %d is not reached by copies of this GPU, so the local side of what goes on a stream must be symmetric memory as well", device.ErrUnsupported, pe)
}
