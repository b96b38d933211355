package shmem

import (
	"errors"
	"sync"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/heap"
)

// stages is the heap of a world whose arrays are on a device: room for copies of them, on
// which the collectives of the heap can work.
type stages struct {
	mu    sync.Mutex
	alloc *heap.Allocator
	block *block // what all copies lie in
}

// newStages takes the heap of w.
func newStages(w *World) *stages {
	return &stages{alloc: heap.New(w.heap.Size()), block: &block{w: w, own: w.own, bases: w.bases}}
}

// stageFor returns memory of the heap for an array of the device, copied there if it is a
// source.
func stageFor[T any](w *World, a Array[T], source bool) (Array[T], error) {
	copied := Array[T]{w.stages.block, 0, a.n}
	if a.n == 0 {
		return copied, nil
	}
	var err error
	if copied.off, err = w.stages.take(w.heap, a.bytes()); err != nil || !source {
		return copied, err
	}
	return copied, a.b.out(copied.here(), a.off, a.bytes())
}

// take gives n bytes of the heap.
func (s *stages) take(h engine.Heap, n uintptr) (engine.Offset, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, err := s.alloc.Alloc(n, heap.Grain)
	if err == nil {
		err = h.Commit(at, n)
	}
	if err != nil {
		return 0, problem(ErrNoMemory, "host memory for a copy of %d bytes of a device's: %v", n, err)
	}
	return at, nil
}

// give takes them back.
func (s *stages) give(h engine.Heap, at engine.Offset, n uintptr) error {
	if n == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := h.Release(at, n); err != nil {
		return err
	}
	return s.alloc.Free(at)
}

// inHeap has f do a collective on copies of two arrays of a device. f returns how many of
// the first elements of dst it has written.
func inHeap[T any](c *collective, dst, src Array[T], f func(dst, src Array[T]) (int, error)) error {
	w := c.t.w
	from, err := stageFor(w, src, true)
	if err != nil {
		return err
	}
	to, err := stageFor(w, dst, false)
	if err != nil {
		return err
	}
	n, err := f(to, from)
	if err != nil { // the copies stay: others may be reading them still
		return err
	}
	if n > 0 {
		err = dst.b.in(dst.off, to.here(), uintptr(n)*sizeOf[T]())
	}
	return errors.Join(err, w.stages.give(w.heap, to.off, to.bytes()), w.stages.give(w.heap, from.off, from.bytes()))
}
