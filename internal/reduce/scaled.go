package reduce

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// Mean is FoldTo with Sum, whose result is then divided by the number of sources. Integers
// are divided as Go divides them; narrow floating-point numbers before they are rounded.
func Mean(t Type, dsts, sources []unsafe.Pointer, n int, s *Scratch) {
	count := len(sources)
	blocks(t, dsts, n, func(dst unsafe.Pointer, off uintptr, some int) {
		if t.Narrow() {
			wideSum(t, sources, nil, off, some, s)
			over(unsafe.Pointer(&s.wide[0]), some, float32(count))
			narrow(t, dst, unsafe.Pointer(&s.wide[0]), some)
			return
		}
		s.shift(sources, off)
		s.one[0] = dst
		FoldTo(t, Sum, s.one[:], s.shifted, some, s)
		quotients(t, dst, some, count)
	})
}

// Weighted sets the elements of all destinations to the sum of the sources', each
// multiplied by the scale of its source: the bytes of an element of t.
func Weighted(t Type, dsts, sources []unsafe.Pointer, scales []uint64, n int, s *Scratch) {
	blocks(t, dsts, n, func(dst unsafe.Pointer, off uintptr, some int) {
		if t.Narrow() {
			wideSum(t, sources, scales, off, some, s)
			narrow(t, dst, unsafe.Pointer(&s.wide[0]), some)
			return
		}
		acc := unsafe.Pointer(&s.sum)
		for i, source := range sources {
			addScaled(t, acc, unsafe.Add(source, off), scales[i], some, i == 0)
		}
		move(dst, acc, uintptr(some)*t.Size())
	})
}

// blocks calls f for blocks of the first destination, and copies them to the others.
func blocks(t Type, dsts []unsafe.Pointer, n int, f func(dst unsafe.Pointer, off uintptr, some int)) {
	size := uintptr(n) * t.Size()
	for off := uintptr(0); off < size; off += block {
		some, dst := min(block, size-off), unsafe.Add(dsts[0], off)
		f(dst, off, int(some/t.Size()))
		for _, other := range dsts[1:] {
			if to := unsafe.Add(other, off); to != dst {
				move(to, dst, some)
			}
		}
	}
}

// shift makes the sources begin off bytes later.
func (s *Scratch) shift(sources []unsafe.Pointer, off uintptr) {
	s.shifted = s.shifted[:0]
	for _, source := range sources {
		s.shifted = append(s.shifted, unsafe.Add(source, off))
	}
}

// wideSum adds narrow elements up in s.wide[0]; without scales as they are.
func wideSum(t Type, sources []unsafe.Pointer, scales []uint64, off uintptr, n int, s *Scratch) {
	acc, next := unsafe.Slice(&s.wide[0][0], n), unsafe.Slice(&s.wide[1][0], n)
	clear(acc)
	for i, source := range sources {
		widen(t, unsafe.Pointer(&s.wide[1]), unsafe.Add(source, off), n)
		scale := [1]float32{1}
		if scales != nil {
			widen(t, mem.Hide(unsafe.Pointer(&scale)), mem.Hide(unsafe.Pointer(&scales[i])), 1)
		}
		for k, x := range next {
			acc[k] += float32(scale[0] * x) // converted: rounded, so that no machine fuses the two
		}
	}
}

func over(p unsafe.Pointer, n int, by float32) {
	for i, v := 0, unsafe.Slice((*float32)(p), n); i < n; i++ {
		v[i] /= by
	}
}

// quotients divides n elements that are not narrow.
func quotients(t Type, p unsafe.Pointer, n, by int) {
	switch t {
	case Int8:
		divide(p, n, int8(by), by)
	case Int16:
		divide(p, n, int16(by), by)
	case Int32:
		divide(p, n, int32(by), by)
	case Int64:
		divide(p, n, int64(by), by)
	case Uint8:
		divide(p, n, uint8(by), by)
	case Uint16:
		divide(p, n, uint16(by), by)
	case Uint32:
		divide(p, n, uint32(by), by)
	case Uint64:
		divide(p, n, uint64(by), by)
	case Float32:
		over(p, n, float32(by))
	case Float64:
		divide(p, n, float64(by), by)
	}
}

// divide divides by a number, which a narrow integer may have no room for: then nothing
// is left.
func divide[T ordered](p unsafe.Pointer, n int, by T, number int) {
	v := unsafe.Slice((*T)(p), n)
	if int(by) != number {
		clear(v)
		return
	}
	for i := range v {
		v[i] /= by
	}
}

// addScaled adds n scaled elements to those at acc, or begins with them.
func addScaled(t Type, acc, source unsafe.Pointer, scale uint64, n int, first bool) {
	switch t {
	case Int8:
		scaled[int8](acc, source, scale, n, first)
	case Int16:
		scaled[int16](acc, source, scale, n, first)
	case Int32:
		scaled[int32](acc, source, scale, n, first)
	case Int64:
		scaled[int64](acc, source, scale, n, first)
	case Uint8:
		scaled[uint8](acc, source, scale, n, first)
	case Uint16:
		scaled[uint16](acc, source, scale, n, first)
	case Uint32:
		scaled[uint32](acc, source, scale, n, first)
	case Uint64:
		scaled[uint64](acc, source, scale, n, first)
	case Float32:
		scaled[float32](acc, source, scale, n, first)
	case Float64:
		scaled[float64](acc, source, scale, n, first)
	}
}

func scaled[T ordered](acc, source unsafe.Pointer, bits uint64, n int, first bool) {
	to, x := unsafe.Slice((*T)(acc), n), unsafe.Slice((*T)(source), n)
	scale := *(*T)(mem.Hide(unsafe.Pointer(&bits)))
	if first {
		clear(to)
	}
	for i := range to {
		to[i] += T(scale * x[i])
	}
}
