package reduce

import (
	"runtime"
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/internal/mem"
)

// The kernels in plain Go: what every machine can do, and what the faster ones are
// held to.

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type ordered interface{ integer | float32 | float64 }

type number interface {
	ordered | complex64 | complex128
}

func vectors[T any](dst, a, b unsafe.Pointer, n int) (to, x, y []T) {
	return unsafe.Slice((*T)(dst), n), unsafe.Slice((*T)(a), n), unsafe.Slice((*T)(b), n)
}

func sum[T number](dst, a, b unsafe.Pointer, n int) {
	to, x, y := vectors[T](dst, a, b, n)
	for i := range to {
		to[i] = x[i] + y[i]
	}
}

func prod[T number](dst, a, b unsafe.Pointer, n int) {
	to, x, y := vectors[T](dst, a, b, n)
	for i := range to {
		to[i] = x[i] * y[i]
	}
}

// least and most are Go's min and max: a NaN on either side gives NaN, and -0 is
// less than 0.
func least[T ordered](dst, a, b unsafe.Pointer, n int) {
	to, x, y := vectors[T](dst, a, b, n)
	for i := range to {
		to[i] = min(x[i], y[i])
	}
}

func most[T ordered](dst, a, b unsafe.Pointer, n int) {
	to, x, y := vectors[T](dst, a, b, n)
	for i := range to {
		to[i] = max(x[i], y[i])
	}
}

func and[T integer](dst, a, b unsafe.Pointer, n int) {
	to, x, y := vectors[T](dst, a, b, n)
	for i := range to {
		to[i] = x[i] & y[i]
	}
}

func or[T integer](dst, a, b unsafe.Pointer, n int) {
	to, x, y := vectors[T](dst, a, b, n)
	for i := range to {
		to[i] = x[i] | y[i]
	}
}

func xor[T integer](dst, a, b unsafe.Pointer, n int) {
	to, x, y := vectors[T](dst, a, b, n)
	for i := range to {
		to[i] = x[i] ^ y[i]
	}
}

// short makes a kernel for a narrow type of one for float32.
func short(t Type, k kernel) kernel {
	return func(dst, a, b unsafe.Pointer, n int) {
		var x, y [256]float32
		px, py := mem.Hide(unsafe.Pointer(&x)), mem.Hide(unsafe.Pointer(&y))
		for at := 0; at < n; at += len(x) {
			some, off := min(len(x), n-at), uintptr(at)*t.Size()
			widen(t, px, unsafe.Add(a, off), some)
			widen(t, py, unsafe.Add(b, off), some)
			k(px, px, py, some)
			narrow(t, unsafe.Add(dst, off), px, some)
		}
		runtime.KeepAlive(&x)
		runtime.KeepAlive(&y)
	}
}

// widen converts n elements to float32.
func widen(t Type, dst, src unsafe.Pointer, n int) {
	to := unsafe.Slice((*float32)(dst), n)
	switch t {
	case Float16:
		widenAs[dtype.Float16](to, src)
	case BFloat16:
		widenAs[dtype.BFloat16](to, src)
	case Float8E4M3:
		look(to, src, &e4m3)
	case Float8E5M2:
		look(to, src, &e5m2)
	}
}

func widenAs[T interface{ Float32() float32 }](to []float32, src unsafe.Pointer) {
	for i, x := range unsafe.Slice((*T)(src), len(to)) {
		to[i] = x.Float32()
	}
}

// The values of the eight-bit formats.
var (
	e4m3 = decoded(dtype.Float8E4M3FromBits)
	e5m2 = decoded(dtype.Float8E5M2FromBits)
)

func decoded[T interface{ Float32() float32 }](fromBits func(uint8) T) (table [256]float32) {
	for i := range table {
		table[i] = fromBits(uint8(i)).Float32()
	}
	return table
}

func look(to []float32, src unsafe.Pointer, table *[256]float32) {
	for i, x := range unsafe.Slice((*uint8)(src), len(to)) {
		to[i] = table[x]
	}
}

// narrow rounds n elements from float32.
func narrow(t Type, dst, src unsafe.Pointer, n int) {
	from := unsafe.Slice((*float32)(src), n)
	switch t {
	case Float16:
		narrowAs(dst, from, dtype.F16)
	case BFloat16:
		narrowAs(dst, from, dtype.BF16)
	case Float8E4M3:
		narrowAs(dst, from, dtype.F8E4M3)
	case Float8E5M2:
		narrowAs(dst, from, dtype.F8E5M2)
	}
}

func narrowAs[T any](dst unsafe.Pointer, from []float32, round func(float32) T) {
	to := unsafe.Slice((*T)(dst), len(from))
	for i, x := range from {
		to[i] = round(x)
	}
}

// kernels are the ways to combine, by type and operation; nil: there is none.
var kernels = plain()

func plain() (k [types][ops]kernel) {
	k[Int8], k[Int16], k[Int32], k[Int64] = integers[int8](), integers[int16](), integers[int32](), integers[int64]()
	k[Uint8], k[Uint16], k[Uint32], k[Uint64] = integers[uint8](), integers[uint16](), integers[uint32](), integers[uint64]()
	k[Float32], k[Float64] = floats[float32](), floats[float64]()
	k[Complex64], k[Complex128] = complexes[complex64](), complexes[complex128]()
	for t := Float16; t < types; t++ {
		for op := Sum; op <= Max; op++ {
			k[t][op] = short(t, k[Float32][op])
		}
	}
	return k
}

func integers[T integer]() [ops]kernel {
	return [ops]kernel{sum[T], prod[T], least[T], most[T], and[T], or[T], xor[T]}
}

func floats[T float32 | float64]() [ops]kernel {
	return [ops]kernel{sum[T], prod[T], least[T], most[T]}
}

func complexes[T complex64 | complex128]() [ops]kernel { return [ops]kernel{sum[T], prod[T]} }

// block is how many bytes of all sources are combined at a time: they stay in the
// innermost cache meanwhile.
const block = 8192

// Scratch is room for intermediate results. One goroutine uses it at a time.
type Scratch struct {
	sum  [block]byte
	wide [2][block]float32 // of narrow elements, of which a block has the most

	shifted []unsafe.Pointer
	one     [1]unsafe.Pointer
}

// fold combines n elements, at most a block, that lie off bytes into the sources. dst
// may be one of them, so nothing is put there before the last has been read.
func fold(t Type, op Op, dst unsafe.Pointer, sources []unsafe.Pointer, off uintptr, n int, s *Scratch) {
	k, last := kernels[t][op], len(sources)-1
	switch {
	case last == 0:
		move(dst, unsafe.Add(sources[0], off), uintptr(n)*t.Size())
	case last == 1:
		k(dst, unsafe.Add(sources[0], off), unsafe.Add(sources[1], off), n)
	case t.Narrow():
		foldNarrow(t, op, dst, sources, off, n, s)
	default:
		acc := unsafe.Pointer(&s.sum)
		k(acc, unsafe.Add(sources[0], off), unsafe.Add(sources[1], off), n)
		for _, source := range sources[2:last] {
			k(acc, acc, unsafe.Add(source, off), n)
		}
		k(dst, acc, unsafe.Add(sources[last], off), n)
	}
}

// foldNarrow combines in float32.
func foldNarrow(t Type, op Op, dst unsafe.Pointer, sources []unsafe.Pointer, off uintptr, n int, s *Scratch) {
	acc, next := unsafe.Pointer(&s.wide[0]), unsafe.Pointer(&s.wide[1])
	widen(t, acc, unsafe.Add(sources[0], off), n)
	for _, source := range sources[1:] {
		widen(t, next, unsafe.Add(source, off), n)
		kernels[Float32][op](acc, acc, next, n)
	}
	narrow(t, dst, acc, n)
}

func move(dst, src unsafe.Pointer, n uintptr) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}
