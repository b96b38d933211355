// Package host is a device.Driver for machines without a GPU: the same streams, events,
// memory, kernels and graphs, made of goroutines and shared memory. Its devices are
// numbers only: they share the cores and the memory of the machine.
//
// A fault (a kernel that panics, an address that nothing is at) stays with its stream:
// what is queued behind it is not done, and every later call on that stream returns
// it. It goes over to a stream that waits for an event of that stream, since work
// behind such a wait would find data that never came. All other streams go on; a
// fault of a device's default stream lasts as long as the process.
package host

import (
	"fmt"
	"runtime"

	"github.com/goshmem/goshmem/internal/device"
)

const (
	name       = "host"
	maxDevices = 64

	// As GPUs have them, so that what runs here runs there.
	maxThreads = 1024 // per block
	maxGrid    = 1<<31 - 1
	maxGridYZ  = 1<<16 - 1
)

// Driver drives devices that are goroutines. Package device describes its methods.
type Driver struct {
	defaults []*stream // the default stream of each device
	objects  table
	memory   memory
}

var _ device.Driver = (*Driver)(nil)

// Open returns a driver of n devices, 1 to 64. It starts nothing and takes no memory
// before it is used.
func Open(n int) (*Driver, error) {
	if n < 1 || n > maxDevices {
		return nil, fail(-1, "Open", device.ErrArgument, "%d devices: 1 to %d are possible", n, maxDevices)
	}
	d := &Driver{}
	for dev := range n {
		s := newStream(dev, &d.memory.queues)
		s.standing = true
		d.defaults = append(d.defaults, s)
	}
	return d, nil
}

// Close unmaps the memory of a driver that nothing has or uses any more, and says
// what there still is. Platforms stay open; this is for those who open many.
func (d *Driver) Close() error {
	if err := d.memory.sweep(-1, "Close"); err != nil {
		return err
	}
	if busy := len(d.memory.queues.ends()); busy > 0 {
		return fail(-1, "Close", device.ErrBusy, "streams with work: %d", busy)
	}
	if blocks := d.memory.count(); blocks > 0 {
		return fail(-1, "Close", device.ErrBusy, "allocations and imports that are not given back: %d", blocks)
	}
	if err := d.memory.arena.close(); err != nil {
		return refused(-1, "Close", err)
	}
	return nil
}

// Name is "host".
func (d *Driver) Name() string { return name }

// Version is Go's: there is no other library.
func (d *Driver) Version() string { return runtime.Version() }

// Library is "": none is loaded.
func (d *Driver) Library() string { return "" }

// Count is the number that was given to Open.
func (d *Driver) Count() int { return len(d.defaults) }

// device checks the number of a device.
func (d *Driver) device(dev int, call string) error {
	if dev < 0 || dev >= len(d.defaults) {
		return fail(dev, call, device.ErrNoDevice, "there are %d, counted from 0", len(d.defaults))
	}
	return nil
}

// fail makes an error of a kind.
func fail(dev int, call string, kind error, format string, args ...any) error {
	title := kind.Error()
	if kind == device.ErrFault { // which here is not the end of the process
		title = "a fault in a stream"
	}
	return &device.Error{Driver: name, Device: dev, Call: call, Name: title, Text: fmt.Sprintf(format, args...), Err: kind}
}

// refused makes an error of what the system has said.
func refused(dev int, call string, err error) error {
	return &device.Error{Driver: name, Device: dev, Call: call, Name: "the system refuses", Text: err.Error()}
}
