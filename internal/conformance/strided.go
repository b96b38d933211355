package conformance

import (
	"math"

	"github.com/goshmem/goshmem/shmem"
)

func stridedChecks() []Check {
	return []Check{
		check("strided: every element size, several strides", 1, stridedSizes),
		check("strided: to itself and through a context", 1, stridedPlaces),
		check("strided: nothing, one, and the last that fits", 1, stridedEdges),
		check("strided: bounds", 1, stridedBounds),
	}
}

func stridedSizes(p *pe) {
	strides(p, func(x uint64) int8 { return int8(x) | 1 })
	strides(p, func(x uint64) uint16 { return uint16(x) | 1 })
	strides(p, func(x uint64) float32 { return float32(x>>40) + 1 })
	strides(p, func(x uint64) uint64 { return x | 1 })
	strides(p, func(x uint64) complex128 { return complex(float64(x>>16)+1, 0) })
	strides(p, func(x uint64) odd3 { return odd3{byte(x) | 1, byte(x >> 8), byte(x >> 16)} })
	strides(p, func(x uint64) odd7 { return odd7{byte(x) | 1, 0, 0, 0, 0, 0, byte(x >> 9)} })
	strides(p, func(x uint64) odd129 { return odd129{0: byte(x) | 1, 128: byte(x >> 8)} })
	strides(p, func(x uint64) padded { return padded{uint8(x) | 1, x, uint16(x >> 7)} })
}

// strides puts to the next PE and gets from it, and holds that what lies between the
// elements stays as it is.
func strides[T comparable](p *pe, value func(x uint64) T) {
	p.Helper()
	const n = 60
	dst, src := alloc[T](p, n), alloc[T](p, n)
	set(p, src, func(i int) T { return value(hash(p.me, i)) })
	var zero T
	for _, c := range []struct{ to, from, count int }{{1, 1, n}, {2, 1, 30}, {1, 2, 30}, {3, 7, 8}, {59, 1, 2}, {7, 59, 2}} {
		expect := func(of int) func(i int) T {
			return func(i int) T {
				if i%c.to == 0 && i/c.to < c.count {
					return value(hash(of, i/c.to*c.from))
				}
				return zero
			}
		}
		p.ok(dst.IPut(src, c.to, c.from, c.count, p.next()))
		p.barrier()
		sameAll(p, local(p, dst), expect(p.prev()), "%T put with strides %d and %d", zero, c.to, c.from)
		wipe(p, dst)
		p.barrier()
		p.ok(dst.IGet(src, c.to, c.from, c.count, p.next()))
		sameAll(p, local(p, dst), expect(p.next()), "%T got with strides %d and %d", zero, c.to, c.from)
		wipe(p, dst)
		p.barrier()
	}
}

func stridedPlaces(p *pe) {
	const n = 20
	dst, src := alloc[uint32](p, n), alloc[uint32](p, n)
	c := newContext(p)
	for i := range n {
		p.ok(src.Set(i, uint32(hash(p.me, i))))
	}
	p.ok(part(p, dst, 5, n).IPut(part(p, src, 1, n), 2, 3, 5, p.me)) // slices begin elsewhere
	p.ok(via(p, part(p, dst, 6, n), c).IPut(src, 2, 1, 5, p.next()))
	p.ok(c.Quiet(p.ctx))
	p.barrier()
	sameAll(p, local(p, dst)[5:15], func(i int) uint32 {
		if i%2 == 0 {
			return uint32(hash(p.me, 1+i/2*3))
		}
		return uint32(hash(p.prev(), i/2))
	}, "own and others' elements in turn")
	back := alloc[uint32](p, 5)
	p.ok(back.IGet(via(p, part(p, src, 2, n), c), 1, 4, 5, p.next()))
	sameAll(p, local(p, back), func(i int) uint32 { return uint32(hash(p.next(), 2+4*i)) }, "got through a context")
	p.ok(c.Destroy(p.ctx))
}

func stridedEdges(p *pe) {
	const n = 10
	a, b := alloc[uint64](p, n), alloc[uint64](p, n)
	none := part(p, a, 4, 4)
	p.ok(b.Fill(hash(p.me)))
	for _, s := range []int{0, -1, math.MinInt, 1, math.MaxInt} {
		p.ok(a.IPut(b, s, s, 0, p.next()))
		p.ok(none.IGet(b, s, s, 0, p.next()))
	}
	p.barrier()
	sameAll(p, local(p, a), func(int) uint64 { return 0 }, "after moves of nothing")
	p.barrier()
	p.ok(part(p, a, 9, 10).IPut(b, math.MaxInt, math.MaxInt, 1, p.next())) // one needs no room for its stride
	p.ok(a.IPut(b, 8, 8, 2, p.next()))
	p.barrier()
	sameAll(p, local(p, a), func(i int) uint64 {
		if i == 0 || i >= 8 {
			return hash(p.prev())
		}
		return 0
	}, "first, last and the one that fits")
}

// stridedBounds: what does not fit moves nothing.
func stridedBounds(p *pe) {
	const n = 10
	a, b := alloc[uint64](p, n), alloc[uint64](p, n)
	p.ok(b.Fill(^uint64(0)))
	none := part(p, a, 4, 4)
	for _, c := range []struct{ stride, count int }{{1, 11}, {2, 6}, {9, 3}, {10, 2}, {math.MaxInt, 2}, {1, math.MaxInt}, {2, math.MaxInt/2 + 2}, {math.MaxInt, math.MaxInt}} {
		p.is(a.IPut(b, c.stride, 1, c.count, p.next()), shmem.ErrBounds, "put beyond the end")
		p.is(a.IPut(b, 1, c.stride, c.count, p.next()), shmem.ErrBounds, "put from beyond the end")
		p.is(a.IGet(b, c.stride, 1, c.count, p.next()), shmem.ErrBounds, "get beyond the end")
		p.is(a.IGet(b, 1, c.stride, c.count, p.next()), shmem.ErrBounds, "get from beyond the end")
	}
	for _, stride := range []int{1, 2, math.MaxInt} {
		p.is(none.IPut(b, stride, stride, 1, p.next()), shmem.ErrBounds, "put to no elements")
		p.is(b.IGet(none, stride, stride, 1, p.next()), shmem.ErrBounds, "get of no elements")
	}
	for _, stride := range []int{0, -1, math.MinInt} {
		p.is(a.IPut(b, stride, 1, 2, p.next()), shmem.ErrArgument, "stride of the target")
		p.is(a.IGet(b, 1, stride, 2, p.next()), shmem.ErrArgument, "stride of the source")
	}
	p.is(a.IPut(b, 1, 1, -1, p.next()), shmem.ErrArgument, "fewer than no elements")
	p.barrier()
	sameAll(p, local(p, a), func(int) uint64 { return 0 }, "after refused moves")
}
