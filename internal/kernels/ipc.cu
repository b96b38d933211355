// Kernels of engine ipc that move, meet, wait, and change words; behind ipcjob.cu.

// ipc_barrier meets the others at the words that streams write and wait for too, if they
// do. How often two have met is what this PE has written to the other's memory, so that it
// can be replayed, and mixed with that.
extern "C" __global__ void ipc_barrier(Job j) {
	enter(j);
	__threadfence_system();
	for (int i = threadIdx.x; i < j.size; i += blockDim.x) {
		if (i == j.me)
			continue;
		u64 *theirs = (u64 *)(base(j, member(j, i)) + j.flags) + j.self;
		u64 n = peek(theirs) + 1;
		release(theirs, n);
		await(j, own(j, j.flags) + member(j, i), n);
	}
	leave(j);
}

// ipc_meet is a barrier of those who always meet in kernels.
extern "C" __global__ void ipc_meet(Job j) {
	__shared__ u64 turn[MAX_PES];
	begin(j, turn);
	meet(j, turn);
	end(j, turn);
}

// ipc_exchange is a broadcast, an fcollect or an alltoall.
extern "C" __global__ void ipc_exchange(Job j) {
	__shared__ u64 turn[MAX_PES];
	u64 lo = blockIdx.x * j.chunk, n = j.bytes - lo < j.chunk ? j.bytes - lo : j.chunk;
	begin(j, turn);
	if (j.staged)
		send(j, turn, lo, n);
	meet(j, turn);
	char *dst = (char *)own(j, j.dst) + lo;
	if (j.kind == BROADCAST)
		copy(dst, from(j, turn, j.root) + lo, n);
	else
		for (int k = 0; k < j.size; k++) {
			int i = (j.me + k) % j.size;
			copy(dst + i * j.bytes, from(j, turn, i) + lo, n);
		}
	if (!j.staged)
		meet(j, turn);
	end(j, turn);
}

extern "C" __global__ void ipc_put(char *dst, const char *src, u64 n) {
	u64 chunk = ((n + gridDim.x - 1) / gridDim.x + 15) / 16 * 16, lo = blockIdx.x * chunk;
	if (lo < n)
		copy(dst + lo, src + lo, n - lo < chunk ? n - lo : chunk);
}

// Wait is a wait for a word of the program.
struct Wait {
	Job j;
	u64 at, value;
	long long compare; // as engine.Compare
};

static __device__ bool holds(long long a, long long b, long long compare) {
	switch (compare) {
	case 0: return a == b;
	case 1: return a != b;
	case 2: return a > b;
	case 3: return a >= b;
	case 4: return a < b;
	}
	return a <= b;
}

extern "C" __global__ void ipc_wait(Wait w) {
	enter(w.j);
	const u64 *stop = own(w.j, w.j.head), *p = own(w.j, w.at);
	while (!holds(acquire(p), w.value, w.compare) && peek(stop) == 0) {
	}
	leave(w.j);
}

// Word is an atomic operation. Kind is as engine.AMOKind.
struct Word {
	u64 at, value, cond;
	u64 result; // where the old value goes; 0: nobody wants it
	int kind, width, real;
};

enum { FETCH, SET, SWAP, CSWAP, ADD, AND, OR, XOR };

template <class T> static __device__ T swap(T *p, T v) {
#ifdef __CUDACC__
	return atomicExch_system(p, v);
#else
	return __hip_atomic_exchange(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#endif
}

template <class T> static __device__ T cswap(T *p, T cond, T v) {
#ifdef __CUDACC__
	return atomicCAS_system(p, cond, v);
#else
	__hip_atomic_compare_exchange_strong(p, &cond, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
	return cond;
#endif
}

template <class T> static __device__ T add(T *p, T v) {
#ifdef __CUDACC__
	return atomicAdd_system(p, v);
#else
	return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#endif
}

template <class T> static __device__ T both(T *p, T v) {
#ifdef __CUDACC__
	return atomicAnd_system(p, v);
#else
	return __hip_atomic_fetch_and(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#endif
}

template <class T> static __device__ T either(T *p, T v) {
#ifdef __CUDACC__
	return atomicOr_system(p, v);
#else
	return __hip_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#endif
}

template <class T> static __device__ T differ(T *p, T v) {
#ifdef __CUDACC__
	return atomicXor_system(p, v);
#else
	return __hip_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#endif
}

// addReal adds floating-point numbers. No device has to be able to do that in another's
// memory; to exchange words all are.
template <class T, class F> static __device__ T addReal(T *p, T v) {
	union { T bits; F real; } more, sum;
	more.bits = v;
	for (T old = add<T>(p, 0);;) {
		sum.bits = old;
		sum.real += more.real;
		T was = cswap<T>(p, old, sum.bits);
		if (was == old)
			return old;
		old = was;
	}
}

template <class T, class F> static __device__ T apply(const Word &w) {
	T *p = (T *)w.at, v = (T)w.value;
	switch (w.kind) {
	case SET:
	case SWAP: return swap<T>(p, v);
	case CSWAP: return cswap<T>(p, (T)w.cond, v);
	case ADD: return w.real ? addReal<T, F>(p, v) : add<T>(p, v);
	case AND: return both<T>(p, v);
	case OR: return either<T>(p, v);
	case XOR: return differ<T>(p, v);
	}
	return add<T>(p, 0);
}

extern "C" __global__ void ipc_amo(Word w) {
	__threadfence_system(); // a signal follows what was stored before it
	u64 old = w.width == 4 ? apply<u32, float>(w) : apply<u64, double>(w);
	if (w.result)
		release((u64 *)w.result, old);
}
