package host

import (
	"sync"

	"github.com/goshmem/goshmem/internal/device"
)

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
