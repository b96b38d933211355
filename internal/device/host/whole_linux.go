package host

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/device"
)

// Whole says where all memory that the driver gives is, now and later, and makes a name
// for all of it.
func (d *Driver) Whole() (h device.IPCHandle, base, size uintptr, err error) {
	a := &d.memory.arena
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.open(); err != nil {
		return h, 0, 0, refused(-1, "Whole", err)
	}
	return a.ticket().pack(), uintptr(a.base), a.size, nil
}

// ticket names the whole arena. No allocation has a check of 0.
func (a *arena) ticket() ticket {
	return ticket{magic: magic, pid: uint64(os.Getpid()), fd: uint64(a.fd), size: uint64(a.size)}
}

// MapWhole maps what Whole of another process has named, and says where. What is in it
// must be told by the other process: nothing here knows which of it is allocated.
func (d *Driver) MapWhole(h device.IPCHandle) (base uintptr, release func() error, err error) {
	t := unpack(h)
	if t.magic != magic || t.check != 0 || t.offset != 0 || t.size == 0 {
		return 0, nil, fail(-1, "MapWhole", device.ErrArgument, "this is no name of the memory of a %s driver", name)
	}
	fd, err := t.open()
	if err != nil {
		return 0, nil, refused(-1, "MapWhole", fmt.Errorf("the memory of process %d: %w", t.pid, err))
	}
	defer func() { _ = unix.Close(fd) }() // the mapping holds the memory
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || uint64(st.Size) != t.size {
		return 0, nil, fail(-1, "MapWhole", device.ErrClosed, "the memory of process %d has %d bytes, not %d (%v)", t.pid, st.Size, t.size, err)
	}
	p, err := unix.MmapPtr(fd, 0, nil, uintptr(t.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return 0, nil, refused(-1, "MapWhole", fmt.Errorf("map %d bytes of process %d: %w: raise the limit of the address space (ulimit -v)", t.size, t.pid, err))
	}
	return uintptr(unsafe.Pointer(p)), func() error { return unix.MunmapPtr(p, uintptr(t.size)) }, nil
}
