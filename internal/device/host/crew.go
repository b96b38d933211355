package host

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/device"
)

// crew runs the launches of a stream, one at a time.
type crew struct {
	help   func() // work, as a value that costs nothing to start
	fn     *function
	shape  shape
	args   []uint64
	next   atomic.Uint64 // block
	busy   sync.WaitGroup
	mu     sync.Mutex
	failed error
}

// launch runs all blocks on as many goroutines as there are cores to use.
func (c *crew) launch(f *function, s shape, args []uint64) error {
	c.fn, c.shape, c.args, c.failed = f, s, args, nil
	c.next.Store(0)
	n := int(min(s.blocks(), uint64(runtime.GOMAXPROCS(0))))
	c.busy.Add(n)
	for range n {
		go c.help()
	}
	c.busy.Wait()
	c.fn, c.args = nil, nil
	return c.failed
}

// work takes blocks until there are none. A panic in one ends the launch, and so does
// a kernel that ends its goroutine.
func (c *crew) work() {
	defer c.busy.Done()
	debug.SetPanicOnFault(true) // of this goroutine, which is new
	whole := false
	defer func() {
		if p := recover(); p != nil {
			c.fail(fmt.Sprint(cause(p), lineOfPanic()))
		} else if !whole {
			c.fail("it has ended its goroutine")
		}
	}()
	for i := c.next.Add(1) - 1; i < c.shape.blocks(); i = c.next.Add(1) - 1 {
		c.fn.kernel.Run(Block{c.shape.index(i), c.shape.grid, c.shape.block, c.args})
	}
	whole = true
}

// lineOfPanic is where the panic that is being recovered from came from, as a line of the
// kernel: not in our own packages, which panic on its behalf or do what it asks for.
func lineOfPanic() string {
	var room [64]uintptr
	frames := runtime.CallersFrames(room[:runtime.Callers(0, room[:])])
	for panicked, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
			panicked = panicked || strings.HasSuffix(f.Function, "panic")
		case panicked && !helps(f):
			return fmt.Sprintf(", at %s:%d", filepath.Base(f.File), f.Line)
		}
	}
	return ""
}

// helps says whether a kernel has called a function of ours, or one that it is made with.
func helps(f runtime.Frame) bool {
	rest, ours := strings.CutPrefix(f.Function, "github.com/goshmem/goshmem/")
	of := func(name string) bool { return strings.HasPrefix(rest, name+".") }
	if strings.HasPrefix(f.Function, "sync/atomic.") || strings.HasSuffix(f.File, ".s") {
		return true
	}
	return ours && !strings.HasSuffix(f.File, "_test.go") &&
		slices.ContainsFunc([]string{"gpu", "provider", "dtype", "internal/mem", "internal/device/host"}, of)
}

// fail keeps the first reason, and has no more blocks run.
func (c *crew) fail(reason any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next.Store(c.shape.blocks())
	if c.failed == nil {
		c.failed = fail(c.fn.dev, "Launch", device.ErrFault, "kernel %s: %v", c.fn.name, reason)
	}
}

// shape is how a kernel is launched.
type shape struct{ grid, block [3]uint32 }

func (s shape) blocks() uint64 { return product(s.grid) }

// index is where the i-th block is.
func (s shape) index(i uint64) [3]uint32 {
	x, y := uint64(s.grid[0]), uint64(s.grid[1])
	return [3]uint32{uint32(i % x), uint32(i / x % y), uint32(i / x / y)}
}

func product(v [3]uint32) uint64 { return uint64(v[0]) * uint64(v[1]) * uint64(v[2]) }
