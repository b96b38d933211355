package gpu_test

import (
	"errors"
	"sync/atomic"

	"github.com/goshmem/goshmem/gpu"
)

// source has the kernels of the tests in CUDA and HIP C++.
const source = `
typedef unsigned long long u64;

extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void count(u64* counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(counter, 1ULL);
}

extern "C" __global__ void place(int* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  out[(z * h + y) * w + x] = x + 100 * y + 10000 * z + 1000000 * blockDim.x;
}

extern "C" __global__ void types(double* out, signed char a, unsigned char b, short c, unsigned short d,
    int e, unsigned int f, long long g, u64 h, float i, double j, bool k) {
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f;
  out[6] = g; out[7] = h; out[8] = i; out[9] = j; out[10] = k;
}

extern "C" __global__ void store_all(const u64* peers, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ((int*)peers[i])[0] = value + i;
}

extern __shared__ unsigned int scratch[];

extern "C" __global__ void sum_shared(u64* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) scratch[i] = n - 1 - i;
  __syncthreads();
  u64 sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += scratch[n - 1 - i];
  atomicAdd(out, sum);
}

extern "C" __global__ void fault(int* p) { *(volatile int*)(((u64)p & 0) + 8) = 1; }
`

// kernels are the same in Go.
func kernels() gpu.Program {
	return gpu.Program{Name: "tests.cu", Device: source, Host: map[string]gpu.HostKernel{
		"saxpy": saxpy, "count": count, "place": place, "types": types, "store_all": storeAll, "sum_shared": sumShared, "fault": fault,
	}}
}

func saxpy(b gpu.Block) {
	n := int(gpu.Arg[int32](b, 3))
	y, x, a := gpu.ArgSlice[float32](b, 0, n), gpu.ArgSlice[float32](b, 1, n), gpu.Arg[float32](b, 2)
	for i := range b.Each(n) {
		y[i] = a*x[i] + y[i]
	}
}

func count(b gpu.Block) {
	counter := &gpu.ArgSlice[uint64](b, 0, 1)[0]
	for range b.Each(int(gpu.Arg[int32](b, 1))) {
		atomic.AddUint64(counter, 1)
	}
}

func place(b gpu.Block) {
	w, h := int(gpu.Arg[int32](b, 1)), int(gpu.Arg[int32](b, 2))
	for at := range b.Each3() {
		i := (at[2]*h+at[1])*w + at[0]
		gpu.ArgSlice[int32](b, 0, i+1)[i] = int32(at[0] + 100*at[1] + 10000*at[2] + 1000000*b.Threads[0])
	}
}

func types(b gpu.Block) {
	truth := map[bool]float64{true: 1}
	copy(gpu.ArgSlice[float64](b, 0, 11), []float64{
		float64(gpu.Arg[int8](b, 1)), float64(gpu.Arg[uint8](b, 2)), float64(gpu.Arg[int16](b, 3)), float64(gpu.Arg[uint16](b, 4)),
		float64(gpu.Arg[int32](b, 5)), float64(gpu.Arg[uint32](b, 6)), float64(gpu.Arg[int64](b, 7)), float64(gpu.Arg[uint64](b, 8)),
		float64(gpu.Arg[float32](b, 9)), gpu.Arg[float64](b, 10), truth[gpu.Arg[bool](b, 11)],
	})
}

func sumShared(b gpu.Block) {
	scratch := make([]uint32, gpu.Arg[int32](b, 1))
	for i := range scratch {
		scratch[i] = uint32(i)
	}
	for _, v := range scratch {
		gpu.ArgSlice[uint64](b, 0, 1)[0] += uint64(v)
	}
}

func storeAll(b gpu.Block) {
	n := int(gpu.Arg[int32](b, 1))
	peers := gpu.ArgSlice[uint64](b, 0, n)
	for i := range b.Each(n) {
		gpu.PeerSlice[int32](b, uintptr(peers[i]), 1)[0] = gpu.Arg[int32](b, 2) + int32(i)
	}
}

func fault(b gpu.Block) { gpu.PeerSlice[int32](b, 0, 1)[0] = 1 }

// noCompiler says whether a platform lacks the vendor's run-time compiler.
func noCompiler(err error) bool { return errors.Is(err, gpu.ErrUnsupported) }
