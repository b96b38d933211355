// Package heap hands out ranges of a symmetric heap. It deals in offsets only
// and touches no memory: every PE runs the same calls in the same order and so
// gets the same offsets.
package heap

import (
	"fmt"
	"slices"
	"sort"
)

// Grain is the least alignment and the unit of sizes: two cache lines, so that
// blocks of different PEs' counters never share one (adjacent lines are fetched
// in pairs).
const Grain = 128

// span is a free range.
type span struct{ at, n uintptr }

// Allocator is a first-fit free list in address order. First fit packs long-lived
// blocks at the low end, which is what keeps the large hole large.
type Allocator struct {
	size uintptr
	free []span              // sorted by at, never adjacent
	live map[uintptr]uintptr // offset -> size
	used uintptr
}

// New returns an allocator over [0, size). The size is rounded down to Grain.
func New(size uintptr) *Allocator {
	a := &Allocator{size: size &^ (Grain - 1), live: map[uintptr]uintptr{}}
	if a.size > 0 {
		a.free = []span{{0, a.size}}
	}
	return a
}

// Stats is a summary of a heap, in bytes.
type Stats struct {
	Size    uintptr // of the whole heap
	Used    uintptr // in live blocks, rounded up to the grain
	Largest uintptr // the largest block that could be allocated now
	Blocks  int     // live blocks
	Holes   int     // free ranges
}

// Stats returns the state of the heap now.
func (a *Allocator) Stats() Stats {
	s := Stats{Size: a.size, Used: a.used, Blocks: len(a.live), Holes: len(a.free)}
	for _, f := range a.free {
		s.Largest = max(s.Largest, f.n)
	}
	return s
}

// Full is the error of an allocation that does not fit.
type Full struct {
	Asked uintptr
	Stats Stats
}

// Error says what was asked and what is left.
func (e *Full) Error() string {
	return fmt.Sprintf("asked %d bytes, largest hole %d, %d of %d in use", e.Asked, e.Stats.Largest, e.Stats.Used, e.Stats.Size)
}

// Alloc returns the offset of n bytes (at least one grain), aligned to align,
// a power of two.
func (a *Allocator) Alloc(n, align uintptr) (uintptr, error) {
	align = max(align, Grain)
	size := (max(n, 1) + Grain - 1) &^ (Grain - 1)
	if size < n { // n within a grain of the top of the address space
		return 0, &Full{Asked: n, Stats: a.Stats()}
	}
	for i, f := range a.free {
		at := (f.at + align - 1) &^ (align - 1)
		if pad := at - f.at; f.n >= pad && f.n-pad >= size {
			a.take(i, at, size)
			return at, nil
		}
	}
	return 0, &Full{Asked: n, Stats: a.Stats()}
}

// take cuts [at, at+size) out of the i-th free range.
func (a *Allocator) take(i int, at, size uintptr) {
	f := a.free[i]
	var rest []span
	if at > f.at {
		rest = append(rest, span{f.at, at - f.at})
	}
	if end := at + size; end < f.at+f.n {
		rest = append(rest, span{end, f.at + f.n - end})
	}
	a.free = slices.Replace(a.free, i, i+1, rest...)
	a.live[at] = size
	a.used += size
}

// Size returns the rounded size of the live block at at, 0 if there is none.
func (a *Allocator) Size(at uintptr) uintptr { return a.live[at] }

// Free returns the block at at to the heap.
func (a *Allocator) Free(at uintptr) error {
	n, ok := a.live[at]
	if !ok {
		return fmt.Errorf("no block at offset %d", at)
	}
	delete(a.live, at)
	a.used -= n
	i := sort.Search(len(a.free), func(i int) bool { return a.free[i].at > at })
	merged, lo, hi := span{at, n}, i, i
	if i > 0 && a.free[i-1].at+a.free[i-1].n == at {
		lo--
		merged = span{a.free[lo].at, a.free[lo].n + merged.n}
	}
	if i < len(a.free) && at+n == a.free[i].at {
		hi++
		merged.n += a.free[i].n
	}
	a.free = slices.Replace(a.free, lo, hi, merged)
	return nil
}
