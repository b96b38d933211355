package host

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/ccl"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// Comm is the communicator of one rank.
type Comm struct {
	l      *Library
	device ccl.Device
	driver *devicehost.Driver
	config ccl.Config
	limit  time.Duration // of waits that nobody ends
	place  Place
	token  token
	ctx    context.Context // of all waits; ends with Abort
	cancel context.CancelFunc

	ready   chan struct{} // closed when the world is there, or is known not to come
	parent  *Comm
	start   func(dropped error) // closes ready; of a communicator that waits for the end of a group
	initErr error
	world   *world // nil without one

	open    atomic.Bool   // calls are possible: all is well
	issued  atomic.Uint64 // tickets given
	turn    atomic.Uint64 // tickets whose turn is over, times two; one more: a task is in the world
	waiting atomic.Int64  // goroutines that wait for moved

	mu      sync.Mutex
	moved   sync.Cond // something has changed
	err     error     // why nothing more is possible
	ended   bool      // finalized
	revoked bool
	stopped bool           // by this rank itself
	busy    int            // calls in progress that AsyncError tells of
	born    map[string]int // communicators made of this one, by how
	ops     []operation

	claimed    bool
	lastStream uintptr // that is known to be this rank's

	spare *task // for the next call
	calls [engine.KindSendReceive + 1]uint64
	pairs []pairing // by peer
	slot  uintptr   // bytes of a slot of their pipes
	folding
}

// folding is what reductions need, one at a time.
type folding struct {
	sources, dsts []unsafe.Pointer
	scales        []uint64
	parts         []part
	scratch       *reduce.Scratch
	half          bool // which half of the room was used last
	room          bool // it has memory
}

var (
	_ ccl.Comm      = (*Comm)(nil)
	_ ccl.Grower    = (*Comm)(nil)
	_ ccl.Shrinker  = (*Comm)(nil)
	_ ccl.Revoker   = (*Comm)(nil)
	_ ccl.Operator  = (*Comm)(nil)
	_ ccl.Registrar = (*Comm)(nil)
	_ ccl.Windower  = (*Comm)(nil)
	_ ccl.Signaller = (*Comm)(nil)
	_ ccl.Describer = (*Comm)(nil)
)

// newComm makes a communicator that has no world yet.
func (l *Library) newComm(d ccl.Device, drv *devicehost.Driver, p Place, t token, config *ccl.Config) *Comm {
	c := &Comm{l: l, device: d, driver: drv, place: p, token: t, ready: make(chan struct{})}
	c.moved.L = &c.mu
	if config != nil {
		c.config = *config
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// Init makes the communicator of one rank.
func (l *Library) Init(spec ccl.Init) (ccl.Comm, error) {
	drv, err := driver(spec.Device)
	if err != nil {
		return nil, err
	}
	if len(spec.IDs) == 0 || spec.Size < 1 || spec.Rank < 0 || spec.Rank >= spec.Size {
		return nil, invalid(callInit, "rank %d of %d with %d ids", spec.Rank, spec.Size, len(spec.IDs))
	}
	t, address, err := parse(spec.IDs[0])
	if err != nil {
		return nil, err
	}
	c := l.newComm(spec.Device, drv, l.place(t, address, spec.Rank, spec.Size), t, spec.Config)
	c.limit = cmp.Or(spec.Timeout, l.timeout)
	return c.launch(c.join)
}

// place is where the ranks with a token meet.
func (l *Library) place(t token, address string, rank, size int) Place {
	if address == "" {
		address, _ = rendezvous(t) // of a derived token: on Linux it is its name
	}
	return Place{Name: "ccl " + t.String(), Token: t.String(), Address: address, Rank: rank, Size: size}
}

// launch begins to make the world: now, at the end of the group, or on the side if nobody
// wants to wait; then an abort is what ends it.
func (c *Comm) launch(join func(ctx context.Context) error) (ccl.Comm, error) {
	start := func(dropped error) {
		ctx, cancel := c.bounded()
		defer cancel()
		defer close(c.ready)
		if c.parent != nil {
			defer c.parent.rest()
		}
		if c.initErr = dropped; dropped == nil {
			if err := join(ctx); err != nil {
				c.initErr = stalled(callInit, err)
			}
		}
	}
	if g := c.l.group(); g != nil {
		g.starts = append(g.starts, c)
		c.start = start
		return c, nil
	}
	if !c.blocking() {
		go start(nil)
		return c, nil
	}
	start(nil)
	if c.initErr != nil {
		return nil, c.initErr
	}
	return c, nil
}

// bounded is the context of a wait for other ranks: one that whoever waits cannot end has an
// end of its own.
func (c *Comm) bounded() (context.Context, context.CancelFunc) {
	if c.blocking() {
		return context.WithTimeout(c.ctx, c.limit)
	}
	return c.ctx, func() {}
}

func (c *Comm) blocking() bool { return c.config.Blocking == nil || *c.config.Blocking }

// join meets the others.
func (c *Comm) join(ctx context.Context) error {
	w, err := c.l.join(ctx, c.place, c.driver)
	if err != nil {
		return err
	}
	c.adopt(w)
	return nil
}

// adopt gives the communicator its world.
func (c *Comm) adopt(w *world) {
	n := c.place.Size
	c.world = w
	c.pairs = newPairings(w.heap, n, w.slot)
	c.slot = w.slot
	c.sources, c.dsts = make([]unsafe.Pointer, n), make([]unsafe.Pointer, n)
	c.scales, c.parts = make([]uint64, n), make([]part, n)
	c.scratch = &reduce.Scratch{}
	c.open.Store(true)
}

// Rank is the number of this rank.
func (c *Comm) Rank() (int, error) { return c.place.Rank, nil }

// Size is the number of ranks.
func (c *Comm) Size() (int, error) { return c.place.Size, nil }

// Index is the number of the device.
func (c *Comm) Index() (int, error) { return c.device.Index, nil }

// usable says why no call is possible.
func (c *Comm) usable(call string) error {
	if c.open.Load() {
		return nil
	}
	select {
	case <-c.ready:
	default:
		return ccl.ErrInProgress
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.initErr != nil:
		return c.initErr
	case c.err != nil:
		return c.err
	case c.ended:
		return fault(call, ccl.InvalidUsage, "the communicator is finalized")
	}
	return nil
}

// AsyncError is nil, ErrInProgress, or why the communicator can do nothing more.
func (c *Comm) AsyncError() error {
	select {
	case <-c.ready:
	default:
		return ccl.ErrInProgress
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.initErr != nil:
		return c.initErr
	case c.err != nil:
		return c.err
	case c.busy > 0:
		return ccl.ErrInProgress
	case c.ended:
		return nil
	}
	if err := c.world.heap.Broken(); err != nil {
		c.err = stalled("ncclCommGetAsyncError", err)
		c.open.Store(false)
	}
	return c.err
}
