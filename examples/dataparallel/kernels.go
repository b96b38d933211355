package main

import (
	"errors"

	"github.com/goshmem/goshmem/gpu"
)

const source = `
extern "C" __global__ void gradient(float *g, const float *w, float rank, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) g[i] = w[i] + rank;
}
extern "C" __global__ void update(float *w, const float *g, float rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] -= rate * g[i];
}
`

// kernels are those of a step.
type kernels struct {
	module           *gpu.Module
	gradient, update *gpu.Function
}

// elementwise is a kernel in Go with the parameters out, in, factor, n.
func elementwise(f func(out, in *float32, factor float32)) gpu.HostKernel {
	return func(b gpu.Block) {
		n := int(gpu.Arg[int32](b, 3))
		out, in, factor := gpu.ArgSlice[float32](b, 0, n), gpu.ArgSlice[float32](b, 1, n), gpu.Arg[float32](b, 2)
		for i := range b.Each(n) {
			f(&out[i], &in[i], factor)
		}
	}
}

func compile(d *gpu.Device) (*kernels, error) {
	m, err := d.Compile(gpu.Program{Name: "step.cu", Device: source, Host: map[string]gpu.HostKernel{
		"gradient": elementwise(func(g, w *float32, rank float32) { *g = *w + rank }),
		"update":   elementwise(func(w, g *float32, rate float32) { *w -= rate * *g }),
	}})
	if err != nil {
		return nil, err
	}
	k := &kernels{module: m}
	if k.gradient, err = m.Function("gradient"); err == nil {
		k.update, err = m.Function("update")
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return k, nil
}

// Close unloads them.
func (k *kernels) Close() error { return k.module.Close() }
