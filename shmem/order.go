package shmem

import (
	"sync"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/device"
)

// order has what a team queues on its device happen in the order of the calls, also on
// several streams: engines leave that to who calls them. Work that is captured is in the
// order of its graph.
type order struct {
	mu    sync.Mutex
	last  device.Handle // the stream of the latest call
	of    *gpu.Stream   // whose that is; nil: the team's own, or there was no call
	event device.Handle // 0: not made yet
}

// before has later work of a stream wait for what the team has queued on another one. The
// caller queues something, and then calls after, in any case.
func (t *Team) before(h device.Handle) error {
	if t.group == nil {
		return nil
	}
	o, d := &t.order, t.w.device
	o.mu.Lock()
	if o.last == h || o.of == nil {
		return nil
	}
	if _, err := o.of.On(o.of.Device()); err != nil { // closed: it ends what it has by itself
		return nil
	}
	for _, s := range []device.Handle{o.last, h} {
		if captured, err := d.driver.Capturing(d.number, s); captured || err != nil {
			return err
		}
	}
	return d.follow(h, o.last, &o.event)
}

// after notes which stream, h of s, had the latest call.
func (t *Team) after(s *gpu.Stream, h device.Handle) {
	if t.group == nil {
		return
	}
	t.order.last, t.order.of = h, s
	t.order.mu.Unlock()
}

// follow has later work of a stream wait for what is queued on another one now.
func (d *deviceMemory) follow(later, earlier device.Handle, event *device.Handle) error {
	if *event == 0 {
		var err error
		if *event, err = d.driver.NewEvent(d.number, false); err != nil {
			return err
		}
	}
	if err := d.driver.Record(d.number, *event, earlier); err != nil {
		return err
	}
	return d.driver.StreamWait(d.number, later, *event)
}
