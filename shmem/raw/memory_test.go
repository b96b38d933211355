package raw_test

import (
	"math"

	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

func mallocFree(p *pe) {
	ptr := p.malloc(1024)
	same(p, "bytes", len(own[byte](p, ptr, 1024)), 1024)
	same(p, "ptr to self", must[uintptr](p)(raw.Ptr(p.w, ptr, p.me)), ptr)
	p.free(ptr)
	_, err := raw.Malloc(p.ctx, p.w, 2<<20)
	p.refused("malloc of more than there is", err, shmem.ErrNoMemory)
	if p.n > 1 {
		_, err = raw.Malloc(p.ctx, p.w, 16+p.me)
		p.refused("malloc of different sizes", err, shmem.ErrMismatch)
	}
}

func callocs(p *pe) {
	ptr := must[uintptr](p)(raw.Calloc(p.ctx, p.w, 64, 4))
	for i, v := range own[int32](p, ptr, 64) {
		if v != 0 {
			p.Errorf("element %d is %d", i, v)
		}
	}
	own[int32](p, ptr, 64)[5] = 1
	p.free(ptr)
	ptr = must[uintptr](p)(raw.Calloc(p.ctx, p.w, 4, 64))
	same(p, "where another value was", own[int32](p, ptr, 64)[5], 0)
	p.free(ptr)
	for _, c := range [][2]int{{0, 4}, {4, 0}, {0, 0}, {-1, 4}, {-2, -2}} {
		_, err := raw.Calloc(p.ctx, p.w, c[0], c[1])
		p.refused("calloc of nothing", err, shmem.ErrArgument)
	}
	for _, c := range [][2]int{{math.MaxInt, 2}, {2, math.MaxInt}, {1 << 33, 1 << 33}} {
		_, err := raw.Calloc(p.ctx, p.w, c[0], c[1])
		p.refused("calloc of more than there can be", err, shmem.ErrNoMemory)
	}
}

func aligns(p *pe) {
	odd := p.malloc(1)
	for _, n := range []int{8, 64, 256, 4096} {
		ptr := must[uintptr](p)(raw.Align(p.ctx, p.w, n, 100))
		same(p, "remainder", ptr%uintptr(n), 0)
		p.free(ptr)
	}
	p.free(odd)
	for _, n := range []int{0, 3, 24, -8, 8192} {
		_, err := raw.Align(p.ctx, p.w, n, 100)
		p.refused("align", err, shmem.ErrArgument)
	}
}

// frees passes to Free what no allocation returned, on one PE or on all.
func frees(p *pe) {
	ptr, private := p.malloc(1024), make([]int64, 1)
	bad := func(what string, addr uintptr, want error) {
		p.refused("free of "+what, raw.Free(p.ctx, p.w, addr), want)
	}
	bad("the middle", ptr+128, shmem.ErrFreed)
	bad("nothing", 0, shmem.ErrForeign)
	bad("private memory", mem.Address(private), shmem.ErrForeign)
	if p.n > 1 {
		addr, want := ptr, shmem.ErrMismatch
		if p.me == p.n-1 {
			addr, want = ptr+8, shmem.ErrFreed
		}
		p.refused("free of a wrong address on the last PE", raw.Free(p.ctx, p.w, addr), want)
	}
	p.free(ptr)
	bad("freed memory", ptr, shmem.ErrFreed)
}

func pointers(p *pe) {
	ptr := p.malloc(16)
	own[int64](p, ptr, 2)[1] = int64(p.me)
	p.barrier()
	table := must[[]uintptr](p)(raw.GetPeerPtrTable(p.w, ptr))
	same(p, "entries", len(table), p.n)
	same(p, "own entry", table[p.me], ptr)
	for pe, addr := range table {
		same(p, "Ptr", must[uintptr](p)(raw.Ptr(p.w, ptr, pe)), addr)
		same(p, "entry by the old name", must[[]uintptr](p)(raw.GetHeapBases(p.w, ptr))[pe], addr)
		same(p, "entry of a PE that cannot be reached", addr == 0, !p.near(pe))
		if addr != 0 {
			same(p, "value there", mem.At[int64](addr, 2)[1], int64(pe))
			same(p, "Ptr inside", must[uintptr](p)(raw.Ptr(p.w, ptr+8, pe)), addr+8)
		}
	}
	p.barrier()
	p.free(ptr)
}

// registers registers ordinary memory, and what cannot be.
func registers(p *pe) {
	memory := make([]byte, 300)
	at := mem.Address(memory)
	p.ok(raw.BufferRegister(p.w, at+100, 100))
	for what, r := range map[string]struct {
		addr   uintptr
		length int
	}{
		"nothing": {0, 8}, "no bytes": {at, 0}, "less than that": {at, -1},
		"the same again": {at + 100, 100}, "its end": {at + 199, 10}, "its beginning": {at, 101}, "more": {at, 300}, "less": {at + 150, 1},
	} {
		p.refused("register "+what, raw.BufferRegister(p.w, r.addr, r.length), shmem.ErrArgument)
	}
	p.ok(raw.BufferRegister(p.w, at, 100))
	p.ok(raw.BufferRegister(p.w, at+200, 100))
	p.refused("unregister of the middle", raw.BufferUnregister(p.w, at+101), shmem.ErrArgument)
	p.refused("unregister of nothing", raw.BufferUnregister(p.w, 0), shmem.ErrArgument)
	p.ok(raw.BufferUnregister(p.w, at+100))
	p.refused("unregister, again", raw.BufferUnregister(p.w, at+100), shmem.ErrArgument)
	p.ok(raw.BufferRegister(p.w, at+100, 100))
	p.ok(raw.BufferUnregisterAll(p.w))
	for _, off := range []uintptr{0, 100, 200} {
		p.refused("unregister after all", raw.BufferUnregister(p.w, at+off), shmem.ErrArgument)
	}
}

// contexts completes a put through a context of its own.
func contexts(p *pe) {
	src, dst := p.pair(4)
	c, err := raw.CtxCreate(p.w, raw.CtxSerialized|raw.CtxZero)
	p.ok(err)
	same(p, "options", c.Options(), shmem.ContextOptions{Serialized: true})
	a, err := shmem.ObjectAt[int32](p.w, dst, 4)
	p.ok(err)
	far, err := a.Via(c)
	p.ok(err)
	p.ok(far.PutSlice(own[int32](p, src, 4), p.next()))
	p.ok(raw.CtxFence(c))
	p.ok(raw.CtxQuiet(p.ctx, c))
	p.barrier()
	p.came("put through a context", dst, 4, p.prev())
	p.ok(raw.CtxDestroy(p.ctx, c))
	p.refused("fence of a destroyed context", raw.CtxFence(c), shmem.ErrClosed)
	p.free(dst)
	p.free(src)
}
