package host

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/mem"
)

const magic = 0x31656d68736f67 // "goshme1": what a handle of this driver begins with

// ticket is what a handle says: where the owner has the memory, and the word that
// stands before it for as long as it lives.
type ticket struct{ magic, pid, fd, offset, size, check uint64 }

func (t ticket) pack() (h device.IPCHandle) {
	for i, w := range []uint64{t.magic, t.pid, t.fd, t.offset, t.size, t.check} {
		binary.LittleEndian.PutUint64(h[8*i:], w)
	}
	return h
}

func unpack(h device.IPCHandle) ticket {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(h[8*i:]) }
	return ticket{word(0), word(1), word(2), word(3), word(4), word(5)}
}

func (d *Driver) export(_ int, b *block) (device.IPCHandle, error) {
	a := &d.memory.arena
	offset := b.base - grain - uintptr(a.base)
	check := mem.Load64(unsafe.Add(a.base, offset))
	return ticket{magic, uint64(os.Getpid()), uint64(a.fd), uint64(offset), uint64(b.size), check}.pack(), nil
}

// mapped maps what a handle names.
func (d *Driver) mapped(dev int, h device.IPCHandle) (*block, error) {
	t := unpack(h)
	if t.magic != magic {
		return nil, fail(dev, "Import", device.ErrArgument, "this is no handle of the %s driver", name)
	}
	gone := func(err error) error {
		return fail(dev, "Import", device.ErrClosed, "the memory of process %d is not there any more: %v", t.pid, err)
	}
	fd, err := t.open()
	if errors.Is(err, os.ErrPermission) {
		return nil, fail(dev, "Import", device.ErrUnsupported, "process %d belongs to somebody else: %v", t.pid, err)
	}
	if err != nil {
		return nil, gone(err)
	}
	defer func() { _ = unix.Close(fd) }() // the mapping holds the memory
	if err := t.fits(fd); err != nil {
		return nil, gone(err)
	}
	lo := uintptr(t.offset) &^ (pageSize() - 1)
	n := uintptr(t.offset) + grain + uintptr(t.size) - lo
	p, err := unix.MmapPtr(fd, int64(lo), nil, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, refused(dev, "Import", fmt.Errorf("map %d bytes of process %d: %w", n, t.pid, err))
	}
	release := func() error { return unix.MunmapPtr(p, n) }
	start := unsafe.Add(p, uintptr(t.offset)-lo)
	if mem.Load64(start) != t.check {
		if err := release(); err != nil {
			return nil, refused(dev, "Import", err)
		}
		return nil, gone(errors.New("it is freed"))
	}
	return &block{base: uintptr(start) + grain, size: uintptr(t.size), dev: dev, imported: true, release: release}, nil
}

// open opens the owner's file. It looks at what it is before: the number may be another
// file's by now, and to open that could do something.
func (t ticket) open() (int, error) {
	link := fmt.Sprintf("/proc/%d/fd/%d", t.pid, t.fd)
	what, err := os.Readlink(link)
	if err != nil {
		return -1, err
	}
	if !strings.HasPrefix(what, "/memfd:"+label) {
		return -1, fmt.Errorf("%s is %s", link, what)
	}
	return unix.Open(link, unix.O_RDWR|unix.O_CLOEXEC, 0)
}

// fits says whether the file has the bytes: to touch others would be a bus error.
func (t ticket) fits(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	size := uint64(st.Size)
	if t.size == 0 || t.size > size || t.offset > size || t.offset+grain+t.size > size || t.offset%grain != 0 {
		return fmt.Errorf("%d bytes at %d are not in its %d bytes", t.size, t.offset, size)
	}
	return nil
}
