package nvshmem

import (
	"context"
	"fmt"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/kernels"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/internal/rtc"
)

// atomics are done by a kernel on our stream: the library has no functions for them but
// those that say that they are not implemented.
type atomics struct {
	mu     sync.Mutex
	module device.Handle // 0: not loaded yet
	kernel device.Handle
	result device.Ptr // pinned, for the old value
	arg    wordJob
}

// wordJob is what the kernel gets: Word in package kernels' ipc.cu.
type wordJob struct {
	at, value, cond, result uint64
	kind, width, real       int32
	_                       int32
}

// Atomic applies op to a word of pe. What signals can do the library does too, on our
// stream as well.
func (m *memory) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	p, err := m.At(pe, at, uintptr(op.Width))
	if err != nil {
		return 0, err
	}
	if err := m.lib.Poisoned(); err != nil {
		return 0, err
	}
	if code, no := signalCode(op); no == nil && op.Blind {
		m.late.queued()
		_, err = m.lib.call(&m.lib.signalOn, p, uintptr(op.Value), code, uintptr(pe), uintptr(m.Stream))
		return 0, err
	}
	if m.Peers[pe] == 0 {
		return 0, fmt.Errorf("nvshmem: %w: PE %d is not reached by kernels of this GPU, and NVSHMEM has no atomics that the host can call", device.ErrUnsupported, pe)
	}
	old, err := m.change(m.Peers[pe]+device.Ptr(at), op)
	if op.Width == 4 {
		old &= 1<<32 - 1
	}
	return old, err
}

// change applies op to the word at an address by the kernel, and waits for the old value
// unless nobody wants it.
func (m *memory) change(at device.Ptr, op engine.AMO) (uint64, error) {
	a := &m.atomics
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := m.loadAtomics(); err != nil {
		return 0, err
	}
	a.arg = wordJob{at: uint64(at), value: op.Value, cond: op.Cond, kind: int32(op.Kind), width: int32(op.Width)}
	if op.Float {
		a.arg.real = 1
	}
	if !op.Blind {
		a.arg.result = uint64(a.result)
	}
	one := [3]uint32{1, 1, 1}
	l := &device.Launch{Grid: one, Block: one, Args: []unsafe.Pointer{unsafe.Pointer(&a.arg)}}
	if err := m.GPU.Launch(m.Dev, a.kernel, l, m.Stream); err != nil {
		return 0, err
	}
	if op.Blind {
		m.late.queued()
		return 0, nil
	}
	if err := m.Finish(context.Background(), engine.Call{Kind: engine.KindQuiet}, m.Stream); err != nil {
		return 0, err
	}
	return mem.Load64(unsafe.Pointer(&mem.At[uint64](uintptr(a.result), 1)[0])), nil
}

// loadAtomics compiles and loads the kernel when it is first needed: a machine may have
// NVSHMEM and no compiler.
func (m *memory) loadAtomics() error {
	a := &m.atomics
	if a.module != 0 {
		return nil
	}
	p, err := m.GPU.Properties(m.Dev)
	if err != nil {
		return err
	}
	image, err := m.compile(p.Arch, m.GPU.Version())
	if err != nil {
		return fmt.Errorf("nvshmem: %w: an atomic operation of the host needs a kernel: %w", device.ErrUnsupported, err)
	}
	module, err := m.GPU.LoadModule(m.Dev, image)
	if err != nil {
		return err
	}
	if a.kernel, err = m.GPU.Function(m.Dev, module, "ipc_amo"); err != nil {
		return err
	}
	if a.result, err = m.GPU.AllocPinned(m.Dev, 8); err != nil {
		return err
	}
	a.module = module
	return nil
}

// unloadAtomics gives back what loadAtomics took.
func (m *memory) unloadAtomics() error {
	if m.atomics.module == 0 {
		return nil
	}
	if err := m.GPU.FreePinned(m.Dev, m.atomics.result); err != nil {
		return err
	}
	return m.GPU.UnloadModule(m.Dev, m.atomics.module)
}

// compile makes code of our kernels for an architecture.
func compile(arch, driver string) ([]byte, error) {
	image, _, err := rtc.Compile(rtc.NVRTC, rtc.Source{Name: "ipc.cu", Text: kernels.IPC(), Arch: arch, Driver: driver})
	return image, err
}
