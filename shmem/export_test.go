package shmem

import "github.com/goshmem/goshmem/internal/engine"

// WithHeap returns options that put the heap that wrap returns in front of each
// goroutine PE's own.
func WithHeap(o Options, wrap func(engine.Heap) engine.Heap) Options {
	o.wrap = wrap
	return o
}

// InModes returns what a world with these options gets in place of a heap.
func InModes(o Options, h engine.Heap) (engine.Heap, error) { return o.inModes(h) }

// LockTickets returns how many tickets of a lock have been drawn.
func LockTickets(l *Lock) (uint64, error) { return AtomicFetch(l.words, ticketWord, l.home) }
