package shmem

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// deviceMemory is symmetric memory of a device. Go memory that is copied to and from it
// passes through buffers: it may be in a stack, which may move while a driver copies.
type deviceMemory struct {
	engine.Device
	driver  device.Driver
	number  int           // of the device
	base    device.Ptr    // where the own memory begins
	copies  device.Handle // the stream of what this PE does to its own memory: nobody else can block it
	buffers sync.Pool     // of *buffer
}

// buffer is what Go memory passes through, some at a time.
type buffer [256 << 10]byte

// openDevice returns the memory of a heap that has it on a device, else nil.
func openDevice(h engine.Heap) (*deviceMemory, error) {
	devised, ok := h.(engine.Devised)
	if !ok {
		return nil, nil
	}
	d := &deviceMemory{Device: devised.Device()}
	d.driver, d.number = d.Device.Driver()
	d.base = d.Address(h.Rank())
	d.buffers.New = func() any { return new(buffer) }
	var err error
	if d.copies, err = d.driver.NewStream(d.number, 0); err != nil {
		return nil, fmt.Errorf("a stream of %s:%d: %w", d.driver.Name(), d.number, err)
	}
	return d, nil
}

// at is where an offset is in the own memory: an address for transfers, which Go cannot
// load and store.
func (d *deviceMemory) at(off engine.Offset) unsafe.Pointer {
	p := d.base + device.Ptr(off)
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}

// in copies n bytes of Go memory to an offset of the own memory. They are there when it
// returns.
func (d *deviceMemory) in(off engine.Offset, src unsafe.Pointer, n uintptr) error {
	return d.passing(n, func(b *buffer, at, some uintptr) error {
		mem.Get(unsafe.Pointer(b), unsafe.Add(src, at), some)
		return d.driver.CopyIn(d.number, d.base+device.Ptr(off+at), unsafe.Pointer(b), some, d.copies)
	})
}

// out copies n bytes from an offset of the own memory to Go memory.
func (d *deviceMemory) out(dst unsafe.Pointer, off engine.Offset, n uintptr) error {
	return d.passing(n, func(b *buffer, at, some uintptr) error {
		err := d.driver.CopyOut(d.number, unsafe.Pointer(b), d.base+device.Ptr(off+at), some, d.copies)
		mem.Get(unsafe.Add(dst, at), unsafe.Pointer(b), some)
		return err
	})
}

// passing calls copy for n bytes, some at a time, with a buffer.
func (d *deviceMemory) passing(n uintptr, copy func(b *buffer, at, some uintptr) error) error {
	b := d.buffers.Get().(*buffer)
	defer d.buffers.Put(b)
	for at := uintptr(0); at < n; {
		some := min(n-at, unsafe.Sizeof(*b))
		if err := copy(b, at, some); err != nil {
			return err
		}
		at += some
	}
	return nil
}

// repeat makes n bytes from an offset on copies of the first of them, which are there.
func (d *deviceMemory) repeat(off engine.Offset, first, n uintptr) error {
	from := d.base + device.Ptr(off)
	for first < n {
		some := min(first, n-first)
		if err := d.driver.Copy(d.number, from+device.Ptr(first), from, some, d.copies); err != nil {
			return err
		}
		first += some
	}
	return d.Finish(context.Background(), engine.Call{Kind: engine.KindWait}, d.copies)
}

// close gives the memory back, after the last meeting.
func (d *deviceMemory) close() error {
	if d == nil {
		return nil
	}
	err := d.driver.DestroyStream(d.number, d.copies)
	if closed := d.Close(); err == nil {
		err = closed
	}
	return err
}

// name is the device as package gpu calls it.
func (d *deviceMemory) name() string { return fmt.Sprintf("%s:%d", d.driver.Name(), d.number) }

// closeMemory leaves the world, after the last meeting.
func (w *World) closeMemory() error {
	return errors.Join(w.device.close(), w.heap.Close())
}

// Device returns the device of this PE: that which has its symmetric memory, or on the
// host engine a device of platform host. Local ranks take turns with the devices that a
// process can see. nil if the platform cannot be opened: then gpu.Open says why. Local.
func (w *World) Device() *gpu.Device {
	d, err := gpu.Open(w.deviceName())
	if err != nil {
		return nil
	}
	return d
}

// deviceName is the device as package gpu calls it.
func (w *World) deviceName() string {
	if w.device != nil {
		return w.device.name()
	}
	n := 1
	if all, err := gpu.Devices("host"); err == nil {
		n = len(all)
	}
	return fmt.Sprintf("host:%d", w.info.local%n)
}
