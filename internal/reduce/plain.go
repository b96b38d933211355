package reduce

import (
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
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
		px, py := unsafe.Pointer(&x), unsafe.Pointer(&y)
		for at := 0; at < n; at += len(x) {
			some, off := min(len(x), n-at), uintptr(at)*t.Size()
			widen(t, px, unsafe.Add(a, off), some)
			widen(t, py, unsafe.Add(b, off), some)
			k(px, px, py, some)
			narrow(t, unsafe.Add(dst, off), px, some)
		}
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
		widenAs[dtype.Float8E4M3](to, src)
	case Float8E5M2:
		widenAs[dtype.Float8E5M2](to, src)
	}
}

func widenAs[T interface{ Float32() float32 }](to []float32, src unsafe.Pointer) {
	for i, x := range unsafe.Slice((*T)(src), len(to)) {
		to[i] = x.Float32()
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
