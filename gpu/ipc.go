package gpu

import (
	"strings"

	"github.com/goshmem/goshmem/internal/device"
)

// IPCHandle names memory for other processes of the same machine. It is plain bytes of
// fixed size: send it any way you like.
type IPCHandle struct {
	Platform [8]byte  // whose memory it is
	Driver   [64]byte // the driver's name of the allocation
	Offset   uint64   // of the memory in the allocation, in bytes
	Bytes    uint64
}

// Export makes a handle with which other processes can map the memory: see
// [Device.Import]. It does not wait for work on the memory. Only device memory that this process allocated can be exported. CUDA:
// cuIpcGetMemHandle; HIP: hipIpcGetMemHandle.
func (x Slice[T]) Export() (IPCHandle, error) {
	const op = "export"
	if err := x.b.alive(); err != nil {
		return IPCHandle{}, x.fail(op, err)
	}
	if x.b.kind == PinnedMemory {
		return IPCHandle{}, x.fail(op, problem(ErrUnsupported, "pinned memory has no name for other processes: use Alloc"))
	}
	d := x.b.d
	base, offset, err := d.allocation(x.ptr())
	if err != nil {
		return IPCHandle{}, x.fail(op, err)
	}
	named, err := d.driver().Export(d.index, base)
	h := IPCHandle{Driver: named, Offset: uint64(offset), Bytes: uint64(x.bytes())}
	copy(h.Platform[:], d.p.name)
	return h, x.fail(op, err)
}

// allocation returns where the allocation of an address begins, and how far the address
// is in it.
func (d *Device) allocation(p device.Ptr) (device.Ptr, device.Ptr, error) {
	a, err := d.driver().Attributes(p)
	if err == nil && !a.Known {
		err = problem(ErrArgument, "the driver does not know the memory at %#x", p)
	}
	return a.Base, p - a.Base, err
}

// Import maps memory that another process has exported on the same platform. It must be
// closed before its owner closes the memory. CUDA: cuIpcOpenMemHandle; HIP:
// hipIpcOpenMemHandle.
func (d *Device) Import(h IPCHandle) (Buffer, error) {
	const op = "import"
	if d == nil {
		return Buffer{}, noDevice(op)
	}
	if of := strings.TrimRight(string(h.Platform[:]), "\x00"); of != d.p.name {
		return Buffer{}, fail(d, op, problem(ErrArgument, "the handle is one of platform %q", of))
	}
	const most = 1 << 47
	if h.Bytes == 0 || h.Bytes > most || h.Offset > most {
		return Buffer{}, fail(d, op, problem(ErrArgument, "the handle names %d bytes at offset %d: it was damaged on its way", h.Bytes, h.Offset))
	}
	base, err := d.driver().Import(d.index, h.Driver)
	if err != nil {
		return Buffer{}, fail(d, op, err)
	}
	unmap := func(dev int, _ device.Ptr) error { return d.driver().CloseImport(dev, base) }
	b := d.adopt(DeviceMemory, base+device.Ptr(h.Offset), uintptr(h.Bytes), unmap)
	return Buffer{b, 0, int(h.Bytes)}, nil
}
