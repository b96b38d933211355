package shmem

import (
	"bytes"
	"context"
	"hash/maphash"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// checker is the lane of checked mode: it records operations, holds the program to
// what it has promised, and passes them on.
type checker struct {
	engine.Lane
	w      *World
	alone  bool        // the context is for one goroutine at a time
	owner  string      // the context is for this goroutine; "": for any
	inside atomic.Bool // if it is alone: a goroutine is in an operation
	debts  debts
}

func newChecker(w *World, l engine.Lane, o ContextOptions) *checker {
	c := &checker{Lane: l, w: w, alone: o.Serialized || o.Private, debts: debts{memory: &w.memory, seed: maphash.MakeSeed()}}
	if o.Private {
		c.owner = goroutine()
	}
	return c
}

// goroutine returns the number of the calling goroutine, which only a stack trace tells.
func goroutine() string {
	var trace [32]byte
	number, _, _ := bytes.Cut(bytes.TrimPrefix(trace[:runtime.Stack(trace[:], false)], []byte("goroutine ")), []byte(" "))
	return string(number)
}

// arrive begins the use of a context by one goroutine. leave must follow unless it fails.
func (c *checker) arrive() error {
	switch {
	case !c.alone:
		return nil
	case c.owner != "" && c.owner != goroutine():
		return problem(ErrMisuse, "another goroutine uses a private context than the one that made it")
	case !c.inside.CompareAndSwap(false, true):
		return problem(ErrMisuse, "two goroutines use a serialized or private context at the same time")
	}
	return nil
}

func (c *checker) leave() {
	if c.alone {
		c.inside.Store(false)
	}
}

// enter is arrive for an operation, which it records. It returns the line that asked
// for it.
func (c *checker) enter(r engine.Record) (string, error) {
	if err := c.arrive(); err != nil {
		return "", err
	}
	r.Site, r.When = c.w.sites.Here(), c.w.now()
	c.w.heap.Record(r)
	return r.Site, nil
}

// mayPut returns what is wrong with a put from src.
func (c *checker) mayPut(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if err := c.overlap(pe, dst, src, n); err != nil {
		return err
	}
	return c.debts.awaited(src, n)
}

// Put checks and records a put.
func (c *checker) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if err := c.mayPut(pe, dst, src, n); err != nil {
		return err
	}
	if _, err := c.enter(engine.Record{Deed: engine.DeedPut, Peer: pe, At: dst, Bytes: n}); err != nil {
		return err
	}
	defer c.leave()
	return c.Lane.Put(pe, dst, src, n)
}

// PutNBI is Put that also remembers what the source was.
func (c *checker) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	if err := c.mayPut(pe, dst, src, n); err != nil {
		return err
	}
	site, err := c.enter(engine.Record{Deed: engine.DeedPut, Peer: pe, At: dst, Bytes: n})
	if err != nil {
		return err
	}
	defer c.leave()
	c.debts.lend(src, n, site)
	return c.Lane.PutNBI(pe, dst, src, n)
}

// Get checks and records a get.
func (c *checker) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if err := c.overlap(pe, src, dst, n); err != nil {
		return err
	}
	if _, err := c.enter(engine.Record{Deed: engine.DeedGet, Peer: pe, At: src, Bytes: n}); err != nil {
		return err
	}
	defer c.leave()
	return c.Lane.Get(pe, dst, src, n)
}

// GetNBI is Get that also remembers what it has promised to bring.
func (c *checker) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	if err := c.overlap(pe, src, dst, n); err != nil {
		return err
	}
	site, err := c.enter(engine.Record{Deed: engine.DeedGet, Peer: pe, At: src, Bytes: n})
	if err != nil {
		return err
	}
	defer c.leave()
	c.debts.owe(dst, n, site)
	return c.Lane.GetNBI(pe, dst, src, n)
}

// PutSignal checks and records a put and a signal, and refuses a signal inside the data.
func (c *checker) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	if err := c.mayPut(pe, dst, src, n); err != nil {
		return err
	}
	if n > 0 && sig < dst+n && dst < sig+8 {
		return problem(ErrMisuse, "the signal lies inside the data that it announces")
	}
	site, err := c.enter(engine.Record{Deed: engine.DeedPut, Peer: pe, At: dst, Bytes: n})
	if err != nil {
		return err
	}
	defer c.leave()
	c.w.heap.Record(engine.Record{Deed: engine.DeedSignal, Peer: pe, At: sig, Bytes: 8, When: c.w.now(), Site: site})
	return c.Lane.PutSignal(pe, dst, src, n, sig, op)
}

// Atomic records an atomic. One that only looks is a get; whether a compare-and-swap
// has written is known afterwards, so it is recorded as one that looks until then.
func (c *checker) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	r := engine.Record{Deed: engine.DeedAtomic, Peer: pe, At: at, Bytes: uintptr(op.Width)}
	if op.Kind == engine.AMOFetch || op.Kind == engine.AMOCompareSwap {
		r.Deed = engine.DeedGet
	}
	site, err := c.enter(r)
	if err != nil {
		return 0, err
	}
	defer c.leave()
	old, err := c.Lane.Atomic(pe, at, op)
	if err == nil && op.Kind == engine.AMOCompareSwap && old == op.Cond {
		r.Deed, r.Site, r.When = engine.DeedAtomic, site, c.w.now()
		c.w.heap.Record(r)
	}
	return old, err
}

// Quiet first looks whether the sources of non-blocking puts are what they were.
func (c *checker) Quiet(ctx context.Context) error {
	misuse := c.debts.settle()
	if err := c.Lane.Quiet(ctx); err != nil {
		return err
	}
	return misuse
}

// overlap refuses a transfer of this PE with itself whose two sides share a part:
// which bytes arrive is undefined. Both being the same changes nothing.
func (c *checker) overlap(pe int, there engine.Offset, here unsafe.Pointer, n uintptr) error {
	from := uintptr(here) - uintptr(c.w.arrays)
	if pe != c.w.rank || from == there || from >= there+n || there >= from+n || from >= c.w.store.Size() {
		return nil
	}
	return problem(ErrMisuse, "source and target overlap in part")
}
