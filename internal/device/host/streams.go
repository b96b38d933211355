package host

import "github.com/goshmem/goshmem/internal/device"

// stream finds a stream of the device dev; 0 is the default one.
func (d *Driver) stream(dev int, call string, h device.Handle) (*stream, error) {
	if err := d.device(dev, call); err != nil || h == 0 {
		if err != nil {
			return nil, err
		}
		return d.defaults[dev], nil
	}
	return own[*stream](d, dev, call, "stream", h)
}

// queue appends an operation to a stream of the device dev.
func (d *Driver) queue(dev int, call string, h device.Handle, o *op) error {
	s, err := d.stream(dev, call, h)
	if err != nil {
		return err
	}
	_, err = s.add(call, o, nil)
	return err
}

// NewStream makes a stream; there is one priority.
func (d *Driver) NewStream(dev, _ int) (device.Handle, error) {
	if err := d.device(dev, "NewStream"); err != nil {
		return 0, err
	}
	return d.objects.add(newStream(dev, &d.memory.queues)), nil
}

// Priorities are 0 and 0: goroutines have none.
func (d *Driver) Priorities(dev int) (least, greatest int, err error) {
	return 0, 0, d.device(dev, "Priorities")
}

// DestroyStream lets what is queued run to its end, and brings a fault that there is.
func (d *Driver) DestroyStream(dev int, h device.Handle) error {
	s, err := remove[*stream](d, dev, "DestroyStream", "stream", h)
	if err != nil {
		return err
	}
	return s.close()
}

// StreamDone says whether all that was queued is done.
func (d *Driver) StreamDone(dev int, h device.Handle) (bool, error) {
	s, err := d.stream(dev, "StreamDone", h)
	if err != nil {
		return false, err
	}
	return s.idle("StreamDone")
}

// StreamWait has later work wait for the last record of an event of any device.
func (d *Driver) StreamWait(dev int, h, e device.Handle) error {
	s, err := d.stream(dev, "StreamWait", h)
	if err != nil {
		return err
	}
	ev, err := find[*event](d, dev, "StreamWait", "event", e)
	if err != nil {
		return err
	}
	return s.wait(ev)
}

// WriteValue stores v at p in one piece.
func (d *Driver) WriteValue(dev int, h device.Handle, p device.Ptr, v uint64) error {
	if err := d.word(dev, "WriteValue", p); err != nil {
		return err
	}
	return d.queue(dev, "WriteValue", h, &op{kind: opWrite, dst: uintptr(p), value: v})
}

// WaitValue has later work wait for the word at p, which another process may write.
func (d *Driver) WaitValue(dev int, h device.Handle, p device.Ptr, v uint64, c device.Compare) error {
	if err := d.word(dev, "WaitValue", p); err != nil {
		return err
	}
	if c < device.CompareGE || c > device.CompareAnd {
		return fail(dev, "WaitValue", device.ErrArgument, "%d is no way to compare", c)
	}
	return d.queue(dev, "WaitValue", h, &op{kind: opAwait, src: uintptr(p), value: v, compare: c})
}

// word checks an address of a 64-bit word.
func (d *Driver) word(dev int, call string, p device.Ptr) error {
	if p%8 != 0 {
		return fail(dev, call, device.ErrArgument, "the address %#x is not a multiple of 8", p)
	}
	return d.memory.check(dev, call, p, 8)
}
