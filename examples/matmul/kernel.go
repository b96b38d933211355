package main

import (
	_ "embed" // the kernel is a file

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
)

//go:embed matmul.cu
var source string

// program is the kernel for GPUs of both vendors, and in Go for machines without.
func program() gpu.Program {
	return gpu.Program{Name: "matmul.cu", Device: source, Headers: provider.Headers(), Host: map[string]gpu.HostKernel{"matmul": matmul}}
}

func matmul(b gpu.Block) {
	rows, k, n := int(gpu.Arg[int64](b, 3)), int(gpu.Arg[int64](b, 4)), int(gpu.Arg[int64](b, 5))
	me, ranks := int(gpu.Arg[int32](b, 6)), int(gpu.Arg[int32](b, 7))
	peers := provider.Peers(b, 8, ranks)
	c, right := gpu.ArgSlice[float32](b, 0, rows*ranks*n), gpu.ArgSlice[float32](b, 2, k*n)
	for at := range b.Each(len(c)) {
		row, column := at/n, at%n
		theirs := provider.Translate(gpu.Arg[uintptr](b, 1), me, row/rows, peers)
		left := gpu.PeerSlice[float32](b, theirs+4*uintptr(row%rows*k), k)
		s := float32(0)
		for i, v := range left {
			s += v * right[i*n+column]
		}
		c[at] = s
	}
}
