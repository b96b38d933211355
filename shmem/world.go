package shmem

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/heap"
)

// World is one PE's membership in a set of PEs that share symmetric memory.
// Several worlds may live in one process.
type World struct {
	heap   engine.Heap
	rank   int
	bases  []unsafe.Pointer // of every PE's heap; nil: not reachable by load and store
	own    unsafe.Pointer   // bases[rank]
	memory                  // what arrays lie in
	lane   *lane            // the default one
	info   Info
	node   func(pe int) int // of its node; nil: nobody knows
	logf   func(string, ...any)

	state  atomic.Uint32         // live, closing or closed
	waits  atomic.Uint64         // long waits so far
	locks  atomic.Uint64         // calls so far that ask for a lock
	ended  atomic.Pointer[error] // why this PE ended the world, if it did
	world  *Team
	shared *Team

	released atomic.Int64 // arrays that wait for other PEs to release them
	courier  courier
	sites    engine.Sites // in checked mode: the lines of the program that were seen
	start    time.Time    // of this world, for now

	streaming streaming

	mu       sync.Mutex // guards what follows
	alloc    *heap.Allocator
	blocks   []*block       // live and released, sorted by offset
	teams    []*Team        // that the user has made, in order of creation
	slots    uint64         // bit i: team slot i is taken
	contexts []*CommContext // that the user has made, in order of creation
	buried   []*block       // in checked mode: the latest that were freed
	regions  []region       // registered memory
	mutexes  []*Lock        // that are not freed
	failed   []*Handle      // what was started and has failed
}

// newWorld builds the public side of a heap, whose arrays lie in d if that is not nil.
// Local; greet follows.
func newWorld(h engine.Heap, d *deviceMemory, info Info, logf func(string, ...any)) *World {
	w := &World{heap: h, rank: h.Rank(), info: info, logf: logf, start: time.Now()}
	everyone := make([]int, h.NPEs())
	for pe := range everyone {
		everyone[pe] = pe
		w.bases = append(w.bases, h.Base(pe))
	}
	w.own = w.bases[w.rank]
	w.memory = memoryOf(h, w.own, d)
	w.alloc = heap.New(w.store.Size())
	w.lane = w.newLane(w.moves, nil, "world", ContextOptions{})
	w.world = w.newTeam(worldSlot, everyone, 0, TeamConfig{})
	w.shared = w.newTeam(sharedSlot, w.within(), 0, TeamConfig{})
	w.slots = 1<<worldSlot | 1<<sharedSlot
	if d != nil {
		w.stages = newStages(w)
	}
	return w
}

// within returns the PEs of the shared team.
func (w *World) within() []int {
	var near []int
	for pe, base := range w.bases {
		if base != nil {
			near = append(near, pe)
		}
	}
	return near
}

// MyPE returns the number of this PE, from 0. Local. OpenSHMEM: shmem_my_pe.
func (w *World) MyPE() int { return w.rank }

// NPEs returns the number of PEs. Local. OpenSHMEM: shmem_n_pes.
func (w *World) NPEs() int { return len(w.bases) }

// Team returns the team of all PEs. Local. OpenSHMEM: SHMEM_TEAM_WORLD.
func (w *World) Team() *Team { return w.world }

// SharedTeam returns the team of the PEs whose memory this PE can load and store. Local.
// OpenSHMEM: SHMEM_TEAM_SHARED.
func (w *World) SharedTeam() *Team { return w.shared }

// Barrier completes all puts and atomics of this PE and waits until every PE has
// called it. Blocking, collective. OpenSHMEM: shmem_barrier_all.
func (w *World) Barrier(ctx context.Context) error {
	if w == nil {
		return noWorld("barrier")
	}
	return w.world.Barrier(ctx)
}

// Sync waits until every PE has called it; it makes stores of a PE to its own
// memory visible, and completes no puts. Blocking, collective. OpenSHMEM: shmem_sync_all.
func (w *World) Sync(ctx context.Context) error {
	if w == nil {
		return noWorld("sync")
	}
	return w.world.Sync(ctx)
}

// Fence orders this PE's earlier puts and atomics before its later ones, for each
// target PE. It does not wait. OpenSHMEM: shmem_fence.
func (w *World) Fence() error {
	if w == nil {
		return noWorld("fence")
	}
	if w.state.Load() != live {
		return fail(w, "fence", noPeer, w.gone())
	}
	w.lane.moves.Fence()
	return nil
}

// Quiet returns when all puts, gets and atomics that this PE has issued, from any
// goroutine, are complete. Blocking, not collective. OpenSHMEM: shmem_quiet.
func (w *World) Quiet(ctx context.Context) error {
	if w == nil {
		return noWorld("quiet")
	}
	if w.state.Load() != live {
		return fail(w, "quiet", noPeer, w.gone())
	}
	return fail(w, "quiet", noPeer, w.lane.moves.Quiet(orBackground(ctx)))
}

// HeapStats is how full this PE's symmetric heap is, in bytes. It is the same on
// every PE between collectives.
type HeapStats struct {
	Size    int // of the heap
	Used    int // in live blocks, with padding
	Largest int // the largest block that could be allocated now
	Blocks  int // live blocks, and those that wait for other PEs to release them
}

// HeapStats returns the state of the heap now. Local.
func (w *World) HeapStats() HeapStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.alloc.Stats()
	return HeapStats{Size: int(s.Size), Used: int(s.Used), Largest: int(s.Largest), Blocks: s.Blocks}
}

// now is the time, from one clock instead of two.
func (w *World) now() time.Time { return w.start.Add(time.Since(w.start)) }

// noWorld is the error of a call on a nil world.
func noWorld(op string) error {
	return fail(nil, op, noPeer, problem(ErrArgument, "the world is nil: use Main, Init or RunLocal"))
}

// gone is the error of a call on a world that is no longer live.
func (w *World) gone() error {
	if err := w.ended.Load(); err != nil {
		return problem(ErrClosed, "this PE ended the world: %v", *err)
	}
	return problem(ErrClosed, "the world is finalized")
}

// orBackground accepts a nil context: returning at once would leave other PEs waiting.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
