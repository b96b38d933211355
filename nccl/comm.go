package nccl

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
)

// Comm is the communicator of one rank (ncclComm_t). Any goroutine may use it, one call
// after the other; Err and Abort may come at any time.
type Comm struct {
	lib     ccl.Library
	c       ccl.Comm
	device  *gpu.Device
	place   ccl.Device
	config  Config
	timeout time.Duration
	number  int64    // of the communicator in this process, for its operations
	family  *family  // those of this process that must end together
	checker *checker // nil: checked mode is off
	eight   bool     // 8-bit floats can be combined
	guard   *guard   // nil: the library does not block

	mu         sync.Mutex   // one call at a time
	asking     sync.RWMutex // questions about the state are over before it ends
	state      atomic.Int32
	fault      atomic.Pointer[Error] // what has made it useless
	revoked    atomic.Bool
	rank, size int // once it is ready
	ready      atomic.Bool
	resources  []resource
	births     map[string]int // of communicators that were made of it, by how
	barrier    gpu.Slice[int32]
}

// The states of a communicator.
const (
	live    int32 = iota
	leaving       // Close waits for others of this process
	closed
)

// resource is what ends before its communicator does.
type resource interface{ release() error }

// numbers counts communicators, so that an operation of one is not taken for that of another.
var numbers atomic.Int64

// newComm makes the Comm of a library's, which may be in progress.
func newComm(lib ccl.Library, c ccl.Comm, d *gpu.Device, place ccl.Device, o settled) *Comm {
	n := &Comm{lib: lib, c: c, device: d, place: place, config: o.Config, timeout: o.Timeout, number: numbers.Add(1), eight: eight(lib, d)}
	if o.blocks(lib) {
		n.guard = n.newGuard()
	}
	return n
}

// eight says whether reductions of 8-bit floats are possible: NVIDIA's devices need
// compute capability 9. Of the others their library knows.
func eight(lib ccl.Library, d *gpu.Device) bool {
	if lib.Name() != nameNCCL || d.Platform() != "cuda" {
		return true
	}
	p, err := d.Properties()
	return err != nil || p.ComputeMajor >= 9
}

// learn asks for rank and size, when the communicator is ready.
func (c *Comm) learn() error {
	if c.ready.Load() {
		return nil
	}
	var err error
	if c.rank, err = c.c.Rank(); err != nil {
		return err
	}
	if c.size, err = c.c.Size(); err != nil {
		return err
	}
	c.checker.begin(c.rank, c.size, c.timeout)
	c.ready.Store(true)
	return nil
}

// Rank is the number of this rank, from 0. Local.
func (c *Comm) Rank() int { return c.rank }

// Size is the number of ranks. Local.
func (c *Comm) Size() int { return c.size }

// Device is the device of this rank. Local.
func (c *Comm) Device() *gpu.Device { return c.device }

// Library says what does the work. Local.
func (c *Comm) Library() Library { return describe(c.lib) }

// Name is that of Options.Config. Local.
func (c *Comm) Name() string { return c.config.Name }

// Handle is what the library knows the communicator by (ncclComm_t); 0 on the host
// library. It is for package raw, and valid until Close. Local.
func (c *Comm) Handle() uintptr {
	if h, ok := c.c.(ccl.Handler); ok && c.state.Load() != closed {
		return h.Handle()
	}
	return 0
}

// String says which rank it is, for messages.
func (c *Comm) String() string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("a rank on %v", c.device)
	if c.ready.Load() {
		text = fmt.Sprintf("rank %d of %d on %v", c.rank, c.size, c.device)
	}
	if c.config.Name != "" {
		text = c.config.Name + ", " + text
	}
	return text
}

// absent is the error of a call on no communicator.
func (c *Comm) absent() error {
	if c == nil || c.c == nil {
		return problem(ErrArgument, "no communicator: Init makes one")
	}
	return nil
}

// usable says why calls are not possible.
func (c *Comm) usable() error {
	if err := c.absent(); err != nil {
		return err
	}
	if e := c.fault.Load(); e != nil {
		return fmt.Errorf("useless since an error: %w", e)
	}
	switch {
	case c.state.Load() != live:
		return problem(ErrClosed, "the communicator is closed")
	case c.revoked.Load():
		return problem(ErrClosed, "the communicator was revoked: split it or shrink it")
	}
	return nil
}
