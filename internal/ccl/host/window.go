package host

import (
	"slices"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// Register sees no use in it: all memory of the platform is known to all ranks.
func (c *Comm) Register(uintptr, uintptr) (handle uintptr, err error) {
	return 0, c.usable("ncclCommRegister")
}

// Deregister has nothing to end.
func (c *Comm) Deregister(handle uintptr) error {
	if handle != 0 {
		return fault("ncclCommDeregister", ccl.InvalidUsage, "%d is no registration", handle)
	}
	return nil
}

// window is memory of all ranks that each of them knows.
type window struct {
	c     *Comm
	bytes uintptr
	where []uint64 // locations by rank; 0: not to be reached
}

const callWindow = "ncclCommWindowRegister"

// NewWindow tells all ranks where this one has its part. A communicator that does not block
// tells by AsyncError when all have. Collective.
func (c *Comm) NewWindow(addr, bytes uintptr, _ ccl.WindowFlags) (ccl.Window, error) {
	if err := c.usable(callWindow); err != nil {
		return nil, err
	}
	w := &window{c: c, bytes: bytes}
	if !c.blocking() {
		c.aside(func() error { return w.tell(addr) })
		return w, ccl.ErrInProgress
	}
	if err := w.tell(addr); err != nil {
		return nil, err
	}
	return w, nil
}

// tell exchanges the parts of all ranks.
func (w *window) tell(addr uintptr) error {
	c := w.c
	ctx, cancel := c.bounded()
	defer cancel()
	all, err := c.exchange(ctx, 0, engine.Words{uint64(w.bytes), c.world.location(addr)})
	if err != nil {
		return stalled(callWindow, err)
	}
	for i, words := range all {
		if words[0] != uint64(w.bytes) {
			return differ(callWindow, "%srank %d has a part of %d bytes, rank %d of %d", disagree, i, words[0], c.place.Rank, w.bytes)
		}
		w.where = append(w.where, words[1])
	}
	return nil
}

// Handle is 0: there is nothing that kernels could use.
func (w *window) Handle() uintptr { return 0 }

// Close ends the use of the window. Local.
func (w *window) Close() error { return nil }

// signal is a put and its signal, or the wait for signals, as work of a stream.
type signal struct {
	c      *Comm
	ticket uint64
	in     bool
	put    func()
	peers  []int
	counts []int
}

// PutSignal copies to the memory of another rank and signals that. It is done when the
// stream has done it.
func (c *Comm) PutSignal(src uintptr, count int, t ccl.Type, peer int, w ccl.Window, offset uintptr, stream uintptr) error {
	const call = "ncclPutSignal"
	own, ok := w.(*window)
	n := uintptr(count) * t.Size()
	switch {
	case !ok || own.c != c:
		return invalid(call, "the window is not one of this communicator")
	case uint(peer) >= uint(len(own.where)) || count < 0 || offset > own.bytes || n > own.bytes-offset:
		return invalid(call, "%d bytes at %d of the %d of rank %d", n, offset, own.bytes, peer)
	case own.where[peer] == 0:
		return ccl.Unsupported(call, "the window of rank %d is not memory of the platform, which others could reach", peer)
	}
	return c.perform(call, stream, &signal{c: c, put: func() {
		mem.Put(mem.Pointer(c.world.address(peer, own.where[peer])+offset), mem.Pointer(src), n)
		c.ring(peer)
	}})
}

// Signal signals a rank without a put.
func (c *Comm) Signal(peer int, stream uintptr) error {
	const call = "ncclSignal"
	if uint(peer) >= uint(c.place.Size) {
		return invalid(call, "rank %d: there are %d", peer, c.place.Size)
	}
	return c.perform(call, stream, &signal{c: c, put: func() { c.ring(peer) }})
}

// ring counts a signal for a rank, after what was put there.
func (c *Comm) ring(peer int) {
	c.pairs[peer].out.signals.Add(1)
	c.world.heap.Ring(peer)
}

// WaitSignals has later work wait until so many signals have come of each peer.
func (c *Comm) WaitSignals(peers, counts []int, stream uintptr) error {
	const call = "ncclWaitSignal"
	bad := func(peer int) bool { return uint(peer) >= uint(c.place.Size) }
	if len(peers) != len(counts) || slices.ContainsFunc(peers, bad) || slices.ContainsFunc(counts, func(n int) bool { return n <= 0 }) {
		return invalid(call, "signals %v of ranks %v", counts, peers)
	}
	return c.perform(call, stream, &signal{c: c, peers: slices.Clone(peers), counts: slices.Clone(counts)})
}

// perform gives a signal to a stream, also within a group: it waits for nobody.
func (c *Comm) perform(call string, stream uintptr, s *signal) error {
	if err := c.usable(call); err != nil {
		return err
	}
	if err := c.claim(stream); err != nil {
		return err
	}
	s.ticket = c.issue()
	if _, err := c.driver.Perform(c.device.Index, device.Handle(stream), s, false); err != nil {
		c.withdraw()
		return failed(call, ccl.InvalidUsage, err)
	}
	return nil
}

// Start leaves all to Run.
func (s *signal) Start() bool { return false }

// Run signals, or waits.
func (s *signal) Run() (err error) {
	c := s.c
	if s.in, err = c.enter(s.ticket, true); err == nil {
		if s.put != nil {
			s.put()
		} else {
			err = s.wait()
		}
	}
	if err != nil {
		err = news{c.fail("ncclWaitSignal", err), c}
	}
	c.exit(s.in)
	return err
}

func (s *signal) wait() error {
	c := s.c
	for i, peer := range s.peers {
		p := &c.pairs[peer]
		p.signalled += uint64(s.counts[i])
		here := func() bool { return p.in.signals.Load() >= p.signalled }
		if err := c.world.heap.Wait(c.ctx, engine.Call{Kind: engine.KindWait, Seq: p.signalled}, here); err != nil {
			return err
		}
	}
	return nil
}

// Drop ends the communicator: others would wait for the signal.
func (s *signal) Drop(fault error) error {
	if s.c.survives(fault) {
		return s.Run()
	}
	_ = s.c.fail("ncclPutSignal", fault)
	s.c.exit(false)
	return nil
}

// Properties are those of a library without a device API.
func (c *Comm) Properties() (ccl.Properties, error) {
	if err := c.usable("ncclCommQueryProperties"); err != nil {
		return ccl.Properties{}, err
	}
	return ccl.Properties{Rank: c.place.Rank, Size: c.place.Size, CUDADevice: c.device.Index, NVMLDevice: -1, LSATeams: 1, HostRMA: true}, nil
}
