// Kernels of goshmem, in what CUDA and HIP C++ have in common. No header is included,
// so that the run-time compilers need no installation beside themselves.
typedef unsigned long long u64;

// A symmetric address of PE from becomes PE to's: bases has every PE's heap. It stays a
// pointer on the way, so that AMD's compiler knows that it is global memory.
template <class T> static __device__ T *at(T *p, int from, int to, const u64 *bases) {
	return (T *)((char *)p + (bases[to] - bases[from]));
}

// Other devices and the CPU see these: their scope is the whole system.
static __device__ void add_system(u64 *p, u64 v) {
#ifdef __CUDACC__
	atomicAdd_system(p, v);
#else
	__hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#endif
}

static __device__ void release_system(u64 *p, u64 v) {
#ifdef __CUDACC__
	asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
#else
	__hip_atomic_store(p, v, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
#endif
}

extern "C" __global__ void saxpy(float *y, const float *x, float a, u64 n) {
	u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += a * x[i];
}

extern "C" __global__ void fill(float *p, float v, u64 n) {
	u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = v;
}

extern "C" __global__ void store_remote(float *p, float v, u64 n, int from, int to, const u64 *bases) {
	u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		at(p, from, to, bases)[i] = v + i;
}

extern "C" __global__ void add_remote(u64 *p, u64 v, int from, int to, const u64 *bases) {
	add_system(at(p, from, to, bases), v);
}

// put_signal is for one block: the signal follows what all of its threads stored.
extern "C" __global__ void put_signal(u64 *dst, const u64 *src, u64 n, u64 *signal, u64 v, int from, int to, const u64 *bases) {
	u64 *q = at(dst, from, to, bases);
	for (u64 i = threadIdx.x; i < n; i += blockDim.x)
		q[i] = src[i];
	__threadfence_system();
	__syncthreads();
	if (threadIdx.x == 0)
		release_system(at(signal, from, to, bases), v);
}
