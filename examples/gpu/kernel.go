package main

import "github.com/goshmem/goshmem/gpu"

const source = `
extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
`

// program is the kernel for GPUs of both vendors, and for none.
func program() gpu.Program {
	return gpu.Program{Name: "saxpy.cu", Device: source, Host: map[string]gpu.HostKernel{"saxpy": onHost}}
}

func onHost(b gpu.Block) {
	n := int(gpu.Arg[int32](b, 3))
	y, x, a := gpu.ArgSlice[float32](b, 0, n), gpu.ArgSlice[float32](b, 1, n), gpu.Arg[float32](b, 2)
	for i := range b.Each(n) {
		y[i] = a*x[i] + y[i]
	}
}
