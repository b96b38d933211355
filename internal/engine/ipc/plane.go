package ipc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// plane is the symmetric device memory of one PE: an engine.Device.
type plane struct {
	*lane   // the default one
	rank, n int
	size    uintptr
	around  uintptr // of the control heap
	timeout time.Duration
	control engine.Heap
	turn    int    // with the devices
	local   bool   // all PEs are of this process
	met     uint64 // meetings of all PEs so far
	cards   []card // by PE, of the latest one

	driver device.Driver
	reach  bool // Go may load and store device memory
	values bool // streams write and wait for values
	dev    int
	layout
	block   device.Ptr   // the allocation that has the own memory; 0: none
	base    []device.Ptr // by PE, as this device reaches it
	imports []device.Ptr // by PE: mappings to be closed; 0: none

	library  *library
	code     *code
	bare     error      // why there are no kernels to be used: here, or on some PE
	most     uintptr    // blocks of a kernel that waits for others
	streamMu sync.Mutex // of the launches below
	waiter   *call[waitJob]
	signal   *call[amoJob]
	putter   *call[[3]uint64]
	replayed [maxTeams]atomic.Bool // barriers of the slot were captured: only its words know how many there were
	come     []atomic.Uint64       // per slot and PE: barriers to which this PE has come, as a flag has it
	look     *lane                 // for Load
	world    *group
	watch    watch

	failure atomic.Pointer[error] // why every later call fails
	closing sync.Once
	closed  error
}

var _ engine.Device = (*plane)(nil)

// newPlane makes what has no memory yet. The driver may be nil, if there is none.
func newPlane(control engine.Heap, c engine.Config, driver device.Driver) *plane {
	p := &plane{rank: control.Rank(), n: control.NPEs(), size: c.HeapSize, around: controlSize(c), timeout: c.Timeout, control: control, driver: driver}
	p.base, p.imports, p.come = make([]device.Ptr, p.n), make([]device.Ptr, p.n), make([]atomic.Uint64, maxTeams*p.n)
	p.library = &library{}
	p.waiter, p.signal, p.putter = newCall[waitJob](), newCall[amoJob](), newPutter()
	p.lane, p.look = newLane(p), newLane(p)
	p.watch.p, p.watch.lane = p, newLane(p)
	return p
}

// Size is the number of bytes of each PE's heap.
func (p *plane) Size() uintptr { return p.size }

// Driver returns what drives the device, and its number.
func (p *plane) Driver() (device.Driver, int) { return p.driver, p.dev }

// Address is where pe's heap begins for this device.
func (p *plane) Address(pe int) device.Ptr { return p.base[pe] }

// NewLane returns another lane.
func (p *plane) NewLane() engine.Lane { return newLane(p) }

// Commit clears [at, at+n): the memory is there.
func (p *plane) Commit(at engine.Offset, n uintptr) error { return p.clear(p.lane, at, n) }

// Release has nothing to give back before the end: the heap is one allocation.
func (p *plane) Release(engine.Offset, uintptr) error { return nil }

// clear has a range read as zero, and waits for that.
func (p *plane) clear(l *lane, at engine.Offset, n uintptr) error {
	s, err := l.open()
	if err != nil || n == 0 {
		return err
	}
	begin := p.base[p.rank] + device.Ptr(at)
	if err := p.driver.Fill(p.dev, begin, 0, 1, n, s); err != nil {
		return fmt.Errorf("clear %d bytes: %w", n, err)
	}
	return l.settle()
}

// broken is why no call can succeed any more; nil: all is well.
func (p *plane) broken() error {
	if err := p.failure.Load(); err != nil {
		return *err
	}
	return p.control.Broken()
}

// usable is broken at the cost of a load. It notices what the watch has, which looks
// while streams wait.
func (p *plane) usable() error {
	if err := p.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// spoil keeps the first reason why no later call can succeed.
func (p *plane) spoil(err error) { p.failure.CompareAndSwap(nil, &err) }

// patience is how long Finish looks by itself: the sleep of a wait is long for a stream.
const (
	patience = time.Millisecond
	rest     = 16 // looks, then others get the processor
)

// Finish returns when all that is queued on a stream is done.
func (p *plane) Finish(ctx context.Context, call engine.Call, s device.Handle) error {
	var fault error
	done := func() bool {
		ok, err := p.driver.StreamDone(p.dev, s)
		fault = err
		return ok || err != nil
	}
	var err error
	if !soon(done) {
		err = p.control.Wait(ctx, call, done)
	}
	if errors.Is(err, engine.ErrTimeout) {
		p.watch.verdict()
	}
	if why := p.broken(); why != nil { // what the stream did after its release is worth nothing
		return why
	}
	if err != nil {
		return err
	}
	return fault
}
