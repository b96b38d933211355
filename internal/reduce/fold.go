package reduce

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// block is how many bytes of all sources are combined at a time where the result goes
// to several places: it stays in the innermost cache meanwhile.
const block = 8192

// Scratch is room for intermediate results. One goroutine uses it at a time.
type Scratch struct {
	sum  [block]byte
	wide [2][block]float32 // of narrow elements, of which a block has the most
}

// Combine sets n elements at dst to those at a combined with those at b. dst may be
// a or b; otherwise they must not overlap.
func Combine(t Type, op Op, dst, a, b unsafe.Pointer, n int) {
	sources := [2]unsafe.Pointer{a, b}
	fold(t, op, dst, sources[:], 0, uintptr(n)*t.Size(), nil)
}

// Fold sets n elements at dst to those of all sources combined, from the first to
// the last. Narrow floating-point numbers are combined in float32 and rounded once.
// dst may be one of the sources; otherwise it must not overlap with them.
func Fold(t Type, op Op, dst unsafe.Pointer, sources []unsafe.Pointer, n int, s *Scratch) {
	fold(t, op, dst, sources, 0, uintptr(n)*t.Size(), s)
}

// FoldTo is Fold to several destinations, each of which may be one of the sources: a
// block of all sources is read before it is written anywhere.
func FoldTo(t Type, op Op, dsts, sources []unsafe.Pointer, n int, s *Scratch) {
	size := uintptr(n) * t.Size()
	for off := uintptr(0); off < size; off += block {
		some, first := min(block, size-off), unsafe.Add(dsts[0], off)
		fold(t, op, first, sources, off, some, s)
		for _, dst := range dsts[1:] {
			mem.Put(unsafe.Add(dst, off), first, some)
		}
	}
}

// fold combines size bytes that are off bytes into the sources. Two sources need no
// scratch.
func fold(t Type, op Op, dst unsafe.Pointer, sources []unsafe.Pointer, off, size uintptr, s *Scratch) {
	if len(sources) == 1 {
		mem.Put(dst, unsafe.Add(sources[0], off), size)
		return
	}
	if v := vectorFor(t, op); v.fold != nil && size >= v.unit {
		v.pieces(dst, sources, off, size)
		return
	}
	for done := uintptr(0); done < size; done += block {
		plainFold(t, op, unsafe.Add(dst, done), sources, off+done, int(min(block, size-done)/t.Size()), s)
	}
}
