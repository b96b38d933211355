package conformance

import (
	"bytes"
	"math/rand/v2"

	"github.com/goshmem/goshmem/shmem"
)

func memoryChecks() []Check {
	return []Check{
		check("memory: blocks come and go", 1, blocksComeAndGo),
		check("memory: same place on every PE", 1, samePlace),
		check("memory: zeroed, also when used again", 1, zeroed),
		check("memory: growing sizes", 1, growing),
		check("memory: the largest block", 1, largestBlock),
		check("memory: alignment", 1, alignment),
		check("memory: free completes puts", 1, freeCompletes),
		check("memory: slices of arrays", 1, slicesOfArrays),
		check("memory: statistics and leaks", 1, statistics),
		check("memory: freed twice, used after", 1, usedAfterFree),
	}
}

// blocksComeAndGo allocates and frees at random, the same on all PEs, and holds
// that no block ever changes while others come and go.
func blocksComeAndGo(p *pe) {
	rng := rand.New(rand.NewPCG(1, 2))
	type block struct {
		a    shmem.Array[byte]
		seed uint64
	}
	var blocks []block
	check := func(b block) {
		want := fill(make([]byte, b.a.Len()), b.seed)
		same(p, bytes.Equal(local(p, b.a), want), true, "block of %d bytes unchanged", b.a.Len())
	}
	for step := range 250 {
		if i := rng.IntN(24); i < len(blocks) {
			check(blocks[i])
			p.ok(blocks[i].a.Free(p.ctx))
			blocks[i] = blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			continue
		}
		a, err := shmem.Alloc[byte](p.ctx, p.w, 1+rng.IntN(1<<(1+rng.IntN(16))))
		p.ok(err)
		b := block{a, hash(p.me, step)}
		change(p, a, func(own []byte) { fill(own, b.seed) })
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		check(b)
		p.ok(b.a.Free(p.ctx))
	}
}

// samePlace puts into many blocks of the next PE: each must land in the same one.
func samePlace(p *pe) {
	const blocks = 40
	var arrays []shmem.Array[uint64]
	for i := range blocks {
		arrays = append(arrays, alloc[uint64](p, 2+int(hash(i)%300)))
	}
	for i, a := range arrays {
		p.ok(a.P(a.Len()-1, hash(p.me, i), p.next()))
		p.ok(a.P(0, hash(p.me, i, 1), p.next()))
	}
	p.barrier()
	for i, a := range arrays {
		same(p, at(p, a, a.Len()-1), hash(p.prev(), i), "last element of block %d", i)
		same(p, at(p, a, 0), hash(p.prev(), i, 1), "first element of block %d", i)
	}
}

func zeroed(p *pe) {
	for round, n := range []int{1, 100, 4096, 5000, 4096 * 5, 100, 1 << 18, 4096 * 3, 777} {
		a, err := shmem.Alloc[byte](p.ctx, p.w, n)
		p.ok(err)
		buf := make([]byte, n)
		p.ok(a.GetSlice(buf, p.next()))
		same(p, bytes.Count(buf, []byte{0}), n, "zeros of %d got from the next PE, round %d", n, round)
		same(p, bytes.Count(local(p, a), []byte{0}), n, "zeros of %d, round %d", n, round)
		p.barrier()
		for i := range buf {
			buf[i] = 0xff
		}
		p.ok(a.PutSlice(buf, p.next()))
		p.ok(a.Free(p.ctx))
	}
}

// growing allocates one block of each size; none may share bytes with another.
func growing(p *pe) {
	var blocks []shmem.Array[odd3]
	for n := 1; n <= 200; n++ {
		a, err := shmem.Alloc[odd3](p.ctx, p.w, n)
		p.ok(err)
		p.ok(a.Fill(odd3{byte(n), byte(p.me), 1}))
		blocks = append(blocks, a)
	}
	for i, a := range blocks {
		sameAll(p, local(p, a), func(int) odd3 { return odd3{byte(i + 1), byte(p.me), 1} }, "block of %d elements", i+1)
		p.ok(a.Free(p.ctx))
	}
}

// largestBlock: what the statistics call the largest block can be had, and no more.
func largestBlock(p *pe) {
	wall := alloc[byte](p, 1000)
	largest := p.w.HeapStats().Largest
	_, err := shmem.Alloc[byte](p.ctx, p.w, largest+1)
	p.is(err, shmem.ErrNoMemory, "one byte more than the largest block")
	a, err := shmem.Alloc[byte](p.ctx, p.w, largest)
	p.ok(err)
	p.ok(part(p, a, largest-1, largest).P(0, byte(p.me+1), p.next()))
	p.barrier()
	same(p, at(p, a, largest-1), byte(p.prev()+1), "last byte of the largest block")
	if left := p.w.HeapStats().Largest; left >= largest {
		p.Errorf("the largest block is %d with a block of %d allocated", left, largest)
	}
	p.ok(a.Free(p.ctx))
	same(p, p.w.HeapStats().Largest, largest, "largest block after free")
	same(p, wall.Len(), 1000, "the other block")
}

func alignment(p *pe) {
	for align := 8; align <= 4096; align *= 2 {
		var blocks []shmem.Array[uint16]
		for n := range 2 {
			a, err := shmem.AllocAligned[uint16](p.ctx, p.w, 3+n*100, align)
			p.ok(err)
			same(p, address(p, a)%uintptr(align), 0, "address modulo %d", align)
			p.ok(a.P(2, uint16(align>>4), p.next()))
			blocks = append(blocks, a)
		}
		p.barrier()
		for _, a := range blocks {
			same(p, at(p, a, 2), uint16(align>>4), "put into a block aligned %d", align)
			p.ok(a.Free(p.ctx))
		}
	}
}

// freeCompletes: no put of a PE lands in what comes to stand where it pointed.
func freeCompletes(p *pe) {
	const n = 500
	src := alloc[uint64](p, n)
	p.ok(src.Fill(^uint64(0)))
	for round := range 30 {
		a, err := shmem.Alloc[uint64](p.ctx, p.w, n)
		p.ok(err)
		same(p, anyBit(local(p, a)), 0, "round %d: bits set in a fresh block", round)
		p.barrier()
		for i := range n {
			p.ok(part(p, a, i, i+1).PutNBI(part(p, src, i, i+1), p.next()))
		}
		p.ok(a.Free(p.ctx))
	}
}

func anyBit(words []uint64) (all uint64) {
	for _, w := range words {
		all |= w
	}
	return all
}

func slicesOfArrays(p *pe) {
	a, err := shmem.Alloc[int32](p.ctx, p.w, 20)
	p.ok(err)
	inner := part(p, part(p, a, 5, 15), 2, 4)
	p.ok(inner.P(1, int32(p.me), p.next()))
	p.barrier()
	same(p, at(p, a, 8), int32(p.prev()), "element of a slice of a slice")
	same(p, inner.Len(), 2, "length")
	same(p, inner.World(), p.w, "world")
	p.ok(inner.Free(p.ctx)) // the whole allocation
	_, err = a.At(0)
	p.is(err, shmem.ErrFreed, "use of an array that was freed through a slice")
}

func statistics(p *pe) {
	before := p.w.HeapStats()
	a, err := shmem.Alloc[uint64](p.ctx, p.w, 100)
	p.ok(err)
	after := p.w.HeapStats()
	same(p, after.Blocks, before.Blocks+1, "blocks")
	info := p.w.Info()
	same(p, after.Size, info.HeapSize, "size")
	same(p, [2]int{info.PE, info.PEs}, [2]int{p.me, p.n}, "PE and size in the info")
	if used := after.Used - before.Used; used < 800 || used > 1024 {
		p.Errorf("a block of 800 bytes uses %d", used)
	}
	leaks := p.w.Leaks()
	same(p, leaks[len(leaks)-1].Bytes, 800, "bytes of the latest block, as a leak")
	p.ok(a.Free(p.ctx))
	same(p, p.w.HeapStats(), before, "after free")
	same(p, len(p.w.Leaks()), len(leaks)-1, "leaks after free")
}

func usedAfterFree(p *pe) {
	a, err := shmem.Alloc[uint64](p.ctx, p.w, 4)
	p.ok(err)
	p.ok(a.Free(p.ctx))
	p.is(a.Free(p.ctx), shmem.ErrFreed, "second free")
	b := alloc[uint64](p, 4) // most likely at the same place
	for what, err := range uses(p, a) {
		p.is(err, shmem.ErrFreed, what)
	}
	p.barrier()
	sameAll(p, local(p, b), func(int) uint64 { return 0 }, "block after the freed one")
}
