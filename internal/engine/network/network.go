//go:build race

package network

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// Network is what the PEs of one world share.
type Network struct {
	bases []unsafe.Pointer // of the PEs' heaps, also where a virtual node has no Base for another
	kept  int              // goroutines that a lane keeps
	seed  uint64           // of weak mode; 0: operations are not late on purpose
	kinds kinds
}

// maxKept goroutines of operations are kept by all lanes together, as a rule: the race
// detector ends a program that has more than 8128.
const maxKept = 2048

// New returns the network of n PEs. With a seed operations are late, as weak mode has them.
func New(n int, seed uint64) *Network {
	return &Network{bases: make([]unsafe.Pointer, n), seed: seed, kept: min(max(maxKept/n, 2), 64)}
}

// Attach puts the network in front of the heap of a PE.
func (n *Network) Attach(h engine.Heap) *Heap {
	n.bases[h.Rank()] = h.Base(h.Rank())
	w := &Heap{below: below{h}, net: n}
	w.Lane = w.newLane()
	return w
}

// Heap is the heap of one PE, whose operations travel. The lane in it is an interface:
// the methods of an embedded pointer are reached by a jump, after which the detector takes
// every frame that was entered on the way for one that never ended, and tells of lines
// long past.
type Heap struct {
	below
	engine.Lane // the default one
	net         *Network

	mu    sync.Mutex // guards lanes
	lanes []*lane    // all of them
}

// below is the heap that does the work. It is wrapped so that the methods of the lane
// come before its own.
type below struct{ engine.Heap }

// Base is nil for other PEs in weak mode: what is loaded and stored there is not late.
func (h *Heap) Base(pe int) unsafe.Pointer {
	if h.net.seed != 0 && pe != h.Rank() {
		return nil
	}
	return h.Heap.Base(pe)
}

// Distant says that every operation goes through a lane.
func (h *Heap) Distant() {}

// NewLane returns a lane that nothing else orders.
func (h *Heap) NewLane() engine.Lane { return h.newLane() }

func (h *Heap) newLane() *lane {
	l := &lane{h: h}
	h.mu.Lock()
	defer h.mu.Unlock()
	l.late = lateness{h.net.seed, h.Rank(), len(h.lanes)}
	h.lanes = append(h.lanes, l)
	return l
}

// maxNoted is how much of a new block is told to the detector.
const maxNoted = 1 << 20

// Commit gives memory, and has the detector make its notes of it. At the first access to
// a page that takes so long that another one at the same time would be missed.
func (h *Heap) Commit(at engine.Offset, n uintptr) error {
	err := h.below.Commit(at, n)
	if err == nil && n > 0 {
		runtime.RaceWriteRange(unsafe.Add(h.Base(h.Rank()), at), int(min(n, maxNoted)))
	}
	return err
}

// Record keeps an operation for others to read, which orders nothing.
func (h *Heap) Record(r engine.Record) {
	mem.Untrack()
	defer mem.Track()
	h.below.Record(r)
}

// Fail ends the world.
func (h *Heap) Fail(reason string, exit int) {
	h.end()
	h.below.Fail(reason, exit)
}

// Close leaves the world.
func (h *Heap) Close() error {
	h.end()
	return h.below.Close()
}

// end lets the goroutines of all lanes end.
func (h *Heap) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.lanes {
		l.end()
	}
}
