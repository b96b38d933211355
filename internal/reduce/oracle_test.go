package reduce

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
)

// An oracle combines vectors, given as bytes, to one.
type oracle func(sources [][]byte) []byte

// oracles say what each operation on a type must give, by Go's own arithmetic on one
// element at a time.
func oracles(t Type) map[Op]oracle {
	return map[Type]map[Op]oracle{
		Int8: ints[int8](), Int16: ints[int16](), Int32: ints[int32](), Int64: ints[int64](),
		Uint8: ints[uint8](), Uint16: ints[uint16](), Uint32: ints[uint32](), Uint64: ints[uint64](),
		Float32: reals[float32](), Float64: reals[float64](),
		Complex64: plainly(calculations[complex64]()), Complex128: plainly(calculations[complex128]()),
		Float16: narrowly(dtype.F16), BFloat16: narrowly(dtype.BF16),
		Float8E4M3: narrowly(dtype.F8E4M3), Float8E5M2: narrowly(dtype.F8E5M2),
	}[t]
}

func calculations[T number]() map[Op]func(a, b T) T {
	return map[Op]func(a, b T) T{
		Sum:  func(a, b T) T { return a + b },
		Prod: func(a, b T) T { return a * b },
	}
}

func comparisons[T ordered](m map[Op]func(a, b T) T) map[Op]func(a, b T) T {
	m[Min] = func(a, b T) T { return min(a, b) }
	m[Max] = func(a, b T) T { return max(a, b) }
	return m
}

func reals[T float32 | float64]() map[Op]oracle { return plainly(comparisons(calculations[T]())) }

func ints[T integer]() map[Op]oracle {
	m := comparisons(calculations[T]())
	m[And] = func(a, b T) T { return a & b }
	m[Or] = func(a, b T) T { return a | b }
	m[Xor] = func(a, b T) T { return a ^ b }
	return plainly(m)
}

func fromBytes[T any](b []byte) T { return *(*T)(unsafe.Pointer(unsafe.SliceData(b))) }

func toBytes[T any](to []byte, v T) []byte {
	return append(to, unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v))...)
}

// plainly combines in the type itself.
func plainly[T number](calculate map[Op]func(a, b T) T) map[Op]oracle {
	var zero T
	return oraclesOf(calculate, int(unsafe.Sizeof(zero)), fromBytes[T], toBytes[T])
}

// narrowly combines in float32 and rounds once.
func narrowly[T interface{ Float32() float32 }](round func(float32) T) map[Op]oracle {
	var zero T
	return oraclesOf(comparisons(calculations[float32]()), int(unsafe.Sizeof(zero)),
		func(b []byte) float32 { return fromBytes[T](b).Float32() },
		func(to []byte, x float32) []byte { return toBytes(to, round(x)) })
}

func oraclesOf[T any](calculate map[Op]func(a, b T) T, size int, load func([]byte) T, store func([]byte, T) []byte) map[Op]oracle {
	all := map[Op]oracle{}
	for op, do := range calculate {
		all[op] = func(sources [][]byte) []byte {
			if len(sources) == 1 {
				return sources[0]
			}
			to := make([]byte, 0, len(sources[0]))
			for i := 0; i < len(sources[0]); i += size {
				acc := load(sources[0][i:])
				for _, s := range sources[1:] {
					acc = do(acc, load(s[i:]))
				}
				to = store(to, acc)
			}
			return to
		}
	}
	return all
}

// isNaN says whether the bytes of a number are no number; of a complex one, which
// of its two parts are not.
func isNaN(t Type, b []byte) [2]bool {
	alone := func(x float32) [2]bool { return [2]bool{x != x} }
	switch t {
	case Float32:
		return alone(fromBytes[float32](b))
	case Float64:
		return [2]bool{math.IsNaN(fromBytes[float64](b))}
	case Complex64:
		return [2]bool{isNaN(Float32, b[:4])[0], isNaN(Float32, b[4:])[0]}
	case Complex128:
		return [2]bool{isNaN(Float64, b[:8])[0], isNaN(Float64, b[8:])[0]}
	case Float16:
		return alone(fromBytes[dtype.Float16](b).Float32())
	case BFloat16:
		return alone(fromBytes[dtype.BFloat16](b).Float32())
	case Float8E4M3:
		return alone(fromBytes[dtype.Float8E4M3](b).Float32())
	case Float8E5M2:
		return alone(fromBytes[dtype.Float8E5M2](b).Float32())
	}
	return [2]bool{}
}

// equal compares the bits of an element, where they are of a number.
func equal(t Type, got, want []byte) bool {
	nan, half := isNaN(t, want), len(want)
	if t == Complex64 || t == Complex128 {
		half /= 2
	}
	return isNaN(t, got) == nan && (nan[0] || bytes.Equal(got[:half], want[:half])) &&
		(nan[1] || bytes.Equal(got[half:], want[half:]))
}

// compare looks at all elements.
func compare(t *testing.T, what Type, op Op, got []byte, sources [][]byte) {
	t.Helper()
	want, size := oracles(what)[op](sources), int(what.Size())
	if bytes.Equal(got, want) {
		return
	}
	for i := 0; i < len(got); i += size {
		if !equal(what, got[i:i+size], want[i:i+size]) {
			t.Errorf("%s of type %d, element %d of %d: %x, want %x, of", op, what, i/size, len(got)/size, got[i:i+size], want[i:i+size])
			for _, s := range sources {
				t.Errorf("%x", s[i:i+size])
			}
			t.FailNow()
		}
	}
}

// values are elements of a type at which something may go wrong, as bytes.
func values(t Type) [][]byte {
	var list [][]byte
	size := int(t.Size())
	add := func(bits uint64) {
		list = append(list, binary.LittleEndian.AppendUint64(nil, bits)[:min(size, 8)])
	}
	switch {
	case size == 1:
		for bits := range uint64(256) {
			add(bits)
		}
	case t.Narrow():
		patterns(16, map[Type]int{Float16: 10, BFloat16: 7}[t], add)
	case t == Float32:
		patterns(32, 23, add)
	case t == Float64:
		patterns(64, 52, add)
	case t == Complex64, t == Complex128:
		return pairs(values(map[Type]Type{Complex64: Float32, Complex128: Float64}[t]))
	default:
		for _, bits := range []uint64{0, 1, 2, 3, 5, 10, 127, 128, 255, 256, 1000, 1 << 15, 1<<16 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<62 + 12345} {
			for _, x := range []uint64{bits, -bits, ^bits, bits << (8*size - 4), 1<<(8*size-1) - bits} {
				add(x)
			}
		}
	}
	return list
}

// patterns are floating-point numbers of some bits: zeros, the smallest, infinities,
// NaNs of both kinds, around one and around the largest, ties.
func patterns(bits, fraction int, add func(bits uint64)) {
	infinity := (uint64(1)<<(bits-1-fraction) - 1) << fraction
	one := infinity >> 1 &^ (1<<fraction - 1)
	for _, x := range []uint64{
		0, 1, 2, 3, 1<<fraction - 1, 1 << fraction, 1<<fraction + 1, one - 1, one, one + 1, one + 1<<(fraction-1),
		one + 3<<(fraction-2), one + 1<<fraction, one + 5<<fraction, one + 9<<fraction + 1, one - 8<<fraction - 1,
		infinity / 2, infinity/2 - 7<<fraction, infinity - 1<<fraction, infinity - 1, infinity, infinity + 1,
		infinity + 1<<(fraction-1), infinity + 1<<fraction - 1,
	} {
		add(x)
		add(x | 1<<(bits-1))
	}
}

func pairs(parts [][]byte) [][]byte {
	var list [][]byte
	for i, x := range parts {
		list = append(list, slices.Concat(x, parts[(i*7+3)%len(parts)]))
	}
	return list
}

// each calls f for every operation that a type has, as a subtest.
func each(t *testing.T, f func(t *testing.T, s *Scratch, what Type, op Op)) {
	s := new(Scratch)
	variants(t, func(t *testing.T) {
		for what := range types {
			for op := range ops {
				if Has(what, op) {
					t.Run(fmt.Sprintf("type %d %s", what, op), func(t *testing.T) { f(t, s, what, op) })
				}
			}
		}
	})
}
