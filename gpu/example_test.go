package gpu_test

import (
	"context"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
)

// The same program on a GPU and without one: here it names the platform that always is.
func Example() {
	d, err := gpu.Open("host") // or gpu.Best()
	if err != nil {
		panic(err)
	}
	x, err := gpu.Alloc[float32](d, 4)
	if err != nil {
		panic(err)
	}
	defer x.Close()
	m, err := d.Compile(gpu.Program{
		Device: `extern "C" __global__ void scale(float* x, float a, int n) {
			int i = blockIdx.x * blockDim.x + threadIdx.x;
			if (i < n) x[i] *= a;
		}`,
		Host: map[string]gpu.HostKernel{"scale": func(b gpu.Block) {
			n := int(gpu.Arg[int32](b, 2))
			x, a := gpu.ArgSlice[float32](b, 0, n), gpu.Arg[float32](b, 1)
			for i := range b.Each(n) {
				x[i] *= a
			}
		}},
	})
	if err != nil {
		panic(err)
	}
	defer m.Close()
	f, err := m.Function("scale")
	if err != nil {
		panic(err)
	}
	data := []float32{1, 2, 3, 4}
	if err := x.CopyFrom(data, nil); err != nil {
		panic(err)
	}
	if err := f.Launch(nil, gpu.Grid(x.Len(), 256), x, float32(10), int32(x.Len())); err != nil {
		panic(err)
	}
	if err := x.CopyTo(data, nil); err != nil {
		panic(err)
	}
	fmt.Println(data)
	// Output: [10 20 30 40]
}

// Two streams of one device, ordered by an event.
func ExampleStream_Wait() {
	d, err := gpu.Open("host")
	if err != nil {
		panic(err)
	}
	x, err := gpu.Alloc[int32](d, 3)
	if err != nil {
		panic(err)
	}
	defer x.Close()
	first, err := d.NewStream()
	if err != nil {
		panic(err)
	}
	defer first.Close()
	second, err := d.NewStream()
	if err != nil {
		panic(err)
	}
	defer second.Close()
	if err := x.FillAsync(1, first); err != nil {
		panic(err)
	}
	done, err := first.Record()
	if err != nil {
		panic(err)
	}
	defer done.Close()
	if err := second.Wait(done); err != nil {
		panic(err)
	}
	if err := x.FillAsync(2, second); err != nil {
		panic(err)
	}
	if err := second.Synchronize(context.Background()); err != nil {
		panic(err)
	}
	v, err := x.At(0)
	fmt.Println(v, err)
	// Output: 2 <nil>
}
