package rocshmem

import (
	"errors"
	"math"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// forms are the libraries on which everything has to go: the newest, one without what is
// newer than 3.5, and one in which no PE's memory has an address elsewhere.
func forms(t *testing.T, n int, body func(p *pe)) {
	t.Helper()
	for name, definitions := range map[string][]string{"newest": nil, "old": {"-DOLD", `-DARCHIVE="3.8.0"`}, "far": {"-DFAR=1", "-DBACKEND=1", `-DBUILT="IPC"`}} {
		t.Run(name, func(t *testing.T) { planned(t, n, definitions...).run(t, body) })
	}
}

func TestPutAndGet(t *testing.T) {
	forms(t, 3, func(p *pe) {
		next, s := (p.rank+1)%p.n, p.newStream()
		const words = 20000 // more than passes through at once
		v := make([]uint64, words)
		for i := range v {
			v[i] = uint64(p.rank*words + i)
		}
		p.ok(p.Put(next, 64, unsafe.Pointer(&v[0]), 8*words))
		p.barrier(s)
		prev := (p.rank + p.n - 1) % p.n
		got := make([]uint64, words)
		p.ok(p.Get(p.rank, unsafe.Pointer(&got[0]), 64, 8*words))
		if got[0] != uint64(prev*words) || got[words-1] != uint64(prev*words+words-1) {
			p.Errorf("PE %d got %d to %d from PE %d", p.rank, got[0], got[words-1], prev)
		}
		p.ok(p.GetNBI(next, unsafe.Pointer(&got[0]), 64, 8*words))
		p.ok(p.Quiet(p.Context()))
		if got[1] != uint64(p.rank*words+1) {
			p.Errorf("PE %d reads %d from PE %d", p.rank, got[1], next)
		}
		p.barrier(s)
		foreign := p.foreign(4096) // memory of the device that is not symmetric
		p.write(8, uint64(p.rank)+7)
		p.ok(p.Get(p.rank, pointer(foreign), 8, 8))
		p.ok(p.Put(next, 16, pointer(foreign), 8))
		p.ok(p.Put(next, 24, pointer(device.Ptr(p.Base+8)), 8))
		p.barrier(s)
		p.has(16, uint64(prev)+7, uint64(prev)+7)
		p.ok(p.Commit(16, 8))
		p.has(16, 0, uint64(prev)+7)
		if v, err := p.Load(24, 4); err != nil || v != uint64(prev)+7 {
			p.Errorf("loads %d, %v", v, err)
		}
		p.barrier(s)
	})
}

// foreign is memory of the device that the library does not know.
func (p *pe) foreign(n uintptr) device.Ptr {
	p.Helper()
	at, err := p.GPU.Alloc(p.Dev, n)
	p.ok(err)
	return at
}

func pointer(p device.Ptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// TestAtomics: every operation on both widths, from all PEs at once.
func TestAtomics(t *testing.T) {
	planned(t, 3).run(t, func(p *pe) {
		s := p.newStream()
		amo := func(op engine.AMO, at engine.Offset) uint64 {
			old, err := p.Atomic(0, at, op)
			p.ok(err)
			return old
		}
		const rounds = 50
		for _, width := range []uint8{4, 8} {
			at := engine.Offset(width) * 8
			one := map[uint8]uint64{4: uint64(math.Float32bits(1)), 8: math.Float64bits(1)}[width]
			for range rounds {
				amo(engine.AMO{Kind: engine.AMOAdd, Width: width, Value: 1}, at)
				amo(engine.AMO{Kind: engine.AMOAdd, Width: width, Float: true, Value: one}, at+8)
				amo(engine.AMO{Kind: engine.AMOXor, Width: width, Value: 1 << 30}, at+16)
			}
			amo(engine.AMO{Kind: engine.AMOOr, Width: width, Value: 1 << p.rank}, at+16)
			p.barrier(s)
			if p.rank == 0 {
				word := func(off engine.Offset) uint64 { return amo(engine.AMO{Kind: engine.AMOFetch, Width: width}, off) }
				want := map[uint8]uint64{4: uint64(math.Float32bits(3 * rounds)), 8: math.Float64bits(3 * rounds)}[width]
				if word(at) != 3*rounds || word(at+8) != want || word(at+16) != 7 {
					p.Errorf("width %d: %d, %x, %x", width, word(at), word(at+8), word(at+16))
				}
				if old := amo(engine.AMO{Kind: engine.AMOSwap, Width: width, Value: 99}, at); old != 3*rounds {
					p.Errorf("swap has found %d", old)
				}
				amo(engine.AMO{Kind: engine.AMOCompareSwap, Width: width, Cond: 98, Value: 1}, at)
				if old := amo(engine.AMO{Kind: engine.AMOCompareSwap, Width: width, Cond: 99, Value: 6}, at); old != 99 {
					p.Errorf("compare-swap has found %d", old)
				}
				amo(engine.AMO{Kind: engine.AMOAnd, Width: width, Value: 3}, at)
				if old := amo(engine.AMO{Kind: engine.AMOSet, Width: width, Value: 5}, at); old != 2 || word(at) != 5 {
					p.Errorf("set has found %d and left %d", old, word(at))
				}
			}
			p.barrier(s)
		}
	})
}

// TestStreams: a ring in which each PE's stream waits for what the one before has put.
func TestStreams(t *testing.T) {
	forms(t, 3, func(p *pe) {
		next, prev, s := (p.rank+1)%p.n, (p.rank+p.n-1)%p.n, p.newStream()
		const sig, data, src = 0, 64, 128
		p.write(src, uint64(p.rank)+100)
		add := engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: 3}
		set := engine.AMO{Kind: engine.AMOSet, Width: 8, Value: 7}
		p.ok(p.WaitOn(s, sig, engine.CompareEQ, 7)) // the host goes on, the stream does not
		p.ok(p.GetOn(s, p.rank, device.Ptr(p.Base+256), data, 8))
		other := p.newStream()
		p.ok(p.PutSignalOn(other, next, data, device.Ptr(p.Base+src), 8, sig, set))
		p.finish(s)
		p.has(256, uint64(prev)+100)
		p.barrier(other)
		p.ok(p.SignalOn(other, next, sig, add))
		p.ok(p.WaitOn(s, sig, engine.CompareGE, 10))
		p.finish(s)
		p.has(sig, 10)
		p.barrier(other)
		p.ok(p.SignalOn(other, next, sig, set))
		p.ok(p.QuietOn(other))
		p.barrier(other)
		p.has(sig, 7)
		p.ok(p.PutOn(s, next, data, device.Ptr(p.Base+src), 8))
		p.ok(p.GetOn(s, next, device.Ptr(p.Base+264), src, 8))
		p.barrier(s)
		p.has(264, uint64(next)+100)
		foreign := p.foreign(8)
		if err := p.PutOn(s, next, data, foreign, 8); p.Peers[next] == 0 != errors.Is(err, device.ErrUnsupported) {
			p.Errorf("put of foreign memory: %v", err)
		}
		p.barrier(s)
	})
}

// TestGroups: teams of the library, and everything that their members do together.
func TestGroups(t *testing.T) {
	forms(t, 4, func(p *pe) {
		s := p.newStream()
		g, err := p.NewGroup(p.Context(), p.world, 1, 1, 2, 2) // PEs 1 and 3
		p.ok(err)
		if (g != nil) != (p.rank%2 == 1) {
			p.Errorf("PE %d in the team: %v", p.rank, g)
		}
		p.collectives(p.world, s)
		if g != nil {
			p.ok(g.SyncOn(s))
			p.collectives(g.(*group), s)
			sub, err := p.NewGroup(p.Context(), g, 2, 1, 1, 1)
			p.ok(err)
			if sub != nil {
				p.ok(sub.BarrierOn(s))
				p.finish(s)
				if m := sub.(*group); m.member(0) != 3 || p.rank != 3 {
					p.Errorf("PE %d is member %d", p.rank, m.member(0))
				}
				p.ok(sub.Close(p.Context()))
			}
			p.ok(g.Close(p.Context()))
		}
		p.barrier(s)
		if p.rank > 0 { // the first ones of a team that has no third
			return
		}
		if _, err := p.NewGroup(p.Context(), p.world, 1, 1, 2, 3); !errors.Is(err, device.ErrArgument) {
			p.Errorf("a team past the end: %v", err)
		}
	})
}

// collectives does each, and looks at what comes out.
func (p *pe) collectives(g *group, s device.Handle) {
	p.Helper()
	const src, dst = 4096, 8192
	n := uintptr(g.size)
	do := func(c engine.Collective) {
		p.Helper()
		c.Src, c.Dst = src, dst
		p.ok(g.CollectiveOn(s, &c))
		p.ok(g.BarrierOn(s))
		p.finish(s)
	}
	v := make([]uint64, n)
	value := func(from int, i uintptr) uint64 { return uint64(g.member(from)*100) + uint64(i) }
	all := func(f func(i int) uint64) []uint64 {
		list := make([]uint64, n)
		for i := range list {
			list[i] = f(i)
		}
		return list
	}
	for i := range n {
		v[i] = value(g.self, i)
	}
	p.write(src, v...)
	p.write(dst, make([]uint64, n)...)
	do(engine.Collective{Kind: engine.KindAllToAll, Bytes: 8})
	p.has(dst, all(func(i int) uint64 { return value(i, uintptr(g.self)) })...)
	do(engine.Collective{Kind: engine.KindFCollect, Bytes: 8})
	p.has(dst, all(func(i int) uint64 { return value(i, 0) })...)
	do(engine.Collective{Kind: engine.KindBroadcast, Bytes: 8 * n, Root: g.size - 1})
	p.has(dst, all(func(i int) uint64 { return value(g.size-1, uintptr(i)) })...)
	p.reductions(g, do, value)
}

// reductions does those of them that combine numbers: value is element i of a member.
func (p *pe) reductions(g *group, do func(engine.Collective), value func(from int, i uintptr) uint64) {
	p.Helper()
	const dst = 8192
	n := uintptr(g.size)
	sum := func(i int) (v uint64) {
		for m := range g.size {
			v += value(m, uintptr(i))
		}
		return v
	}
	do(engine.Collective{Kind: engine.KindAllReduce, Bytes: 8 * n, Elem: reduce.Uint64, Op: reduce.Sum})
	for i := range g.size {
		p.has(dst+engine.Offset(8*i), sum(i))
	}
	p.write(dst, 1, 2)
	do(engine.Collective{Kind: engine.KindReduce, Bytes: 8, Root: 1 % g.size, Elem: reduce.Int64, Op: reduce.Max})
	if g.self == 1%g.size {
		p.has(dst, value(g.size-1, 0), 2)
	} else {
		p.has(dst, 1, 2)
	}
	do(engine.Collective{Kind: engine.KindReduceScatter, Bytes: 8, Elem: reduce.Int64, Op: reduce.Sum})
	p.has(dst, sum(g.self), 2)
}

// TestReductionsOfTheLibrary: each type and operation that there is a function for finds
// the one of its name.
func TestReductionsOfTheLibrary(t *testing.T) {
	names := map[reduce.Type]string{reduce.Int16: "short", reduce.Int32: "int", reduce.Int64: "long", reduce.Uint16: "short", reduce.Uint32: "int", reduce.Uint64: "long", reduce.Float32: "float", reduce.Float64: "double"}
	found := 0
	for typ := reduce.Int8; typ <= reduce.Float8E5M2; typ++ {
		for op := reduce.Sum; op <= reduce.Xor; op++ {
			f, err := reductionOf(typ, op)
			signless := typ >= reduce.Uint8 && typ <= reduce.Uint64 && (op == reduce.Min || op == reduce.Max)
			float := typ >= reduce.Float32 && op > reduce.Prod
			if want := names[typ] != "" && !signless && !float; want != (err == nil) || (err != nil && !errors.Is(err, device.ErrUnsupported)) {
				t.Errorf("%v of %v: %v", op, typ, err)
			} else if err != nil {
				continue
			}
			want := "goshmem_rocshmem_ctx_" + names[typ] + "_" + op.String() + "_reduce_on_stream"
			if found++; symbolOf(f) != want {
				t.Errorf("%v of %v is %s, want %s", op, typ, symbolOf(f), want)
			}
		}
	}
	if found != 3*7+3*5+2*2 {
		t.Errorf("found %d", found)
	}
}

// TestRefused: what would crash the library is an error, and does not get there.
func TestRefused(t *testing.T) {
	planned(t, 1, "-DBACKEND=0", `-DBUILT="GDA"`).run(t, func(p *pe) {
		s := p.newStream()
		b := unsafe.Pointer(&make([]byte, 16)[0])
		set := engine.AMO{Kind: engine.AMOSet, Width: 8}
		atomic := func(pe int, at engine.Offset, op engine.AMO) error { _, err := p.Atomic(pe, at, op); return err }
		bad := engine.Collective{Kind: engine.KindAllToAll, Bytes: p.Bytes + 1}
		for i, err := range []error{
			p.Put(1, 0, b, 8), p.Put(-1, 0, b, 8), p.Put(0, p.Bytes-4, b, 8), p.Get(0, b, p.Bytes, 1), p.Put(0, ^engine.Offset(0), b, 2),
			atomic(0, 4, set), atomic(1, 0, set), p.WaitOn(s, 3, engine.CompareEQ, 0), p.WaitOn(s, 0, 9, 0), p.SignalOn(s, 0, 0, engine.AMO{Kind: engine.AMOXor, Width: 8}),
			p.SignalOn(s, 0, p.Bytes, set), p.PutOn(s, 2, 0, device.Ptr(p.Base), 8), p.GetOn(s, 0, device.Ptr(p.Base), p.Bytes, 8), p.Commit(p.Bytes, 8), p.Release(1, p.Bytes),
			p.world.CollectiveOn(s, &bad), p.world.CollectiveOn(s, &engine.Collective{Kind: engine.KindBarrier, Bytes: 1}), p.world.CollectiveOn(s, &engine.Collective{Kind: engine.KindBroadcast, Bytes: 1, Root: 1}),
		} {
			if !errors.Is(err, device.ErrArgument) {
				p.Errorf("call %d: %v", i, err)
			}
		}
		for i, err := range []error{
			atomic(0, 0, engine.AMO{Kind: engine.AMOAdd, Width: 4}), p.WaitOn(s, 0, engine.CompareLT, 1<<63),
			p.world.CollectiveOn(s, &engine.Collective{Kind: engine.KindAllReduce, Bytes: 8, Elem: reduce.BFloat16}),
		} {
			if !errors.Is(err, device.ErrUnsupported) {
				p.Errorf("call %d: %v", i, err)
			}
		}
		if err := p.SignalOn(device.Handle(1<<40), 0, 0, set); err == nil {
			p.Error("there is no such stream")
		}
		p.has(0, 0)
		if p.Address(0) == 0 || p.Poisoned() != nil || p.Size() != 1<<20 {
			p.Error("the memory does not know itself")
		}
	})
}
