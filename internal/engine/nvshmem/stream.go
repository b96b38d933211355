package nvshmem

import (
	"context"
	"fmt"
	"math"

	"github.com/goshmem/goshmem/internal/abi/nvshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// PutOn copies n bytes to pe in the order of a stream.
func (m *memory) PutOn(s device.Handle, pe int, dst engine.Offset, src device.Ptr, n uintptr) error {
	p, err := m.At(pe, dst, n)
	if err == nil {
		err = m.local(pe, uintptr(src), n)
	}
	if err != nil || n == 0 {
		return err
	}
	_, err = m.lib.call(&m.lib.putOn, p, uintptr(src), n, uintptr(pe), uintptr(s))
	return err
}

// GetOn copies n bytes from pe in the order of a stream.
func (m *memory) GetOn(s device.Handle, pe int, dst device.Ptr, src engine.Offset, n uintptr) error {
	p, err := m.At(pe, src, n)
	if err == nil {
		err = m.local(pe, uintptr(dst), n)
	}
	if err != nil || n == 0 {
		return err
	}
	_, err = m.lib.call(&m.lib.getOn, uintptr(dst), p, n, uintptr(pe), uintptr(s))
	return err
}

// PutSignalOn copies n bytes to pe and then changes a signal there.
func (m *memory) PutSignalOn(s device.Handle, pe int, dst engine.Offset, src device.Ptr, n uintptr, sig engine.Offset, op engine.AMO) error {
	if n == 0 {
		return m.SignalOn(s, pe, sig, op)
	}
	p, err := m.At(pe, dst, n)
	if err == nil {
		err = m.local(pe, uintptr(src), n)
	}
	if err != nil {
		return err
	}
	word, code, err := m.signalling(pe, sig, op)
	if err != nil {
		return err
	}
	_, err = m.lib.call(&m.lib.putSignalOn, p, uintptr(src), n, word, uintptr(op.Value), code, uintptr(pe), uintptr(s))
	return err
}

// SignalOn changes a signal of pe.
func (m *memory) SignalOn(s device.Handle, pe int, sig engine.Offset, op engine.AMO) error {
	word, code, err := m.signalling(pe, sig, op)
	if err != nil {
		return err
	}
	_, err = m.lib.call(&m.lib.signalOn, word, uintptr(op.Value), code, uintptr(pe), uintptr(s))
	return err
}

// signalling is where a signal is, and what the library calls the change.
func (m *memory) signalling(pe int, sig engine.Offset, op engine.AMO) (word, code uintptr, err error) {
	if word, err = m.Word(pe, sig, 8); err == nil {
		code, err = signalCode(op)
	}
	return word, code, err
}

// signalCode is the library's number for what is done to a signal.
func signalCode(op engine.AMO) (uintptr, error) {
	switch {
	case op.Width != 8 || op.Float:
	case op.Kind == engine.AMOSet:
		return nvshmem.NVSHMEM_SIGNAL_SET, nil
	case op.Kind == engine.AMOAdd:
		return nvshmem.NVSHMEM_SIGNAL_ADD, nil
	}
	return 0, fmt.Errorf("nvshmem: %w: a signal is set, or an integer of 8 bytes is added to it", device.ErrUnsupported)
}

// WaitOn has a stream wait for the own signal. Where PEs share a GPU the library would end
// the process, and the driver waits.
func (m *memory) WaitOn(s device.Handle, at engine.Offset, c engine.Compare, v uint64) error {
	word, err := m.Word(m.Control.Rank(), at, 8)
	if err != nil {
		return err
	}
	code, err := compareCode(c)
	if err != nil {
		return err
	}
	if m.limited {
		return m.waitByDriver(s, device.Ptr(word), c, v)
	}
	_, err = m.lib.call(&m.lib.waitOn, word, code, uintptr(v), uintptr(s))
	return err
}

// waitByDriver waits as drivers can: for a number, or for one that is not less.
func (m *memory) waitByDriver(s device.Handle, p device.Ptr, c engine.Compare, v uint64) error {
	if err := m.lib.Poisoned(); err != nil {
		return err
	}
	switch {
	case c == engine.CompareEQ:
		return m.GPU.WaitValue(m.Dev, s, p, v, device.CompareEQ)
	case c == engine.CompareGE:
		return m.GPU.WaitValue(m.Dev, s, p, v, device.CompareGE)
	case c == engine.CompareGT && v != math.MaxInt64:
		return m.GPU.WaitValue(m.Dev, s, p, v+1, device.CompareGE)
	}
	return m.able("a wait for a signal that is not for one number, or one above")
}

// compareCode is the library's number for a comparison.
func compareCode(c engine.Compare) (uintptr, error) {
	switch c {
	case engine.CompareEQ:
		return nvshmem.NVSHMEM_CMP_EQ, nil
	case engine.CompareNE:
		return nvshmem.NVSHMEM_CMP_NE, nil
	case engine.CompareGT:
		return nvshmem.NVSHMEM_CMP_GT, nil
	case engine.CompareGE:
		return nvshmem.NVSHMEM_CMP_GE, nil
	case engine.CompareLT:
		return nvshmem.NVSHMEM_CMP_LT, nil
	case engine.CompareLE:
		return nvshmem.NVSHMEM_CMP_LE, nil
	}
	return 0, fmt.Errorf("nvshmem: %w: there is no comparison %d", device.ErrArgument, c)
}

// QuietOn has later work wait for what the stream has put.
func (m *memory) QuietOn(s device.Handle) error {
	_, err := m.lib.call(&m.lib.quietOn, uintptr(s))
	return err
}

// able refuses what the library ends the process for where PEs share a GPU.
func (m *memory) able(what string) error {
	if !m.limited {
		return nil
	}
	return fmt.Errorf("nvshmem: %w: %s while several PEs share a GPU: give each PE one of its own, or run NVIDIA's MPS with CUDA_MPS_ACTIVE_THREAD_PERCENTAGE of at most 100 in all, or use the engine ipc", device.ErrUnsupported, what)
}

// meet queues a meeting of all PEs. Where PEs share a GPU the library has the host wait
// in it.
func (m *memory) meet(f *function, kind engine.Kind, s device.Handle) error {
	if m.limited {
		_, err := m.lib.watched(context.Background(), m.Control, engine.Call{Kind: kind}, f, uintptr(s))
		return err
	}
	_, err := m.lib.call(f, uintptr(s))
	return err
}
