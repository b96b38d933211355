package reduce

import "unsafe"

// Combine sets n elements at dst to those at a combined with those at b. dst may be
// a or b; otherwise they must not overlap.
func Combine(t Type, op Op, dst, a, b unsafe.Pointer, n int) {
	FoldTo(t, op, []unsafe.Pointer{dst}, []unsafe.Pointer{a, b}, n, nil)
}

// Fold sets n elements at dst to those of all sources combined, from the first to
// the last. Narrow floating-point numbers are combined in float32 and rounded once.
// dst may be one of the sources; otherwise it must not overlap with them.
func Fold(t Type, op Op, dst unsafe.Pointer, sources []unsafe.Pointer, n int, s *Scratch) {
	FoldTo(t, op, []unsafe.Pointer{dst}, sources, n, s)
}

// FoldTo is Fold to several destinations, each of which may be one of the sources: of
// all sources is read what is next before it is written anywhere. There is no need of a
// scratch for two sources.
func FoldTo(t Type, op Op, dsts, sources []unsafe.Pointer, n int, s *Scratch) {
	size := uintptr(n) * t.Size()
	if v := vectorFor(t, op); v.fold != nil && size >= v.unit && len(sources) > 1 {
		v.pieces(dsts, sources, size)
		return
	}
	for off := uintptr(0); off < size; off += block {
		some, dst := min(block, size-off), unsafe.Add(dsts[0], off)
		fold(t, op, dst, sources, off, int(some/t.Size()), s)
		for _, other := range dsts[1:] {
			move(unsafe.Add(other, off), dst, some)
		}
	}
}
