package shmem

import (
	"cmp"
	"os"
	"strconv"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
)

// Exchange is what a world needs of the outside while it comes into being: a
// broadcast of short buffers of the same length and a barrier. Launched jobs
// bring their own; give one to build a world over MPI, gRPC or anything else.
type Exchange = engine.Exchange

// Options say how to make a world. The zero value is right under a launcher.
type Options struct {
	// Rank and Size are this PE's place. Size 0 takes both from the launcher.
	Rank, Size int
	// Group names a subset of the launched processes that makes a world of its
	// own, with Rank and Size counted within it.
	Group string
	// Exchange replaces the rendezvous of the launcher; it needs Rank and Size.
	Exchange Exchange
	// Engine forces an engine (GOSHMEM_ENGINE). Empty: the best that can run.
	Engine string
	// HeapSize is the bytes of each PE's symmetric heap (GOSHMEM_HEAP_SIZE, else
	// ROCSHMEM_HEAP_SIZE). 0: 1 GiB for processes, which costs memory only where
	// it is allocated, and 64 MiB for goroutine PEs.
	HeapSize int
	// Timeout bounds waits whose context has no deadline (GOSHMEM_TIMEOUT). 0: 5 minutes.
	Timeout time.Duration
	// NodeSize splits one machine into virtual nodes of so many PEs
	// (GOSHMEM_NODE_SIZE): memory on other nodes cannot be loaded and stored, Peer
	// returns ErrNoPeerAccess, and data moves through the engine. 0: one node.
	NodeSize int
	// NodeTransport is how data goes between virtual nodes (GOSHMEM_NODE_TRANSPORT): "ucx"
	// maps no memory of other nodes and goes through UCX, as between machines, which is for
	// tests of that. Empty: through memory that all PEs share. Machines always use UCX.
	NodeTransport string
	// Check turns checked mode on or off (GOSHMEM_CHECK).
	Check Check
	// Fault makes something go wrong on purpose, such as "kill pe=2 op=put n=17"
	// (GOSHMEM_FAULT): a PE is delayed, stopped or killed, or its operation fails, at the
	// n-th operation of a kind; a link is slow; an allocation finds no memory; a virtual
	// node is lost. What happens is told to Logf, with the command that repeats it;
	// processes write it to stderr. PEs need not have the same faults: the others
	// are not concerned. go doc
	// github.com/goshmem/goshmem/internal/fault has the grammar.
	Fault string
	// Weak is the seed of weak mode (GOSHMEM_WEAK): data arrives as late, and in as odd
	// an order, as the memory model allows, so that a program that relies on more fails.
	// What is drawn depends on the seed alone, and all PEs must have the same. Peer
	// returns ErrNoPeerAccess. 0: off.
	Weak uint64
	// Logf gets what is worth knowing but no error, such as memory that was still
	// allocated at Finalize. nil: nobody does; in checked mode it goes to stderr.
	Logf func(format string, args ...any)

	// Race turns race mode on or off (GOSHMEM_RACE), which only builds with -race have.
	Race Race

	// local is what the PEs of a goroutine world have in common; nil: processes.
	local *local
	// device says that arrays are on a device, which the race detector does not see.
	device bool
	// wrap lets tests of this package put a weaker engine in front of each heap.
	wrap func(engine.Heap) engine.Heap
}

const (
	defaultHeap      = 1 << 30
	defaultLocalHeap = 64 << 20
	defaultTimeout   = 5 * time.Minute
)

// config settles the options and the environment; heap is the default heap size.
func (o Options) config(heap uint64) (engine.Config, error) {
	if err := env.Check(); err != nil {
		return engine.Config{}, problem(ErrArgument, "%v", err)
	}
	size, err := o.heapSize(heap)
	if err != nil {
		return engine.Config{}, err
	}
	node, err := o.nodeSize()
	if err != nil {
		return engine.Config{}, err
	}
	if _, err := o.faults(); err != nil {
		return engine.Config{}, err
	}
	transport, err := o.nodeTransport()
	if err != nil {
		return engine.Config{}, err
	}
	timeout, err := o.timeout()
	return engine.Config{HeapSize: uintptr(size) &^ 4095, Timeout: timeout, NodeSize: node, Transport: transport}, err
}

func (o Options) nodeTransport() (string, error) {
	t := cmp.Or(o.NodeTransport, os.Getenv(env.NodeTransport))
	if t != "" && t != engine.UCX {
		return "", problem(ErrArgument, "%s=%q: there is %s", env.NodeTransport, t, engine.UCX)
	}
	return t, nil
}

func (o Options) heapSize(size uint64) (uint64, error) {
	from := "Options.HeapSize"
	if o.HeapSize != 0 {
		size = uint64(o.HeapSize)
	} else {
		for _, name := range []string{env.HeapSize, env.ForeignHeapSize} {
			text := os.Getenv(name)
			if text == "" {
				continue
			}
			n, err := env.ParseBytes(text)
			if err != nil {
				return 0, problem(ErrArgument, "%s=%q is not a size: use bytes, or a number with KiB, MiB or GiB", name, text)
			}
			size, from = n, name
			break
		}
	}
	if size < env.MinHeap || size > env.MaxHeap {
		return 0, problem(ErrArgument, "%s: a heap of %d bytes per PE: at least %d, at most %d", from, int64(size), env.MinHeap, int64(env.MaxHeap))
	}
	return size, nil
}

// sized says whether anybody has asked for a size.
func (o Options) sized() bool {
	return o.HeapSize != 0 || os.Getenv(env.HeapSize) != "" || os.Getenv(env.ForeignHeapSize) != ""
}

func (o Options) nodeSize() (int, error) {
	n, text := o.NodeSize, os.Getenv(env.NodeSize)
	if n == 0 && text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			return 0, problem(ErrArgument, "%s=%q is not a number of PEs", env.NodeSize, text)
		}
	}
	if n < 0 {
		return 0, problem(ErrArgument, "Options.NodeSize of %d is negative", n)
	}
	return n, nil
}

func (o Options) timeout() (time.Duration, error) {
	text := os.Getenv(env.Timeout)
	switch {
	case o.Timeout < 0:
		return 0, problem(ErrArgument, "Options.Timeout of %v is negative", o.Timeout)
	case o.Timeout > 0:
		return o.Timeout, nil
	case text == "":
		return defaultTimeout, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, problem(ErrArgument, "%s=%q is not a positive duration such as 30s or 5m", env.Timeout, text)
	}
	return d, nil
}
