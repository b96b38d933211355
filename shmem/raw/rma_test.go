package raw_test

import (
	"runtime"

	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

// pair allocates two blocks of n int32: what this PE has, and -1.
func (p *pe) pair(n int) (src, dst uintptr) {
	src, dst = p.malloc(4*n), p.malloc(4*n)
	for i := range n {
		own[int32](p, src, n)[i] = int32(100*p.me + i)
		own[int32](p, dst, n)[i] = -1
	}
	p.barrier()
	return src, dst
}

// came checks that dst holds what pe had.
func (p *pe) came(op string, dst uintptr, n, pe int) {
	p.Helper()
	for i, v := range own[int32](p, dst, n) {
		same(p, op, v, int32(100*pe+i))
	}
}

func ring(p *pe) {
	const n = 64
	for _, put := range []move{raw.Putmem, raw.PutmemNbi} {
		src, dst := p.pair(n)
		p.ok(put(p.w, dst, src, 4*n, p.next()))
		p.barrier()
		p.came("put", dst, n, p.prev())
		p.free(dst)
		p.free(src)
	}
	for _, get := range []move{raw.Getmem, raw.GetmemNbi} {
		src, dst := p.pair(n)
		p.ok(get(p.w, dst, src, 4*n, p.next()))
		p.ok(raw.Quiet(p.ctx, p.w))
		p.came("get", dst, n, p.next())
		p.free(dst)
		p.free(src)
	}
}

// privateMemory puts from and gets to pinned Go memory, and memory of a peer.
func privateMemory(p *pe) {
	const n = 5
	var pinner runtime.Pinner
	defer pinner.Unpin()
	private := make([]int32, n)
	pinner.Pin(&private[0])
	src, dst := p.pair(n)
	p.ok(raw.Getmem(p.w, mem.Address(private), src, 4*n, p.next()))
	same(p, "got", private[n-1], int32(100*p.next()+n-1))
	p.ok(raw.Putmem(p.w, dst, mem.Address(private), 4*n, p.prev()))
	p.barrier()
	p.came("putmem of what the next PE got from its next", dst, n, (p.next()+1)%p.n)
	if p.near(p.prev()) {
		peer := must[uintptr](p)(raw.Ptr(p.w, src, p.prev()))
		p.ok(raw.Putmem(p.w, dst, peer, 4*n, p.me))
		p.ok(raw.Quiet(p.ctx, p.w))
		p.came("putmem from a peer's memory", dst, n, p.prev())
	}
	p.barrier()
	p.free(dst)
	p.free(src)
}

// empty moves nothing.
func empty(p *pe) {
	src, dst := p.pair(1)
	for _, do := range []move{raw.Putmem, raw.Getmem, raw.PutmemNbi, raw.GetmemNbi, raw.IntPut} {
		p.ok(do(p.w, dst, src, 0, p.next()))
	}
	p.barrier()
	same(p, "untouched", own[int32](p, dst, 1)[0], -1)
	p.free(dst)
	p.free(src)
}

// fence orders data before a flag, in both directions around a ring.
func fence(p *pe) {
	src, dst := p.pair(64)
	flag := p.malloc(8)
	for round := int64(1); round <= 50; round++ {
		own[int32](p, src, 64)[63] = int32(round)
		p.ok(raw.Putmem(p.w, dst, src, 4*64, p.next()))
		p.ok(raw.Fence(p.w))
		p.ok(raw.LongP(p.w, flag, round, p.next()))
		p.ok(raw.LongWaitUntil(p.ctx, p.w, flag, raw.CmpGe, round))
		same(p, "data behind the flag", own[int32](p, dst, 64)[63], int32(round))
		p.barrier()
	}
	p.free(flag)
	p.free(dst)
	p.free(src)
}

// quiet says that a put has arrived, without the other PE.
func quiet(p *pe) {
	src, dst := p.pair(8)
	back := p.malloc(32)
	p.ok(raw.PutmemNbi(p.w, dst, src, 32, p.next()))
	p.ok(raw.Quiet(p.ctx, p.w))
	p.ok(raw.Getmem(p.w, back, dst, 32, p.next()))
	p.came("what was put, after quiet", back, 8, p.me)
	p.barrier()
	p.free(back)
	p.free(dst)
	p.free(src)
}

// signals passes values round the ring: even rounds set the signal, odd rounds add.
func signals(p *pe) {
	src, dst := p.pair(4)
	sig := p.malloc(8)
	for round := uint64(1); round <= 10; round++ {
		op, value := raw.SignalSet, round
		if round%2 == 1 {
			op, value = raw.SignalAdd, 1
		}
		own[int32](p, src, 4)[0] = int32(round)
		p.ok(raw.PutmemSignal(p.w, dst, src, 16, sig, value, op, p.next()))
		same(p, "seen", must[uint64](p)(raw.SignalWaitUntil(p.ctx, p.w, sig, raw.CmpEq, round)), round)
		same(p, "data behind the signal", own[int32](p, dst, 4)[0], int32(round))
		same(p, "fetched", must[uint64](p)(raw.SignalFetch(p.w, sig)), round)
		p.barrier()
	}
	p.refused("a signal operation that is none", raw.PutmemSignal(p.w, dst, src, 16, sig, 1, 7, p.next()), shmem.ErrArgument)
	p.free(sig)
	p.free(dst)
	p.free(src)
}
