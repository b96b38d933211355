package conformance

import (
	"bytes"
	"errors"

	"github.com/goshmem/goshmem/shmem"
)

func rmaChecks() []Check {
	return []Check{
		check("rma: every element type, every form", 1, everyType),
		check("rma: 1 byte to 1 MiB, unaligned", 1, everySize),
		check("rma: every pair of PEs", 1, everyPair),
		check("rma: neighbours swap", 1, neighbourSwap),
		check("rma: to and from this PE itself", 1, selfMoves),
		check("rma: nothing to move", 1, zeroLength),
		check("rma: two buffers in turn", 1, twoBuffers),
		check("rma: many outstanding", 1, manyOutstanding),
		check("rma: direct views of peers", 1, peerViews),
		check("rma: own copy", 1, ownCopy),
	}
}

// The element types that are not numbers.
type (
	odd3   [3]byte
	odd7   [7]byte
	odd129 [129]byte
	eight  struct{ A, B uint32 }
	padded struct {
		A uint8
		B uint64
		C uint16
	}
	nested struct {
		A [2]eight
		B float32
	}
)

func everyType(p *pe) {
	moves(p, func(x uint64) int8 { return int8(x) })
	moves(p, func(x uint64) int16 { return int16(x) })
	moves(p, func(x uint64) int32 { return int32(x) })
	moves(p, func(x uint64) int64 { return int64(x) })
	moves(p, func(x uint64) int { return int(x) })
	moves(p, func(x uint64) uint8 { return uint8(x) })
	moves(p, func(x uint64) uint16 { return uint16(x) })
	moves(p, func(x uint64) uint32 { return uint32(x) })
	moves(p, func(x uint64) uint64 { return x })
	moves(p, func(x uint64) uint { return uint(x) })
	moves(p, func(x uint64) uintptr { return uintptr(x) })
	moves(p, func(x uint64) float32 { return float32(x>>40) / 8 })
	moves(p, func(x uint64) float64 { return float64(x>>16) / 8 })
	moves(p, func(x uint64) complex64 { return complex(float32(x>>40), -float32(x&0xffff)/4) })
	moves(p, func(x uint64) complex128 { return complex(float64(x>>16), -float64(x&0xffff)/4) })
	moves(p, func(x uint64) bool { return x&1 == 1 })
	moves(p, func(x uint64) odd3 { return odd3{byte(x), byte(x >> 8), byte(x >> 16)} })
	moves(p, func(x uint64) odd7 { return odd7{0: byte(x), 3: byte(x >> 8), 6: byte(x >> 16)} })
	moves(p, func(x uint64) odd129 { return odd129{0: byte(x), 64: byte(x >> 8), 128: byte(x >> 16)} })
	moves(p, func(x uint64) eight { return eight{uint32(x), uint32(x >> 32)} })
	moves(p, func(x uint64) padded { return padded{uint8(x), x, uint16(x >> 7)} })
	moves(p, func(x uint64) nested { return nested{A: [2]eight{1: {B: uint32(x)}}, B: float32(x >> 50)} })
}

// puts are the ways to move local elements to a PE.
func puts[T any](p *pe) []func(dst, src shmem.Array[T], pe int) error {
	return []func(dst, src shmem.Array[T], pe int) error{
		shmem.Array[T].Put,
		shmem.Array[T].PutNBI,
		func(dst, src shmem.Array[T], pe int) error { return dst.PutSlice(local(p, src), pe) },
		func(dst, src shmem.Array[T], pe int) error { return dst.PutSliceNBI(local(p, src), pe) },
		func(dst, src shmem.Array[T], pe int) (err error) {
			for i, v := range local(p, src) {
				err = errors.Join(err, dst.P(i, v, pe))
			}
			return err
		},
	}
}

// gets are the ways to move elements from a PE here, complete after a quiet.
func gets[T any](p *pe) []func(dst, src shmem.Array[T], pe int) error {
	return []func(dst, src shmem.Array[T], pe int) error{
		shmem.Array[T].Get,
		shmem.Array[T].GetNBI,
		func(dst, src shmem.Array[T], pe int) error { return into(p, dst, src, pe, shmem.Array[T].GetSlice) },
		func(dst, src shmem.Array[T], pe int) error { return into(p, dst, src, pe, shmem.Array[T].GetSliceNBI) },
		func(dst, src shmem.Array[T], pe int) (err error) {
			for i := range dst.Len() {
				v, e := src.G(i, pe)
				err = errors.Join(err, e, dst.Set(i, v))
			}
			return err
		},
	}
}

// into gets to Go memory, which is the own copy if that is not on a device.
func into[T any](p *pe, dst, src shmem.Array[T], pe int, get func(src shmem.Array[T], to []T, pe int) error) error {
	if !p.far {
		return get(src, local(p, dst), pe)
	}
	to := make([]T, dst.Len())
	if err := errors.Join(get(src, to, pe), p.w.Quiet(p.ctx)); err != nil {
		return err
	}
	return dst.CopyFrom(to)
}

// windows cut an array into pieces of different lengths and alignments.
func windows(n int) [][2]int { return [][2]int{{0, 1}, {1, 3}, {3, 6}, {6, n}} }

// moves puts to the next PE and gets back, in every way, in pieces.
func moves[T comparable](p *pe, value func(x uint64) T) {
	p.Helper()
	const n = 33
	dst, src := alloc[T](p, n), alloc[T](p, n)
	for way, put := range puts[T](p) {
		sameAll(p, move(p, put, dst, src, p.next(), func(i int) T { return value(hash(p.me, way, i)) }),
			func(i int) T { return value(hash(p.prev(), way, i)) }, "%T, put way %d", *new(T), way)
		p.barrier()
	}
	last := len(puts[T](p)) - 1
	for way, get := range gets[T](p) {
		wipe(p, src)
		for _, w := range windows(n) {
			p.ok(get(part(p, src, w[0], w[1]), part(p, dst, w[0], w[1]), p.next()))
		}
		p.quiet()
		sameAll(p, local(p, src), func(i int) T { return value(hash(p.me, last, i)) }, "%T, get way %d", *new(T), way)
	}
	p.barrier()
}

// move fills src, puts it piecewise to pe, and returns what came here.
func move[T any](p *pe, put func(dst, src shmem.Array[T], pe int) error, dst, src shmem.Array[T], pe int, value func(i int) T) []T {
	p.Helper()
	for i := range src.Len() {
		p.ok(src.Set(i, value(i)))
	}
	for _, w := range windows(src.Len()) {
		p.ok(put(part(p, dst, w[0], w[1]), part(p, src, w[0], w[1]), pe))
	}
	p.barrier()
	return local(p, dst)
}

// sizes around every boundary at which a copy may change its way.
func sizes() []int {
	list := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12}
	for _, power := range []int{16, 32, 64, 128, 256, 4096, 65536} {
		list = append(list, power-1, power, power+1)
	}
	return append(list, 1000, 1<<20)
}

// fill writes bytes that follow from seed.
func fill(b []byte, seed uint64) []byte {
	for i := range b {
		seed = seed*6364136223846793005 + 1442695040888963407
		b[i] = byte(seed >> 56)
	}
	return b
}

func everySize(p *pe) {
	const most, guard = 1 << 20, 16
	dst, src := alloc[byte](p, most+2*guard), alloc[byte](p, most+2*guard)
	expected := make([]byte, most)
	for _, size := range sizes() {
		for _, off := range [][2]int{{guard, guard}, {guard + 1, guard + 3}} {
			to, from := part(p, dst, off[0], off[0]+size), part(p, src, off[1], off[1]+size)
			change(p, from, func(own []byte) { fill(own, hash(p.me, size, off[0])) })
			p.ok(to.Put(from, p.next()))
			p.barrier()
			want := fill(expected[:size], hash(p.prev(), size, off[0]))
			p.intact(dst, off[0], want)
			p.ok(from.Get(to, p.me))
			same(p, bytes.Equal(local(p, from), want), true, "%d bytes got at offset %d", size, off[0])
			wipe(p, to)
			p.barrier()
		}
	}
}

// intact holds that dst has want at off and zeros around it.
func (p *pe) intact(dst shmem.Array[byte], off int, want []byte) {
	p.Helper()
	own, end := local(p, dst), off+len(want)
	same(p, bytes.Equal(own[off:end], want), true, "%d bytes put at offset %d", len(want), off)
	around := append(bytes.Clone(own[:off]), own[end:min(end+16, len(own))]...)
	same(p, bytes.Count(around, []byte{0}), len(around), "zeros around %d bytes at offset %d", len(want), off)
}

func everyPair(p *pe) {
	const k = 5
	dst, src := alloc[uint64](p, p.n*k), alloc[uint64](p, k)
	for to := range p.n {
		for i := range k {
			p.ok(src.Set(i, hash(p.me, to, i)))
		}
		p.ok(part(p, dst, p.me*k, p.me*k+k).Put(src, to))
	}
	p.barrier()
	sameAll(p, local(p, dst), func(i int) uint64 { return hash(i/k, p.me, i%k) }, "slots of all PEs")
	buf := make([]uint64, k)
	for from := range p.n {
		p.ok(part(p, dst, p.me*k, p.me*k+k).GetSlice(buf, from))
		sameAll(p, buf, func(i int) uint64 { return hash(p.me, from, i) }, "own slot on PE %d", from)
	}
}

func neighbourSwap(p *pe) {
	const n = 1 << 14
	dst, src := alloc[float64](p, n), alloc[float64](p, n)
	for round := range 3 {
		set(p, src, func(i int) float64 { return float64(p.me*n+i) + float64(round)/4 })
		p.ok(dst.Put(src, p.partner()))
		p.barrier()
		sameAll(p, local(p, dst), func(i int) float64 { return float64(p.partner()*n+i) + float64(round)/4 }, "round %d", round)
		p.barrier()
	}
}

func selfMoves(p *pe) {
	a := alloc[uint32](p, 64)
	lower, upper := part(p, a, 0, 32), part(p, a, 32, 64)
	for i := range 32 {
		p.ok(lower.P(i, uint32(hash(p.me, i)), p.me))
	}
	p.quiet()
	p.ok(upper.Put(lower, p.me))
	p.quiet()
	buf := make([]uint32, 32)
	p.ok(upper.GetSlice(buf, p.me))
	sameAll(p, buf, func(i int) uint32 { return uint32(hash(p.me, i)) }, "put to self, got from self")
	same(p, g(p, upper, 31, p.me), buf[31], "G of self")
}

func zeroLength(p *pe) {
	a, sig := alloc[uint64](p, 4), allocSignals(p, 1)[0]
	for _, none := range []shmem.Array[uint64]{part(p, a, 0, 0), part(p, a, 2, 2), part(p, a, 4, 4)} {
		for _, put := range puts[uint64](p) {
			p.ok(put(none, none, p.next()))
		}
		for _, get := range gets[uint64](p) {
			p.ok(get(none, none, p.next()))
		}
		p.ok(none.PutSlice(nil, p.next()))
		p.ok(none.PutSliceNBI(nil, p.next()))
		p.ok(none.GetSlice(nil, p.next()))
		p.ok(none.GetSliceNBI(nil, p.next()))
		p.ok(none.CopyTo(nil))
		p.ok(none.CopyFrom(nil))
		p.ok(none.PutSignal(none, p.next(), sig, shmem.SignalAdd, 1))
		p.ok(none.PutSliceSignal(nil, p.next(), sig, shmem.SignalAdd, 1))
	}
	p.barrier()
	sameAll(p, local(p, a), func(int) uint64 { return 0 }, "after moves of nothing")
	seen, err := sig.Fetch()
	p.ok(err)
	same(p, seen, 6, "signals that came with nothing")
}

func twoBuffers(p *pe) {
	const n = 40
	src := alloc[uint32](p, n)
	bufs := []shmem.Array[uint32]{alloc[uint32](p, n), alloc[uint32](p, n)}
	for round := range p.fewer(400) {
		p.ok(src.Fill(uint32(round*p.n + p.me)))
		p.ok(bufs[round%2].Put(src, p.next()))
		p.barrier()
		sameAll(p, local(p, bufs[round%2]), func(int) uint32 { return uint32(round*p.n + p.prev()) }, "round %d", round)
	}
}

func manyOutstanding(p *pe) {
	const n, k = 300, 3
	dst, src, back := alloc[uint16](p, n*k), alloc[uint16](p, n*k), alloc[uint16](p, n*k)
	set(p, src, func(i int) uint16 { return uint16(hash(p.me, i)) })
	for i := range n {
		p.ok(part(p, dst, i*k, i*k+k).PutNBI(part(p, src, i*k, i*k+k), p.next()))
	}
	p.barrier()
	sameAll(p, local(p, dst), func(i int) uint16 { return uint16(hash(p.prev(), i)) }, "puts")
	for i := range n {
		p.ok(part(p, back, i*k, i*k+k).GetNBI(part(p, dst, i*k, i*k+k), p.next()))
	}
	p.quiet()
	sameAll(p, local(p, back), func(i int) uint16 { return uint16(hash(p.me, i)) }, "gets")
}

// peerViews stores into the peers without calls, where the engine lets it.
func peerViews(p *pe) {
	a := alloc[int64](p, p.n)
	for to := range p.n {
		view, err := a.Peer(to)
		if err != nil && (to != p.me || p.far) {
			p.is(err, shmem.ErrNoPeerAccess, "view of a peer")
			p.ok(a.P(p.me, int64(to*100+p.me), to))
			continue
		}
		p.ok(err)
		same(p, len(view), p.n, "elements of the view of PE %d", to)
		view[p.me] = int64(to*100 + p.me)
	}
	p.barrier()
	sameAll(p, local(p, a), func(i int) int64 { return int64(p.me*100 + i) }, "stores of all PEs")
}

func ownCopy(p *pe) {
	a := alloc[float32](p, 9)
	p.ok(a.Fill(2.5))
	p.ok(part(p, a, 1, 3).CopyFrom([]float32{-1, -2}))
	p.ok(a.Set(8, 7))
	got := make([]float32, 9)
	p.ok(a.CopyTo(got))
	want := []float32{2.5, -1, -2, 2.5, 2.5, 2.5, 2.5, 2.5, 7}
	sameAll(p, got, func(i int) float32 { return want[i] }, "copy to")
	sameAll(p, local(p, a), func(i int) float32 { return want[i] }, "local")
	same(p, at(p, a, 2), -2, "at")
}
