package nccl

import (
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
)

// PutSignal copies all of x, which lies in a window too, into a peer's part of w from an
// element of x's type on, and then signals the peer. It returns when the work is in the
// stream. Properties.HostRMA says whether a communicator can. ncclPutSignal (2.29).
func PutSignal[B Buffer](c *Comm, x B, peer int, w *Window, at int, s *gpu.Stream) error {
	var b ccl.Buffer
	return c.putSignal(as(x, &b), peer, w, at, s)
}

func (c *Comm) putSignal(b *ccl.Buffer, peer int, w *Window, at int, s *gpu.Stream) error {
	const op = "put signal"
	call := ccl.Call{}
	err := c.usable()
	if err == nil {
		err = c.memory(&call, b, "the source")
	}
	switch {
	case err != nil:
	case w == nil || w.c != c:
		err = problem(ErrArgument, "the window is none of this communicator")
	case at < 0 || uintptr(at) > w.bytes/b.Elem:
		err = problem(ErrArgument, "element %d of a window of %d bytes", at, w.bytes)
	default:
		err = w.reach(peer, uintptr(at)*b.Elem, uintptr(b.Count)*b.Elem)
	}
	if err != nil {
		return c.fail(op, err)
	}
	count, t := b.Count, b.Type
	if !t.Valid() {
		count, t = count*int(b.Elem), Uint8
	}
	return c.signals(op, s, func(r ccl.Signaller, stream uintptr) error {
		return r.PutSignal(b.Addr, count, t, peer, w.w, uintptr(at)*b.Elem, stream)
	})
}

// Signal signals a peer when the work before it in the stream is done. ncclSignal (2.29).
func Signal(c *Comm, peer int, s *gpu.Stream) error {
	const op = "signal"
	if err := c.known(peer); err != nil {
		return c.fail(op, err)
	}
	return c.signals(op, s, func(r ccl.Signaller, stream uintptr) error { return r.Signal(peer, stream) })
}

// WaitSignals has later work of the stream wait until counts[i] more signals have come
// from peers[i]. ncclWaitSignal (2.29).
func WaitSignals(c *Comm, peers, counts []int, s *gpu.Stream) error {
	const op = "wait signals"
	if len(peers) != len(counts) || len(peers) > 1<<10 {
		return c.fail(op, problem(ErrArgument, "%d peers and %d counts: one for each peer, at most 1024", len(peers), len(counts)))
	}
	for i, peer := range peers {
		if err := c.known(peer); err != nil {
			return c.fail(op, err)
		}
		if counts[i] < 1 {
			return c.fail(op, problem(ErrArgument, "%d signals of rank %d: at least one can be waited for", counts[i], peer))
		}
	}
	return c.signals(op, s, func(r ccl.Signaller, stream uintptr) error { return r.WaitSignals(peers, counts, stream) })
}

func (c *Comm) known(peer int) error {
	if err := c.usable(); err != nil {
		return err
	}
	if peer < 0 || peer >= c.size {
		return problem(ErrArgument, "peer %d: this communicator has ranks 0 to %d", peer, c.size-1)
	}
	return nil
}

// signals makes a call of those that put and signal.
func (c *Comm) signals(op string, s *gpu.Stream, call func(ccl.Signaller, uintptr) error) error {
	if err := c.absent(); err != nil {
		return c.fail(op, err)
	}
	h, err := s.On(c.device)
	if err != nil {
		return c.fail(op, err)
	}
	g := grouped()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil {
		return c.fail(op, err)
	}
	r, ok := c.c.(ccl.Signaller)
	if !ok {
		return c.fail(op, c.without("put and signal"))
	}
	if g != nil {
		err = g.enter(c)
	}
	if err == nil {
		err = c.begun(g, op, call(r, uintptr(h)))
	}
	return c.fail(op, err)
}

// Suspend gives device memory of the communicator back until Resume. Nothing may be under
// way. Collective. ncclCommSuspend (2.29.7).
func (c *Comm) Suspend() error {
	return c.suspension("suspend", ccl.Suspender.Suspend)
}

// Resume takes the memory again. Collective. ncclCommResume (2.29.7).
func (c *Comm) Resume() error { return c.suspension("resume", ccl.Suspender.Resume) }

func (c *Comm) suspension(op string, call func(ccl.Suspender) error) error {
	if err := c.absent(); err != nil {
		return c.fail(op, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil {
		return c.fail(op, err)
	}
	r, ok := c.c.(ccl.Suspender)
	if !ok {
		return c.fail(op, c.without("suspend"))
	}
	return c.fail(op, c.begun(nil, op, call(r)))
}

// Memory returns a number about the communicator's device memory, in bytes. Local.
// ncclCommMemStats (2.29.7).
func (c *Comm) Memory(stat MemoryStat) (uint64, error) {
	const op = "memory"
	if err := c.absent(); err != nil {
		return 0, c.fail(op, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil {
		return 0, c.fail(op, err)
	}
	r, ok := c.c.(ccl.Suspender)
	if !ok {
		return 0, c.fail(op, c.without("tell of its memory"))
	}
	n, err := r.Memory(stat)
	return n, c.fail(op, err)
}

// Properties returns what the communicator can do. Local. ncclCommQueryProperties (2.29.7).
func (c *Comm) Properties() (Properties, error) {
	const op = "properties"
	if err := c.absent(); err != nil {
		return Properties{}, c.fail(op, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil {
		return Properties{}, c.fail(op, err)
	}
	r, ok := c.c.(ccl.Describer)
	if !ok {
		return Properties{}, c.fail(op, c.without("tell of its properties"))
	}
	p, err := r.Properties()
	return p, c.fail(op, err)
}
