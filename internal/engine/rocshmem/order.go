package rocshmem

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/device/host"
)

// turns has the calls of a stand-in, which act at once, wait for their turn in streams of
// the host's driver: each is a kernel. They are kept, as a graph may be replayed.
type turns struct {
	driver *host.Driver
	dev    int
	kernel device.Handle

	mu    sync.Mutex
	calls []func()
	err   error // of launches that did not succeed
}

// order gives the calls of a stand-in their turns.
func order(l *rocshmem.Library, d device.Driver, dev int) (*turns, error) {
	h, ok := d.(*host.Driver)
	if !ok {
		return nil, refused("a stand-in for rocSHMEM goes with the driver of the host")
	}
	q := &turns{driver: h, dev: dev}
	module, err := h.AddModule(dev, map[string]host.Kernel{"turn": {Params: []uintptr{8}, Run: q.run}})
	if err != nil {
		return nil, err
	}
	if q.kernel, err = h.Function(dev, module, "turn"); err != nil {
		return nil, err
	}
	l.Order(q.add)
	return q, nil
}

// add puts a call into a stream.
func (q *turns) add(s rocshmem.Stream, call func()) {
	q.mu.Lock()
	number := uint64(len(q.calls))
	q.calls = append(q.calls, call)
	q.mu.Unlock()
	one := [3]uint32{1, 1, 1}
	err := q.driver.Launch(q.dev, q.kernel, &device.Launch{Grid: one, Block: one, Args: []unsafe.Pointer{unsafe.Pointer(&number)}}, device.Handle(s))
	if err != nil {
		q.mu.Lock()
		q.err = errors.Join(q.err, err)
		q.mu.Unlock()
	}
}

// run is the kernel.
func (q *turns) run(b host.Block) {
	q.mu.Lock()
	call := q.calls[host.Arg[uint64](b, 0)]
	q.mu.Unlock()
	call()
}

// failed is why calls since the last one did not get into a stream. Without a stand-in
// there is nothing to it.
func (q *turns) failed() error {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	err := q.err
	q.err = nil
	return err
}
