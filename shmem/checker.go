package shmem

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// checker is the lane of checked mode: it records operations, holds the program to
// what it has promised, and passes them on.
type checker struct {
	engine.Lane
	w      *World
	alone  bool        // the context is for one goroutine at a time
	inside atomic.Bool // if it is alone: a goroutine is in an operation
	seed   maphash.Seed

	mu   sync.Mutex
	lent []loan
}

// loan is the source of a non-blocking put, which must not change until quiet.
type loan struct {
	src  unsafe.Pointer
	n    uintptr
	sum  uint64
	site string
}

// maxLoans bounds what is compared at a quiet: beyond it the oldest are dropped.
const maxLoans = 256

func newChecker(w *World, l engine.Lane, o ContextOptions) *checker {
	return &checker{Lane: l, w: w, alone: o.Serialized || o.Private, seed: maphash.MakeSeed()}
}

// enter begins an operation and records it. leave must follow unless it fails.
func (c *checker) enter(deed engine.Deed, pe int, at engine.Offset, n uintptr) error {
	site := engine.Site()
	if c.alone && !c.inside.CompareAndSwap(false, true) {
		return problem(ErrMisuse, "two goroutines use a serialized or private context at the same time")
	}
	c.w.heap.Record(engine.Record{Deed: deed, Peer: pe, At: at, Bytes: n, When: time.Now(), Site: site})
	return nil
}

func (c *checker) leave() {
	if c.alone {
		c.inside.Store(false)
	}
}

// Put records a put, and refuses a source that overlaps its target.
func (c *checker) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if err := c.overlap(pe, dst, src, n); err != nil {
		return err
	}
	if err := c.enter(engine.DeedPut, pe, dst, n); err != nil {
		return err
	}
	defer c.leave()
	return c.Lane.Put(pe, dst, src, n)
}

// PutNBI is Put that also remembers what the source was.
func (c *checker) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if err := c.overlap(pe, dst, src, n); err != nil {
		return err
	}
	if err := c.enter(engine.DeedPut, pe, dst, n); err != nil {
		return err
	}
	defer c.leave()
	c.lend(src, n)
	return c.Lane.PutNBI(pe, dst, src, n)
}

// Get records a get.
func (c *checker) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if err := c.enter(engine.DeedGet, pe, src, n); err != nil {
		return err
	}
	defer c.leave()
	return c.Lane.Get(pe, dst, src, n)
}

// GetNBI records a get.
func (c *checker) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if err := c.enter(engine.DeedGet, pe, src, n); err != nil {
		return err
	}
	defer c.leave()
	return c.Lane.GetNBI(pe, dst, src, n)
}

// PutSignal records a put and a signal, and refuses a signal inside the data.
func (c *checker) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	if err := c.overlap(pe, dst, src, n); err != nil {
		return err
	}
	if sig < dst+n && dst < sig+8 {
		return problem(ErrMisuse, "the signal lies inside the data that it announces")
	}
	if err := c.enter(engine.DeedPut, pe, dst, n); err != nil {
		return err
	}
	defer c.leave()
	c.w.heap.Record(engine.Record{Deed: engine.DeedSignal, Peer: pe, At: sig, Bytes: 8, When: time.Now(), Site: engine.Site()})
	return c.Lane.PutSignal(pe, dst, src, n, sig, op)
}

// Atomic records an atomic.
func (c *checker) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	if err := c.enter(engine.DeedAtomic, pe, at, uintptr(op.Width)); err != nil {
		return 0, err
	}
	defer c.leave()
	return c.Lane.Atomic(pe, at, op)
}

// Quiet compares the sources of non-blocking puts with what they were.
func (c *checker) Quiet(ctx context.Context) error {
	c.mu.Lock()
	lent := c.lent
	c.lent = nil
	c.mu.Unlock()
	if err := c.Lane.Quiet(ctx); err != nil {
		return err
	}
	for _, l := range lent {
		if c.sum(l.src, l.n) != l.sum {
			return problem(ErrMisuse, "the source of the non-blocking put at %s was changed before this quiet", l.site)
		}
	}
	return nil
}

// lend remembers the source of a non-blocking put.
func (c *checker) lend(src unsafe.Pointer, n uintptr) {
	l := loan{src, n, c.sum(src, n), engine.Site()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lent) == maxLoans {
		c.lent = slices.Delete(c.lent, 0, maxLoans/2)
	}
	c.lent = append(c.lent, l)
}

func (c *checker) sum(p unsafe.Pointer, n uintptr) uint64 {
	return maphash.Bytes(c.seed, unsafe.Slice((*byte)(p), n))
}

// overlap refuses a put of this PE to itself whose source and target share a part:
// which bytes arrive is undefined. Both being the same changes nothing.
func (c *checker) overlap(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	from := uintptr(src) - uintptr(c.w.own)
	if pe != c.w.rank || from == dst || from >= dst+n || dst >= from+n || from >= c.w.heap.Size() {
		return nil
	}
	return problem(ErrMisuse, "source and target overlap in part")
}
