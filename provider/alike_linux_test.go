package provider_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

// testAlike: what Go makes of any bits, the header makes of them, too: also of what is
// rounded, infinite, tiny, no number, or beyond the largest.
func testAlike(t *testing.T, lib *dl.Library) {
	on(t, 1, shmem.Options{}, func(c world) {
		c.launch = foreign(lib, 0)
		alike(c, "f16", func(w uint64) dtype.Float16 { return dtype.Float16FromBits(uint16(w)) }, func(v dtype.Float16) bool { return v.Float32() != v.Float32() })
		alike(c, "bf16", func(w uint64) dtype.BFloat16 { return dtype.BFloat16FromBits(uint16(w)) }, func(v dtype.BFloat16) bool { return v.Float32() != v.Float32() })
		alike(c, "f32", func(w uint64) float32 { return math.Float32frombits(uint32(w)) }, func(v float32) bool { return v != v })
		alike(c, "f64", math.Float64frombits, func(v float64) bool { return v != v })
		alike(c, "i8", func(w uint64) int8 { return int8(w) }, func(int8) bool { return false })
		alike(c, "u16", func(w uint64) uint16 { return uint16(w) }, func(uint16) bool { return false })
		alike(c, "i64", func(w uint64) int64 { return int64(w) }, func(int64) bool { return false })
	})
}

// alike compares all updates of a type.
func alike[T provider.Element](c world, name string, of func(w uint64) T, none func(v T) bool) {
	c.t.Helper()
	x, peers := allocate[T](c, elements)
	y, err := gpu.Alloc[T](c.p.Device(), 2*elements)
	c.ok(err)
	rng := rand.New(rand.NewPCG(1, 2))
	for op, update := range map[string]func(p uintptr, i int, v T, me, to int, peers []int64) T{
		"atomic_add": provider.AtomicAdd[T], "atomic_sub": provider.AtomicSub[T], "atomic_min": provider.AtomicMin[T], "atomic_max": provider.AtomicMax[T],
	} {
		old, v := make([]T, elements), make([]T, 2*elements)
		for i := range v {
			w := rng.Uint64()
			if i%4 == 0 { // the ends of a type are where mistakes are
				w = []uint64{0, 1 << 63, 0x7c007f807f807f80, 0x8000800080000001, 0x0001000100000001, 0x7bff7f7f7f7fffff, 0x3c003f803f800000}[i/4%7]
			}
			v[i], old[i%elements] = of(w), of(rng.Uint64()>>(8*(i%4)))
		}
		c.ok(x.CopyFrom(old, nil))
		c.ok(y.CopyFrom(v, nil))
		c.ok(c.launch(op+"_"+name, y, x, peers, 0, 0, elements, elements))
		theirs := contents(c, x)
		c.ok(x.CopyFrom(old, nil))
		for i := range elements {
			update(x.Address(), i, v[i], 0, 0, []int64{1})
		}
		for i, ours := range contents(c, x) {
			if ours != theirs[i] && !(none(ours) && none(theirs[i])) {
				c.t.Errorf("%s of %s: of %v and %v Go makes %v, C++ %v", op, name, old[i], v[i], ours, theirs[i])
			}
		}
	}
	c.ok(y.Close())
	c.ok(provider.Free(c.t.Context(), c.p, x))
}
