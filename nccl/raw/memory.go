package raw

import (
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// MemAlloc is ncclMemAlloc (2.19): bytes of memory of the thread's current device.
func (l *Library) MemAlloc(bytes uintptr) (uintptr, error) {
	s := dl.Borrow()
	defer s.Return()
	out := dl.Out[uintptr](s)
	err := l.do(abi.NCCLMemAlloc, dl.Addr(out), bytes)
	return *out, err
}

// MemFree is ncclMemFree (2.19).
func (l *Library) MemFree(address uintptr) error { return l.do(abi.NCCLMemFree, address) }

// CommRegister is ncclCommRegister (2.19). The handle 0 means that nothing was registered.
func (l *Library) CommRegister(comm Comm, buffer, bytes uintptr) (handle uintptr, err error) {
	v, err := l.word(abi.NCCLCommRegister, uintptr(comm), buffer, bytes)
	return uintptr(v), err
}

// CommDeregister is ncclCommDeregister (2.19).
func (l *Library) CommDeregister(comm Comm, handle uintptr) error {
	return l.do(abi.NCCLCommDeregister, uintptr(comm), handle)
}

// CommWindowRegister is ncclCommWindowRegister (2.27). The slot may be written later; see Slot.
func (l *Library) CommWindowRegister(comm Comm, buffer, bytes uintptr, window *Slot, flags int) error {
	return l.do(abi.NCCLCommWindowRegister, uintptr(comm), buffer, bytes, window.Address(), word32(flags))
}

// CommWindowDeregister is ncclCommWindowDeregister (2.27).
func (l *Library) CommWindowDeregister(comm Comm, w Window) error {
	return l.do(abi.NCCLCommWindowDeregister, uintptr(comm), uintptr(w))
}

// WinGetUserPtr is ncclWinGetUserPtr (2.29): the address that was registered.
func (l *Library) WinGetUserPtr(comm Comm, w Window) (uintptr, error) {
	v, err := l.word(abi.NCCLWinGetUserPtr, uintptr(comm), uintptr(w))
	return uintptr(v), err
}

// PutSignal is ncclPutSignal (2.29). The window is this rank's own, offset is in bytes of
// the peer's part of it.
func (l *Library) PutSignal(local uintptr, count int, t DataType, peer int, w Window, offset uintptr,
	sigIdx, context int, flags uint32, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLPutSignal, local, uintptr(count), word32(t), word32(peer), uintptr(w), offset,
		word32(sigIdx), word32(context), uintptr(flags), uintptr(comm), stream)
}

// Signal is ncclSignal (2.29).
func (l *Library) Signal(peer, sigIdx, context int, flags uint32, comm Comm, stream uintptr) error {
	return l.do(abi.NCCLSignal, word32(peer), word32(sigIdx), word32(context), uintptr(flags), uintptr(comm), stream)
}

// WaitSignal is ncclWaitSignal (2.29). In a group the library reads the descriptors until
// its end.
func (l *Library) WaitSignal(descs *Descs, comm Comm, stream uintptr) error {
	at := uintptr(0)
	if len(descs.list) > 0 {
		at = dl.Addr(&descs.list[0])
	}
	return l.do(abi.NCCLWaitSignal, word32(len(descs.list)), at, uintptr(comm), stream)
}

// preMulSum makes an operation of a scalar that the library copies, or one of the device.
func (l *Library) preMulSum(scalar []byte, address uintptr, t DataType, comm Comm) (RedOp, error) {
	s := dl.Borrow()
	defer s.Return()
	out, residence := dl.Out[RedOp](s), ScalarDevice
	if scalar != nil {
		copied := dl.OutSlice[byte](s, len(scalar)+1)
		copy(copied, scalar)
		address, residence = dl.Addr(&copied[0]), ScalarHostImmediate
	}
	err := l.do(abi.NCCLRedOpCreatePreMulSum, dl.Addr(out), address, word32(t), word32(residence), uintptr(comm))
	return *out, err
}
