package dtype

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// kind is a type under test.
type kind struct {
	name     string
	count    int // of bit patterns
	value    func(bits int) float32
	round    func(float32) int
	largest  float32
	infinite bool // what is too large becomes infinite
}

func kinds() []kind {
	return []kind{
		{"float16", 1 << 16, func(b int) float32 { return Float16FromBits(uint16(b)).Float32() }, func(x float32) int { return int(F16(x).Bits()) }, 65504, true},
		{"bfloat16", 1 << 16, func(b int) float32 { return BFloat16FromBits(uint16(b)).Float32() }, func(x float32) int { return int(BF16(x).Bits()) }, 0x1.fep127, true},
		{"e4m3", 1 << 8, func(b int) float32 { return Float8E4M3FromBits(uint8(b)).Float32() }, func(x float32) int { return int(F8E4M3(x).Bits()) }, 448, false},
		{"e5m2", 1 << 8, func(b int) float32 { return Float8E5M2FromBits(uint8(b)).Float32() }, func(x float32) int { return int(F8E5M2(x).Bits()) }, 57344, false},
	}
}

func isNaN(x float32) bool { return x != x }

// TestRoundTrip converts every bit pattern to float32 and back.
func TestRoundTrip(t *testing.T) {
	for _, k := range kinds() {
		for b := range k.count {
			x := k.value(b)
			back := k.round(x)
			switch {
			case isNaN(x):
				if !isNaN(k.value(back)) {
					t.Fatalf("%s: NaN %#x became %#x, %v", k.name, b, back, k.value(back))
				}
			case math.IsInf(float64(x), 0) && !k.infinite:
				if k.value(back) != float32(math.Copysign(float64(k.largest), float64(x))) {
					t.Fatalf("%s: %v became %v", k.name, x, k.value(back))
				}
			case back != b:
				t.Fatalf("%s: %#x is %v, which became %#x", k.name, b, x, back)
			}
		}
	}
}

// finite returns the bit patterns of all finite numbers that are not negative, rising.
func (k kind) finite() []int {
	var all []int
	for b := range k.count / 2 {
		if x := k.value(b); !isNaN(x) && !math.IsInf(float64(x), 0) {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Compare(k.value(a), k.value(b)) })
	return all
}

// TestRounding holds the conversion to the definition: of two neighbours the nearer one,
// of two as near the even one. Middles, and what lies next to them, are where it can go
// wrong, so all of these are looked at.
func TestRounding(t *testing.T) {
	for _, k := range kinds() {
		all := k.finite()
		if got := k.value(all[len(all)-1]); got != k.largest {
			t.Fatalf("%s: the largest number is %v, want %v", k.name, got, k.largest)
		}
		for i := range all[1:] {
			low, high := all[i], all[i+1]
			middle := float32((float64(k.value(low)) + float64(k.value(high))) / 2) // exact: it has one bit more
			even := low
			if low&1 == 1 {
				even = high
			}
			expect(t, k, middle, even)
			expect(t, k, math.Nextafter32(middle, 0), low)
			expect(t, k, math.Nextafter32(middle, float32(math.Inf(1))), high)
		}
	}
}

// expect rounds x and -x.
func expect(t *testing.T, k kind, x float32, want int) {
	t.Helper()
	sign := k.count / 2
	if got := k.round(x); got != want {
		t.Fatalf("%s: %v became %#x (%v), want %#x (%v)", k.name, x, got, k.value(got), want, k.value(want))
	}
	if got := k.round(-x); got != want|sign {
		t.Fatalf("%s: %v became %#x, want %#x", k.name, -x, got, want|sign)
	}
}

// TestBeyond rounds what is larger than the largest number.
func TestBeyond(t *testing.T) {
	for _, k := range kinds() {
		all := k.finite()
		last := all[len(all)-1]
		step := k.largest - k.value(all[len(all)-2])
		want := last
		if k.infinite {
			want = last + 1
		}
		for _, x := range []float32{k.largest + step, math.MaxFloat32, float32(math.Inf(1))} {
			if x > k.largest {
				expect(t, k, x, want)
			}
		}
		if half := k.largest + step/2; half > k.largest && !math.IsInf(float64(half), 0) {
			expect(t, k, math.Nextafter32(half, 0), last)
			expect(t, k, half, want) // the largest is odd
		}
		if got := k.value(k.round(float32(math.NaN()))); !isNaN(got) {
			t.Errorf("%s: NaN became %v", k.name, got)
		}
	}
}

// TestRandom looks between middles: nothing is nearer than what was chosen.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, k := range kinds() {
		all := k.finite()
		for range 20000 {
			x := math.Float32frombits(rng.Uint32() & (1<<31 - 1))
			if isNaN(x) || x > k.largest {
				continue
			}
			i, _ := slices.BinarySearchFunc(all, x, func(b int, x float32) int { return cmp.Compare(k.value(b), x) })
			best := math.Inf(1)
			for _, b := range all[max(0, i-1):min(len(all), i+1)] {
				best = min(best, math.Abs(float64(k.value(b))-float64(x)))
			}
			if got := k.value(k.round(x)); math.Abs(float64(got)-float64(x)) > best {
				t.Fatalf("%s: %v became %v, which is not the nearest", k.name, x, got)
			}
		}
	}
}

// TestText writes numbers as Go does.
func TestText(t *testing.T) {
	for got, want := range map[string]string{
		F16(1.5).String():                  "1.5",
		BF16(-3).String():                  "-3",
		F8E4M3(1000).String():              "448",
		F8E5M2(0.1).String():               "0.09375",
		F16(float32(math.Inf(1))).String(): "+Inf",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
