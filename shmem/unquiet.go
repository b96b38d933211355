package shmem

import (
	"sync"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// unquiet are the streams with transfers that nothing behind them completes, in checked
// mode: a blocking barrier does not, and a program that has one there takes the data for
// complete.
type unquiet struct {
	mu  sync.Mutex
	all map[device.Handle]transfer
}

// transfer is the first of a stream since its last quiet.
type transfer struct {
	s    *gpu.Stream
	deed engine.Deed
	site string
}

// recordOn keeps an operation on a stream for others to read.
func (w *World) recordOn(r engine.Record) {
	if w.info.Checked {
		r.Site, r.When = w.sites.Here(), w.now()
		w.heap.Record(r)
	}
}

// noteOn is recordOn for a transfer that needs a quiet. One that is captured happens when
// its graph is launched, on whatever stream: nobody is held to that.
func (w *World) noteOn(s *gpu.Stream, h device.Handle, r engine.Record) {
	if !w.info.Checked {
		return
	}
	w.recordOn(r)
	if s.Capturing() {
		return
	}
	u := &w.streaming.unquiet
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, known := u.all[h]; known {
		return
	}
	if u.all == nil {
		u.all = map[device.Handle]transfer{}
	}
	u.all[h] = transfer{s, r.Deed, w.sites.Here()}
}

// quieted notes that what a stream has done is completed on it.
func (w *World) quieted(h device.Handle) {
	if !w.info.Checked {
		return
	}
	u := &w.streaming.unquiet
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, h)
}

// busyStreams says which transfer of this PE on a stream is under way although nothing on
// the stream completes it. A stream that is done is one that somebody has waited for, or
// is in luck.
func (w *World) busyStreams() error {
	if !w.info.Checked {
		return nil
	}
	u := &w.streaming.unquiet
	u.mu.Lock()
	defer u.mu.Unlock()
	for h, t := range u.all {
		if t.s.Capturing() { // to ask would spoil that
			continue
		}
		if done, err := t.s.Query(); err == nil && !done {
			return problem(ErrMisuse, "the %v on a stream at %s is under way, and a blocking barrier does not complete it: first Synchronize the stream, or use BarrierOnStream or QuietOnStream", t.deed, t.site)
		}
		delete(u.all, h)
	}
	return nil
}
