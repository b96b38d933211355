package conformance

import (
	"reflect"

	"github.com/goshmem/goshmem/shmem"
)

func objectChecks() []Check {
	return []Check{
		check("object: an address inside an array", 1, objectInside),
		check("object: no array there", 1, objectElsewhere),
		check("register: memory is known once", 1, registered),
	}
}

// address is where the own copy begins.
func address[T any](p *pe, a shmem.Array[T]) uintptr {
	p.Helper()
	at, err := a.Address(p.me)
	p.ok(err)
	return at
}

// objectInside moves data by arrays that were made of addresses, also of another type.
func objectInside(p *pe) {
	a := alloc[uint64](p, 10)
	at5, err := shmem.ObjectAt[uint64](p.w, address(p, a)+40, 5)
	p.ok(err)
	same(p, at5.Len(), 5, "length")
	p.ok(at5.P(4, hash(p.me), p.next()))
	halves, err := shmem.ObjectAt[uint32](p.w, address(p, a)+4, 2)
	p.ok(err)
	p.ok(halves.P(1, 77, p.next()))
	none, err := shmem.ObjectAt[uint64](p.w, address(p, a)+8, 0)
	p.ok(err)
	same(p, none.Len(), 0, "length of nothing")
	p.barrier()
	same(p, g(p, a, 9, p.next()), hash(p.me), "last element, put by its address")
	same(p, at(p, a, 1), 77, "half an element")
	b, err := shmem.Alloc[byte](p.ctx, p.w, 3)
	p.ok(err)
	whole, err := shmem.ObjectAt[byte](p.w, address(p, b), 3)
	p.ok(err)
	p.ok(whole.Free(p.ctx)) // it is the array
	p.is(b.Set(0, 1), shmem.ErrFreed, "use of an array that was freed by its address")
}

func objectElsewhere(p *pe) {
	a := alloc[uint64](p, 10)
	start := address(p, a)
	private := new([2]uint64)
	info := p.w.Info()
	for what, err := range map[string]error{
		"past the end of the array":      second(shmem.ObjectAt[uint64](p.w, start+72, 2)),
		"longer than the heap":           second(shmem.ObjectAt[uint64](p.w, start, info.HeapSize/8+1)),
		"fewer than no elements":         second(shmem.ObjectAt[uint64](p.w, start, -1)),
		"private memory":                 second(shmem.ObjectAt[uint64](p.w, reflect.ValueOf(private).Pointer(), 1)),
		"no address":                     second(shmem.ObjectAt[uint64](p.w, 0, 1)),
		"the last address":               second(shmem.ObjectAt[byte](p.w, ^uintptr(0), 1)),
		"a length that overflows":        second(shmem.ObjectAt[odd129](p.w, start, 1<<62)),
		"past the end, of another type":  second(shmem.ObjectAt[odd129](p.w, start, 1)),
		"past the end of the whole heap": second(shmem.ObjectAt[byte](p.w, start+uintptr(info.HeapSize), 1)),
	} {
		p.is(err, shmem.ErrBounds, what)
	}
	p.is(second(shmem.ObjectAt[byte](p.w, start+80, 1)), shmem.ErrFreed, "the end of the array")
	p.is(second(shmem.ObjectAt[uint64](p.w, start+4, 1)), shmem.ErrArgument, "half an element on")
	p.is(second(shmem.ObjectAt[*int](p.w, start, 1)), shmem.ErrArgument, "an array of pointers")
	before := p.w.HeapStats()
	b, err := shmem.Alloc[uint64](p.ctx, p.w, 1)
	p.ok(err)
	gone := address(p, b)
	p.ok(b.Release())
	p.is(second(shmem.ObjectAt[uint64](p.w, gone, 1)), shmem.ErrFreed, "a released array")
	p.barrier()
	p.settle(before, 1)
	p.is(second(shmem.ObjectAt[uint64](p.w, gone, 1)), shmem.ErrFreed, "a freed array")
	p.barrier()
}

// registered: empty, overlapping and unknown memory is refused.
func registered(p *pe) {
	mem := make([]uint32, 100)
	p.is(shmem.Register[uint32](p.w, nil), shmem.ErrArgument, "no memory")
	p.is(shmem.Register(p.w, mem[5:5]), shmem.ErrArgument, "empty memory")
	p.is(shmem.Register(p.w, make([]struct{}, 5)), shmem.ErrArgument, "memory without size")
	p.is(shmem.Unregister(p.w, mem), shmem.ErrArgument, "unregister what was never registered")
	p.ok(shmem.Register(p.w, mem[10:20]))
	for _, again := range [][]uint32{mem, mem[10:20], mem[19:21], mem[9:11], mem[12:13]} {
		p.is(shmem.Register(p.w, again), shmem.ErrArgument, "overlapping memory")
	}
	p.ok(shmem.Register(p.w, mem[20:30])) // neighbours share nothing
	p.ok(shmem.Register(p.w, mem[9:10]))
	p.is(shmem.Unregister(p.w, mem[11:20]), shmem.ErrArgument, "unregister from the middle on")
	p.ok(shmem.Unregister(p.w, mem[10:11])) // the beginning tells
	p.is(shmem.Unregister(p.w, mem[10:20]), shmem.ErrArgument, "unregister twice")
	p.ok(shmem.Register(p.w, mem[10:20]))
	a := alloc[uint32](p, 10)
	p.ok(a.PutSlice(mem[10:20], p.next())) // registered or not, it is memory
	p.ok(p.w.UnregisterAll())
	p.ok(p.w.UnregisterAll())
	p.ok(shmem.Register(p.w, mem))
	p.ok(shmem.Unregister(p.w, mem))
}
