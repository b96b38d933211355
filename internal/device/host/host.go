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
	"sync"

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

// object is what a handle stands for.
type object interface{ home() int }

// table turns handles into objects. A handle is never given twice, so that the use of
// one after its end is an error and not the use of another's object.
type table struct {
	mu   sync.RWMutex
	last device.Handle
	live map[device.Handle]object
}

// add gives an object a handle.
func (t *table) add(o object) device.Handle {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live == nil {
		t.live = map[device.Handle]object{}
	}
	t.last++
	t.live[t.last] = o
	return t.last
}

// drop takes a handle out of use, and says whether it was in use.
func (t *table) drop(h device.Handle) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.live[h]
	delete(t.live, h)
	return ok
}

// get finds an object, and whether there ever was one.
func (t *table) get(h device.Handle) (o object, ever bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.live[h], h > 0 && h <= t.last
}

// find returns the object of a handle on whatever device; what names its type.
func find[T object](d *Driver, dev int, call, what string, h device.Handle) (T, error) {
	var none T
	if err := d.device(dev, call); err != nil {
		return none, err
	}
	o, ever := d.objects.get(h)
	if found, ok := o.(T); ok {
		return found, nil
	}
	if o == nil && ever {
		return none, fail(dev, call, device.ErrClosed, "the %s %d is destroyed", what, h)
	}
	return none, fail(dev, call, device.ErrArgument, "%d is no %s", h, what)
}

// own returns the object of a handle of the device dev.
func own[T object](d *Driver, dev int, call, what string, h device.Handle) (T, error) {
	o, err := find[T](d, dev, call, what, h)
	if err == nil && o.home() != dev {
		return o, fail(dev, call, device.ErrArgument, "the %s %d belongs to device %d", what, h, o.home())
	}
	return o, err
}

// remove destroys the object of a handle of the device dev.
func remove[T object](d *Driver, dev int, call, what string, h device.Handle) (T, error) {
	o, err := own[T](d, dev, call, what, h)
	if err == nil && !d.objects.drop(h) {
		err = fail(dev, call, device.ErrClosed, "the %s %d is destroyed", what, h)
	}
	return o, err
}
