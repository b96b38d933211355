package main

import (
	"maps"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
)

// block is how many elements a program has, as in kernels.py.
const block = 256

// looks is how often a wait looks before it gives up, as in kernels.py.
const looks = 1 << 22

// everyHost is kernels.py in Go.
func everyHost() map[string]gpu.HostKernel {
	all := map[string]gpu.HostKernel{"send_fp32": send, "receive_fp32": receive}
	for _, list := range []map[string]gpu.HostKernel{
		movers[int8]("i8"), movers[int16]("i16"), movers[int32]("i32"), movers[int64]("i64"),
		movers[dtype.Float16]("fp16"), movers[dtype.BFloat16]("bf16"), movers[float32]("fp32"), movers[float64]("fp64"),
		adders[int32]("i32"), adders[int64]("i64"), adders[float32]("fp32"), bitwise[int32]("i32"), bitwise[int64]("i64"),
	} {
		maps.Copy(all, list)
	}
	return all
}

// numbers are the arguments of a launch from i on.
func numbers(b gpu.Block, i int) [3]int {
	return [3]int{int(gpu.Arg[int32](b, i)), int(gpu.Arg[int32](b, i+1)), int(gpu.Arg[int32](b, i+2))}
}

// each calls f for the elements of a program.
func each(b gpu.Block, n int, f func(i int)) {
	for i := b.Index[0] * block; i < min(n, (b.Index[0]+1)*block); i++ {
		f(i)
	}
}

// mover is a kernel of two arrays and a peer.
func mover(f func(dst, src uintptr, i, me, peer int, peers []int64)) gpu.HostKernel {
	return func(b gpu.Block) {
		a, dst, src := numbers(b, 2), gpu.Arg[uintptr](b, 0), gpu.Arg[uintptr](b, 1)
		peers := provider.Peers(b, 5, max(a[1], a[2])+1)
		each(b, a[0], func(i int) { f(dst, src, i, a[1], a[2], peers) })
	}
}

func movers[T provider.Element](kind string) map[string]gpu.HostKernel {
	here := func(p uintptr, i int) uintptr { return p + uintptr(i*sizeOf[T]()) }
	return map[string]gpu.HostKernel{
		"load_" + kind: mover(func(dst, src uintptr, i, me, peer int, peers []int64) {
			provider.Store(dst, i, provider.Load[T](src, i, me, peer, peers), me, me, peers)
		}),
		"store_" + kind: mover(func(dst, src uintptr, i, me, peer int, peers []int64) {
			provider.Store(dst, i, provider.Load[T](src, i, me, me, peers), me, peer, peers)
		}),
		"get_" + kind: mover(func(dst, src uintptr, i, me, peer int, peers []int64) {
			provider.Get[T](here(dst, i), here(src, i), 1, me, peer, peers)
		}),
		"put_" + kind: mover(func(dst, src uintptr, i, me, peer int, peers []int64) {
			provider.Put[T](here(dst, i), here(src, i), 1, me, peer, peers)
		}),
		"copy_" + kind: func(b gpu.Block) {
			n, from, to, me := int(gpu.Arg[int32](b, 2)), int(gpu.Arg[int32](b, 3)), int(gpu.Arg[int32](b, 4)), int(gpu.Arg[int32](b, 5))
			dst, src, peers := gpu.Arg[uintptr](b, 0), gpu.Arg[uintptr](b, 1), provider.Peers(b, 6, max(from, to, me)+1)
			each(b, n, func(i int) { provider.Copy[T](here(dst, i), here(src, i), 1, from, to, me, peers) })
		},
	}
}

// atomic is a kernel that combines arrays with a peer's, and keeps what was there.
func atomic[T provider.Element](op func(p uintptr, i int, v T, me, to int, peers []int64) T) gpu.HostKernel {
	return func(b gpu.Block) {
		a, dst := numbers(b, 3), gpu.Arg[uintptr](b, 0)
		peers, old, values := provider.Peers(b, 6, max(a[1], a[2])+1), gpu.ArgSlice[T](b, 1, a[0]), gpu.ArgSlice[T](b, 2, a[0])
		each(b, a[0], func(i int) { old[i] = op(dst, i, values[i], a[1], a[2], peers) })
	}
}

func adders[T provider.Element](kind string) map[string]gpu.HostKernel {
	return map[string]gpu.HostKernel{
		"atomic_add_" + kind:  atomic(provider.AtomicAdd[T]),
		"atomic_sub_" + kind:  atomic(provider.AtomicSub[T]),
		"atomic_xchg_" + kind: atomic(provider.AtomicXchg[T]),
		"atomic_min_" + kind:  atomic(provider.AtomicMin[T]),
		"atomic_max_" + kind:  atomic(provider.AtomicMax[T]),
	}
}

func bitwise[T int32 | int64](kind string) map[string]gpu.HostKernel {
	return map[string]gpu.HostKernel{
		"atomic_and_" + kind: atomic(provider.AtomicAnd[T]),
		"atomic_or_" + kind:  atomic(provider.AtomicOr[T]),
		"atomic_xor_" + kind: atomic(provider.AtomicXor[T]),
		"atomic_cas_" + kind: func(b gpu.Block) {
			dst, old, values, expected := gpu.Arg[uintptr](b, 0), gpu.ArgSlice[T](b, 1, block), gpu.ArgSlice[T](b, 2, block), gpu.ArgSlice[T](b, 3, block)
			me, peer := int(gpu.Arg[int32](b, 4)), int(gpu.Arg[int32](b, 5))
			peers := provider.Peers(b, 6, max(me, peer)+1)
			each(b, block, func(i int) { old[i] = provider.AtomicCAS(dst, i, expected[i], values[i], me, peer, peers) })
		},
		"count_" + kind: func(b gpu.Block) {
			me, peer := int(gpu.Arg[int32](b, 1)), int(gpu.Arg[int32](b, 2))
			provider.AtomicAdd[T](gpu.Arg[uintptr](b, 0), 0, 1, me, peer, provider.Peers(b, 3, max(me, peer)+1))
		},
	}
}

func send(b gpu.Block) {
	a, box, flag, src := numbers(b, 3), gpu.Arg[uintptr](b, 0), gpu.Arg[uintptr](b, 1), gpu.Arg[uintptr](b, 2)
	peers := provider.Peers(b, 6, max(a[1], a[2])+1)
	provider.Put[float32](box, src, a[0], a[1], a[2], peers)
	provider.AtomicXchg[int64](flag, 0, 1, a[1], a[2], peers)
}

func receive(b gpu.Block) {
	n, me := int(gpu.Arg[int32](b, 4)), int(gpu.Arg[int32](b, 5))
	dst, box, flag, peers := gpu.Arg[uintptr](b, 0), gpu.Arg[uintptr](b, 1), gpu.Arg[uintptr](b, 2), provider.Peers(b, 6, me+1)
	looked := int32(looks)
	if provider.WaitUntil(flag, 1, looks) && provider.AtomicCAS[int64](flag, 0, 1, 0, me, me, peers) == 1 {
		looked = 0
	}
	for i := range n {
		provider.Store(dst, i, provider.Load[float32](box, i, me, me, peers), me, me, peers)
	}
	gpu.ArgSlice[int32](b, 3, 1)[0] = looked
}
