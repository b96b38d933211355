//go:build race

package network

import (
	"context"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// lane is an engine.Lane whose operations are ordered by its own fences and quiets only.
type lane struct {
	h    *Heap
	team string // of the context; "": the world's
	late lateness
	queue
}

// Domain says which PEs the lane is for, nil for all.
func (l *lane) Domain(pes []int) {
	if pes != nil {
		l.team = fmt.Sprint(pes)
	}
}

// Put copies the data at once, and issues a put of the copy. Nothing refers to src from
// the heap: it may point into a stack, which may move.
func (l *lane) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	return l.PutNBI(pe, dst, duplicate(src, n), n)
}

// duplicate copies n bytes to words of their own, aligned as any source may be.
func duplicate(src unsafe.Pointer, n uintptr) unsafe.Pointer {
	words := make([]uint64, n/8+1)
	copied := unsafe.Pointer(unsafe.SliceData(words))
	read(copied, src, n)
	return copied
}

// PutNBI issues a put that reads src when it is carried out.
func (l *lane) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	l.issue(pe, true, func() {
		write(l.at(pe, dst), src, n)
		l.h.Ring(pe)
	})
	return nil
}

// Get reads at once: it would have to wait for another goroutine all the same.
func (l *lane) Get(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	read(dst, l.at(pe, src), n)
	return nil
}

// GetNBI issues a get.
func (l *lane) GetNBI(pe int, dst unsafe.Pointer, src engine.Offset, n uintptr) error {
	l.issue(pe, false, func() { read(dst, l.at(pe, src), n) })
	return nil
}

// PutSignal issues a put, after which the same goroutine raises the signal.
func (l *lane) PutSignal(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr, sig engine.Offset, op engine.AMO) error {
	copied := duplicate(src, n)
	l.issue(pe, true, func() {
		write(l.at(pe, dst), copied, n)
		l.change(pe, sig, op)
		l.h.Ring(pe)
	})
	return nil
}

// Atomic issues a blind atomic. One whose old value is wanted happens at once, after what
// a fence has put before it.
func (l *lane) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	if op.Blind {
		l.issue(pe, true, func() {
			l.change(pe, at, op)
			l.h.Ring(pe)
		})
		return 0, nil
	}
	_, before := l.fenced(pe)
	for _, done := range before {
		<-done
	}
	return l.change(pe, at, op), nil
}

// change applies an atomic.
func (l *lane) change(pe int, at engine.Offset, op engine.AMO) uint64 {
	p := l.at(pe, at)
	l.h.net.kinds.mixedAtomics(p, op, l.team)
	switch { // as touch does
	case op.Kind == engine.AMOFetch:
	case op.Width == 4:
		mem.Or32(p, 0)
	default:
		mem.Or64(p, 0)
	}
	old, err := l.h.below.Atomic(pe, at, op)
	if err != nil {
		panic(err) // the heaps below cannot fail at this
	}
	return old
}

// at is where a place in the heap of pe is.
func (l *lane) at(pe int, off engine.Offset) unsafe.Pointer {
	return unsafe.Add(l.h.net.bases[pe], off)
}

// write copies to the memory of a PE. How a word is stored there in one piece, so that it
// can be waited for, must not look like an atomic.
func write(dst, src unsafe.Pointer, n uintptr) {
	if n == 0 { // a signal without data
		return
	}
	touch(dst, src, n)
	mem.Landing(dst, n)
	mem.Untrack()
	mem.Put(dst, src, n)
	mem.Track()
}

// read copies from the memory of a PE.
func read(dst, src unsafe.Pointer, n uintptr) {
	if n == 0 {
		return
	}
	touch(dst, src, n)
	mem.Untrack()
	mem.Get(dst, src, n)
	mem.Track()
}

// touch tells the detector of a copy, twice: of two accesses at the same moment each can
// miss the other, since it looks first and notes its own then.
func touch(dst, src unsafe.Pointer, n uintptr) {
	for range 2 {
		runtime.RaceReadRange(src, int(n))
		runtime.RaceWriteRange(dst, int(n))
	}
}

// Fence orders what this goroutine issues from now on, for each PE.
func (l *lane) Fence() { l.fence() }

// Quiet returns when everything that was issued is done, which is before what follows.
func (l *lane) Quiet(context.Context) error {
	dones, upTo := l.pending()
	for _, done := range dones {
		<-done
	}
	l.completed(upTo)
	return nil
}
