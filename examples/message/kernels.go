package main

import (
	_ "embed" // the kernels are a file
	"math"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
)

//go:embed message.cu
var source string

// program is the kernels for GPUs of both vendors, and in Go for machines without.
func program() gpu.Program {
	return gpu.Program{Name: "message.cu", Device: source, Headers: provider.Headers(), Host: map[string]gpu.HostKernel{"produce": produce, "consume": consume}}
}

func produce(b gpu.Block) {
	box, full, empty := gpu.Arg[uintptr](b, 0), gpu.Arg[uintptr](b, 1), gpu.Arg[uintptr](b, 2)
	round, n := gpu.Arg[uint64](b, 3), gpu.Arg[uint64](b, 4)
	me, to := int(gpu.Arg[int32](b, 5)), int(gpu.Arg[int32](b, 6))
	peers := provider.Peers(b, 7, max(me, to)+1)
	provider.WaitUntil(empty, round-1, math.MaxInt)
	for i := range int(n) {
		provider.Store(box, i, round*uint64(me+1)+uint64(i), me, to, peers)
	}
	provider.AtomicXchg(full, 0, round, me, to, peers) // ordered after the stores
}

func consume(b gpu.Block) {
	box, full, empty, total := gpu.Arg[uintptr](b, 0), gpu.Arg[uintptr](b, 1), gpu.Arg[uintptr](b, 2), gpu.ArgSlice[uint64](b, 3, 1)
	round, n := gpu.Arg[uint64](b, 4), gpu.Arg[uint64](b, 5)
	me, from := int(gpu.Arg[int32](b, 6)), int(gpu.Arg[int32](b, 7))
	peers := provider.Peers(b, 8, max(me, from)+1)
	provider.WaitUntil(full, round, math.MaxInt)
	for i := range int(n) {
		total[0] += provider.Load[uint64](box, i, me, me, peers)
	}
	provider.AtomicXchg(empty, 0, round, me, from, peers)
}
