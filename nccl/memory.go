package nccl

import (
	"context"
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
)

// Memory is memory of a device that the library has allocated, such that it can register
// it: for windows it must be.
type Memory[T any] struct {
	gpu.Slice[T]
	c    *Comm
	addr uintptr
}

// MemAlloc allocates n elements of memory of the communicator's device. They have no
// defined contents. Local. ncclMemAlloc (2.19).
func MemAlloc[T any](c *Comm, n int) (*Memory[T], error) {
	const op = "alloc"
	if err := c.usable(); err != nil {
		return nil, c.fail(op, err)
	}
	_, elem := ccl.TypeOf[T]()
	if n < 1 || elem == 0 || uintptr(n) > 1<<47/elem {
		return nil, c.fail(op, problem(ErrArgument, "%d elements of %d bytes: at least one, and not more than a device can have", n, elem))
	}
	a, ok := c.lib.(ccl.Allocator)
	if !ok {
		return nil, c.fail(op, c.without("allocate"))
	}
	addr, err := a.Alloc(c.place, uintptr(n)*elem)
	if err != nil {
		return nil, c.fail(op, err)
	}
	x, err := gpu.Foreign[T](c.device, addr, n, gpu.DeviceMemory)
	if err != nil {
		return nil, c.fail(op, several(err, a.Free(c.place, addr)))
	}
	return &Memory[T]{x, c, addr}, nil
}

// Close gives the memory back; more than once does no harm. Work on it must be done, and
// registrations of it closed. It may come after the communicator's. ncclMemFree.
func (m *Memory[T]) Close() error {
	if m == nil || m.addr == 0 {
		return nil
	}
	addr := m.addr
	m.addr = 0
	err := m.Slice.Close() // what is foreign only stops to be usable
	return m.c.fail("free", several(err, m.c.lib.(ccl.Allocator).Free(m.c.place, addr)))
}

// Registration is memory that the library knows beforehand.
type Registration struct {
	c      *Comm
	handle uintptr
}

// Register has the library know memory beforehand, which makes calls on it faster. The
// memory must stay until the registration is closed. Local. ncclCommRegister (2.19).
func Register[B Buffer](c *Comm, x B) (*Registration, error) {
	var b ccl.Buffer
	return c.register(as(x, &b))
}

func (c *Comm) register(b *ccl.Buffer) (*Registration, error) {
	const op = "register"
	if err := c.region(b); err != nil {
		return nil, c.fail(op, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil {
		return nil, c.fail(op, err)
	}
	r, ok := c.c.(ccl.Registrar)
	if !ok {
		return nil, c.fail(op, c.without("register memory"))
	}
	h, err := r.Register(b.Addr, uintptr(b.Count)*b.Elem)
	if err != nil {
		return nil, c.fail(op, err)
	}
	reg := &Registration{c, h}
	c.resources = append(c.resources, reg)
	return reg, nil
}

// region says what is wrong with memory that is to be registered.
func (c *Comm) region(b *ccl.Buffer) error {
	if err := c.usable(); err != nil {
		return err
	}
	call := ccl.Call{}
	if err := c.memory(&call, b, "the buffer"); err != nil {
		return err
	}
	if b.Count == 0 {
		return problem(ErrArgument, "a buffer of no elements")
	}
	return nil
}

// Used says whether the library saw a use in it: NCCL_LOCAL_REGISTER=0 and old kinds of
// memory let it do nothing. Local.
func (r *Registration) Used() bool { return r.handle != 0 }

// Close ends the registration; the communicator's Close does so, too. Local.
// ncclCommDeregister.
func (r *Registration) Close() error {
	if r == nil {
		return nil
	}
	return r.c.drop("deregister", r)
}

func (r *Registration) release() error {
	if r.handle == 0 {
		return nil
	}
	return r.c.c.(ccl.Registrar).Deregister(r.handle)
}

// Window is memory that all ranks have registered with each other.
type Window struct {
	c     *Comm
	w     ccl.Window
	bytes uintptr
}

// NewWindow registers memory with all ranks, which call it with as many bytes of memory of
// MemAlloc. It waits until they have, as long as ctx allows; in a group it returns at once,
// and the window is ready after it. Collective. ncclCommWindowRegister (2.27).
func NewWindow[B Buffer](ctx context.Context, c *Comm, x B, flags WindowFlags) (*Window, error) {
	var b ccl.Buffer
	return c.window(ctx, as(x, &b), flags)
}

func (c *Comm) window(ctx context.Context, b *ccl.Buffer, flags WindowFlags) (*Window, error) {
	const op = "window"
	if err := c.region(b); err != nil {
		return nil, c.fail(op, err)
	}
	g := grouped()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(); err != nil {
		return nil, c.fail(op, err)
	}
	r, ok := c.c.(ccl.Windower)
	if !ok {
		return nil, c.fail(op, c.without("have windows"))
	}
	if g != nil {
		if err := g.enter(c); err != nil {
			return nil, c.fail(op, err)
		}
	}
	bytes := uintptr(b.Count) * b.Elem
	bound, cancel := bounded(ctx, c.timeout)
	defer cancel()
	w, came, err := apart(bound, g == nil && c.blocks(), func() (ccl.Window, error) { return r.NewWindow(b.Addr, bytes, flags) }, func(ccl.Window) {})
	if !came { // the abort has it come back, and ends the window
		err = c.spoil(op, err, c)
	}
	if err = c.pending(bound, g, op, err); err != nil {
		return nil, c.fail(op, err)
	}
	window := &Window{c, w, bytes}
	c.resources = append(c.resources, window)
	return window, nil
}

// pending waits, outside groups, for what the library has begun. c.mu is held.
func (c *Comm) pending(ctx context.Context, g *group, op string, err error) error {
	if err != nil && !errors.Is(err, ccl.ErrInProgress) {
		return err
	}
	if g != nil {
		return nil
	}
	return c.settled(ctx, op)
}

// Used says whether the library has registered the memory: it does not where it sees no
// use in it, such as for memory of other allocators. Local.
func (w *Window) Used() bool { return w.w.Handle() != 0 }

// Handle is what the library knows the window by (ncclWindow_t), for kernels and package
// raw. Local.
func (w *Window) Handle() uintptr { return w.w.Handle() }

// Peer returns where the part of a peer, from a byte of it on, is for kernels of this
// rank's device; 0: they cannot get there. Local. ncclGetPeerDevicePointer (2.29).
func (w *Window) Peer(peer int, offset uintptr) (uintptr, error) {
	const op = "window peer"
	if w == nil {
		return 0, failed(op, problem(ErrArgument, "no window: NewWindow makes one"))
	}
	if err := w.reach(peer, offset, 0); err != nil {
		return 0, w.c.fail(op, err)
	}
	p, ok := w.w.(interface {
		Peer(peer int, offset uintptr) (uintptr, error)
	})
	if !ok {
		return 0, w.c.fail(op, w.c.without("tell addresses of peers"))
	}
	addr, err := p.Peer(peer, offset)
	return addr, w.c.fail(op, err)
}

// reach says why bytes of a peer's part cannot be reached.
func (w *Window) reach(peer int, offset, bytes uintptr) error {
	if err := w.c.usable(); err != nil {
		return err
	}
	switch {
	case peer < 0 || peer >= w.c.size:
		return problem(ErrArgument, "peer %d: this communicator has ranks 0 to %d", peer, w.c.size-1)
	case offset > w.bytes || bytes > w.bytes-offset:
		return problem(ErrArgument, "%d bytes from byte %d on of a window of %d", bytes, offset, w.bytes)
	case !w.Used():
		return fmt.Errorf("%w: the library has not registered this window", ErrUnsupported)
	}
	return nil
}

// Close ends the registration of this rank; the communicator's Close does so, too. Local.
// ncclCommWindowDeregister.
func (w *Window) Close() error {
	if w == nil {
		return nil
	}
	return w.c.drop("close window", w)
}

func (w *Window) release() error { return w.w.Close() }
