package host

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// Heap is one PE's view of a world: the control and heap of every PE of its node are
// mapped here, so that data moves by load and store. What leads to others is far.
type Heap struct {
	rank    int
	size    uintptr
	room    uintptr // bytes behind the heap for each team
	timeout time.Duration
	node    int // PEs of a virtual node; 0: all are on one
	own     *control
	ctl     []*control
	base    []unsafe.Pointer
	policy  policy
	memory  memory
	peers   []peer                 // nil in a goroutine world
	obits   []atomic.Pointer[obit] // how a PE's process ended, if it did
	closers []func() error
	unmap   func() error          // gives mappings back; nil in a goroutine world
	far     *far                  // what leads to PEs of other nodes; nil: there are none
	used    [maxSlots]atomic.Bool // slots that had a gate of this PE
}

// peer is who a PE is outside the world.
type peer struct {
	host string
	pid  int
}

// obit is how and in which order a PE's process ended.
type obit struct {
	text  string
	order int
}

// memory backs the heap of a PE with pages and takes them back.
type memory interface {
	commit(p unsafe.Pointer, at, n uintptr) error
	release(p unsafe.Pointer, at, n uintptr) error
}

// newHeap joins the segments of a world, given in rank order.
func newHeap(rank int, c engine.Config, segments []unsafe.Pointer, room uintptr, p policy, m memory) *Heap {
	h := &Heap{rank: rank, size: c.HeapSize, room: room, timeout: c.Timeout, node: c.NodeSize, policy: p, memory: m}
	h.obits = make([]atomic.Pointer[obit], len(segments))
	for _, s := range segments {
		h.ctl = append(h.ctl, (*control)(s))
		h.base = append(h.base, unsafe.Add(s, heapStart))
	}
	h.own = h.ctl[rank]
	h.own.magic.Store(magic)
	h.own.setState(engine.Running)
	return h
}

// Engine returns "host".
func (h *Heap) Engine() string { return name }

// Rank returns the number of this PE.
func (h *Heap) Rank() int { return h.rank }

// NPEs returns the number of PEs.
func (h *Heap) NPEs() int { return len(h.ctl) }

// Nodes is how many nodes the PEs are on.
func (h *Heap) Nodes() int {
	if h.far == nil {
		return 1
	}
	return len(h.far.posts)
}

// Node is the number of a PE's node, also of a virtual one.
func (h *Heap) Node(pe int) int {
	switch {
	case h.far != nil:
		return h.far.node[pe]
	case h.node > 0:
		return pe / h.node
	}
	return 0
}

// Size returns the bytes in each PE's heap.
func (h *Heap) Size() uintptr { return h.size }

// Base returns where pe's heap starts in this process; nil if pe is on another
// virtual node, whose memory is mapped all the same: it is reached through Put and Get.
func (h *Heap) Base(pe int) unsafe.Pointer {
	if h.node > 0 && pe/h.node != h.rank/h.node {
		return nil
	}
	return h.base[pe]
}

// NewLane returns the heap itself: a store has nothing to be completed, so all
// lanes are alike.
func (h *Heap) NewLane() engine.Lane { return h }

// Commit backs [at, at+n) with memory. Free memory always reads as zero: Release
// sees to that.
func (h *Heap) Commit(at engine.Offset, n uintptr) error {
	if err := h.memory.commit(h.base[h.rank], at, n); err != nil {
		return fmt.Errorf("cannot back %d bytes with memory: %w", n, err)
	}
	return nil
}

// Release clears [at, at+n) and gives whole pages back.
func (h *Heap) Release(at engine.Offset, n uintptr) error {
	return h.memory.release(h.base[h.rank], at, n)
}

// Ring wakes pe if it sleeps.
func (h *Heap) Ring(pe int) {
	if h.far.is(pe) {
		_ = h.far.wire.send(pe, head(msgRing, 0, h.rank)) // who is not rung looks soon all the same
		return
	}
	mem.Untrack() // to ring is not to be ordered after who sleeps
	defer mem.Track()
	if h.ctl[pe].sleepers.Load() > 0 {
		h.policy.ring(pe)
	}
}

// Spin returns how many looks are cheaper than a call of Wait.
func (h *Heap) Spin() (looks int, pause bool) { return h.policy.spin() }

// Close leaves the world; in good order, unless this PE has failed.
func (h *Heap) Close() error {
	h.own.state.CompareAndSwap(uint32(engine.Running), uint32(engine.Finalized))
	first := h.far.leave()
	for _, f := range h.closers {
		if err := f(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Unmap gives the memory of a world of processes back, of which nothing may be used any
// more. After Close. Goroutine worlds have Go's memory.
func (h *Heap) Unmap() error {
	if h.unmap == nil {
		return nil
	}
	return h.unmap()
}
