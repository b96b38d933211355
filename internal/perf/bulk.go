package perf

import (
	_ "embed" // the kernels are a file

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
)

// bulkText is the kernels of a measurement of providers.
//
//go:embed provider.cu
var bulkText string

func bulkProgram() gpu.Program {
	return gpu.Program{Name: "provider.cu", Device: bulkText, Headers: provider.Headers(),
		Host: map[string]gpu.HostKernel{"bulk_put": bulkPut, "bulk_get": bulkGet, "chase": chase, "chase_raw": chaseRaw}}
}

// piece is a block's part of n bytes.
func piece(b gpu.Block, n int) (first uintptr, count int) {
	share := (n/b.Grid[0] + 63) &^ 63
	lo := min(n, share*b.Index[0])
	hi := min(n, lo+share)
	if b.Index[0] == b.Grid[0]-1 {
		hi = n
	}
	return uintptr(lo), hi - lo
}

func bulkPut(b gpu.Block) {
	first, n := piece(b, int(gpu.Arg[uint64](b, 2)))
	me, peer := int(gpu.Arg[int32](b, 3)), int(gpu.Arg[int32](b, 4))
	provider.Put[uint8](gpu.Arg[uintptr](b, 0)+first, gpu.Arg[uintptr](b, 1)+first, n, me, peer, provider.Peers(b, 5, max(me, peer)+1))
}

func bulkGet(b gpu.Block) {
	first, n := piece(b, int(gpu.Arg[uint64](b, 2)))
	me, peer := int(gpu.Arg[int32](b, 3)), int(gpu.Arg[int32](b, 4))
	provider.Get[uint8](gpu.Arg[uintptr](b, 0)+first, gpu.Arg[uintptr](b, 1)+first, n, me, peer, provider.Peers(b, 5, max(me, peer)+1))
}

func chase(b gpu.Block) {
	links, at := gpu.Arg[uintptr](b, 1), uint64(0)
	me, peer := int(gpu.Arg[int32](b, 3)), int(gpu.Arg[int32](b, 4))
	peers := provider.Peers(b, 5, max(me, peer)+1)
	for range gpu.Arg[uint64](b, 2) {
		at = provider.Load[uint64](links, int(at), me, peer, peers)
	}
	gpu.ArgSlice[uint64](b, 0, 1)[0] = at
}

func chaseRaw(b gpu.Block) {
	links, at := gpu.ArgSlice[uint64](b, 1, links*linkWords), uint64(0)
	for range gpu.Arg[uint64](b, 2) {
		at = links[at]
	}
	gpu.ArgSlice[uint64](b, 0, 1)[0] = at
}

// The links of a chase: so many, each in a cache line of its own.
const (
	links     = 4096
	linkWords = 16
)

// ring is links that visit all, in an order that no cache foresees.
func ring() []uint64 {
	words := make([]uint64, links*linkWords)
	for i := range links {
		next := (1229*i + 2221) % links // of full period
		words[i*linkWords] = uint64(next * linkWords)
	}
	return words
}
