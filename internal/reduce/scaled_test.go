package reduce

import (
	"bytes"
	"math/big"
	"testing"
	"unsafe"
)

// numbersOf are the types with a mean.
func numbersOf() []Type {
	var list []Type
	for t := Int8; t < types; t++ {
		if t != Complex64 && t != Complex128 {
			list = append(list, t)
		}
	}
	return list
}

// vectorOf has small numbers of a type: their sums are exact.
func vectorOf(t Type, n int, f func(i int) float64) []byte {
	b := make([]byte, n*int(t.Size()))
	for i := range n {
		var e [2]uint64
		x := f(i)
		if t == Float8E5M2 { // put knows few numbers of it
			narrow(t, unsafe.Pointer(&e), unsafe.Pointer(&[]float32{float32(x)}[0]), 1)
		} else if t <= Int64 {
			e[0] = uint64(int64(x))
		} else {
			put(&e, t, x)
		}
		copy(b[i*int(t.Size()):], unsafe.Slice((*byte)(unsafe.Pointer(&e)), t.Size()))
	}
	return b
}

// TestMean compares with numbers that were divided before, and writes to several places,
// one of which is a source.
func TestMean(t *testing.T) {
	for _, what := range numbersOf() {
		for _, n := range []int{0, 1, 31, 20000} {
			for count := 1; count <= 4; count++ {
				var sources [][]byte
				for k := range count {
					sources = append(sources, vectorOf(what, n, func(i int) float64 { return float64((i + k) % 3) }))
				}
				want := vectorOf(what, n, func(i int) float64 {
					sum := 0
					for k := range count {
						sum += (i + k) % 3
					}
					if what < Float32 {
						return float64(sum / count)
					}
					return float64(sum) / float64(count)
				})
				other := make([]byte, len(want))
				Mean(what, addresses([][]byte{sources[0], other}), addresses(sources), n, &Scratch{})
				if !bytes.Equal(other, want) || !bytes.Equal(sources[0], want) {
					t.Fatalf("%v: the mean of %d vectors of %d elements is wrong", what, count, n)
				}
			}
		}
	}
}

// TestMeanOfMany divides by more than the type has numbers.
func TestMeanOfMany(t *testing.T) {
	sources := make([][]byte, 300)
	for i := range sources {
		sources[i] = []byte{1, 1}
	}
	dst := []byte{9, 9}
	Mean(Uint8, addresses([][]byte{dst}), addresses(sources), 2, &Scratch{})
	if !bytes.Equal(dst, []byte{0, 0}) { // 300 is 44 in 8 bits, and 44/300 is nothing
		t.Errorf("the mean is %v", dst)
	}
}

// TestMeanIsWide has a sum that a narrow type has no room for, whose mean it has.
func TestMeanIsWide(t *testing.T) {
	x := vectorOf(Float16, 5, func(int) float64 { return 60000 })
	dst := make([]byte, len(x))
	Mean(Float16, addresses([][]byte{dst}), addresses([][]byte{x, x}), 5, &Scratch{})
	if !bytes.Equal(dst, x) {
		t.Error("the mean of two equal vectors is another one")
	}
}

// TestWeighted multiplies every source by a number of its own.
func TestWeighted(t *testing.T) {
	for _, what := range numbersOf() {
		for _, n := range []int{1, 9000} {
			var sources [][]byte
			var scales []uint64
			for k := range 3 {
				sources = append(sources, vectorOf(what, n, func(i int) float64 { return float64((i + k) % 3) }))
				var bits uint64
				copy(unsafe.Slice((*byte)(unsafe.Pointer(&bits)), 8), vectorOf(what, 1, func(int) float64 { return float64(k) }))
				scales = append(scales, bits)
			}
			want := vectorOf(what, n, func(i int) float64 { return float64((i+1)%3 + 2*((i+2)%3)) })
			other := make([]byte, len(want))
			Weighted(what, addresses([][]byte{sources[1], other}), addresses(sources), scales, n, &Scratch{})
			if !bytes.Equal(other, want) || !bytes.Equal(sources[1], want) {
				t.Fatalf("%v: the weighted sum of vectors of %d elements is wrong", what, n)
			}
		}
	}
}

// TestMeanRounds has means that need rounding be what exact arithmetic rounds to.
func TestMeanRounds(t *testing.T) {
	a, b, c := float64(1<<24+1), 0.1, float64(1)/3
	x := []float64{a}
	y := []float64{b}
	z := []float64{c}
	out := []float64{0}
	list := []unsafe.Pointer{unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), unsafe.Pointer(&z[0])}
	Mean(Float64, []unsafe.Pointer{unsafe.Pointer(&out[0])}, list, 1, &Scratch{})
	sum := new(big.Float).SetPrec(53).Add(big.NewFloat(a), big.NewFloat(b))
	sum.Add(sum, big.NewFloat(c)).Quo(sum, big.NewFloat(3))
	if want, _ := sum.Float64(); out[0] != want {
		t.Errorf("%v, want %v", out[0], want)
	}
}
