// What the kernels of engine ipc have in common, in what CUDA and HIP C++ have in common;
// see kernels.cu. It is compiled together with ipc.cu, and with ipcreduce.cu.
typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

// Job is what a kernel that meets the same kernel of other PEs has to know. The layout
// is that of the Go type of the same name. Offsets are into every PE's memory.
struct Job {
	u64 bases;      // where the table of all PEs' memory is
	u64 head;       // words of this PE, see HEAD
	u64 flags;      // by PE: barriers
	u64 came, sent; // by block and PE: meetings
	u64 room;       // in which data passes: two halves, in which each member has a part
	u64 half, part;
	u64 dst, src;
	u64 bytes; // that one member gives to one other
	u64 chunk; // of a block
	int pes, self, first, stride, size, me; // in the world, and in the team
	int root, kind, op, elem;
	int staged; // data passes through the room
	int within; // of an fcollect: the source of each member is where its part of dst is
};

#define HEAD_ENTERED 128
#define HEAD_LEFT 256
#define MAX_PES 256

enum { BROADCAST, FCOLLECT, ALLTOALL, ALLREDUCE, REDUCE, REDUCESCATTER };

// What other devices and the CPU see has the scope of the whole system.
#ifdef __CUDACC__
static __device__ u64 peek(const u64 *p) {
	u64 v;
	asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}
static __device__ u64 acquire(const u64 *p) {
	u64 v;
	asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}
static __device__ void release(u64 *p, u64 v) {
	asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
static __device__ void count(u64 *p) { atomicAdd_system(p, 1ull); }
#else
static __device__ u64 peek(const u64 *p) { return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); }
static __device__ u64 acquire(const u64 *p) { return __hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM); }
static __device__ void release(u64 *p, u64 v) { __hip_atomic_store(p, v, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM); }
static __device__ void count(u64 *p) { __hip_atomic_fetch_add(p, 1ull, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); }
#endif

static __device__ char *base(const Job &j, int pe) { return (char *)((const u64 *)j.bases)[pe]; }
static __device__ int member(const Job &j, int i) { return j.first + i * j.stride; }
static __device__ u64 *own(const Job &j, u64 off) { return (u64 *)(base(j, j.self) + off); }

// await returns when a word has come to v, or when what waits is told to give up.
static __device__ void await(const Job &j, const u64 *p, u64 v) {
	const u64 *stop = own(j, j.head);
	while ((long long)(acquire(p) - v) < 0 && peek(stop) == 0) {
	}
}

static __device__ void enter(const Job &j) {
	if (threadIdx.x == 0)
		count(own(j, j.head + HEAD_ENTERED));
}

static __device__ void leave(const Job &j) {
	__syncthreads();
	if (threadIdx.x == 0)
		count(own(j, j.head + HEAD_LEFT));
}

// begin reads how often this block has met the same block of each member.
static __device__ void begin(const Job &j, u64 *turn) {
	enter(j);
	for (int i = threadIdx.x; i < j.size; i += blockDim.x)
		turn[i] = own(j, j.sent)[(u64)blockIdx.x * j.pes + member(j, i)];
	__syncthreads();
}

// end keeps that for the next kernel.
static __device__ void end(const Job &j, const u64 *turn) {
	for (int i = threadIdx.x; i < j.size; i += blockDim.x)
		own(j, j.sent)[(u64)blockIdx.x * j.pes + member(j, i)] = turn[i];
	leave(j);
}

// meet tells the same block of all members that this one has come, with all that its
// threads have stored, and waits for them.
static __device__ void meet(const Job &j, u64 *turn) {
	__threadfence_system();
	__syncthreads();
	for (int i = threadIdx.x; i < j.size; i += blockDim.x) {
		turn[i]++;
		if (i != j.me)
			release((u64 *)(base(j, member(j, i)) + j.came) + (u64)blockIdx.x * j.pes + j.self, turn[i]);
	}
	for (int i = threadIdx.x; i < j.size; i += blockDim.x)
		if (i != j.me)
			await(j, own(j, j.came) + (u64)blockIdx.x * j.pes + member(j, i), turn[i]);
	__syncthreads();
}

// Wide is as much as a thread loads at once. NVIDIA's compilers are told so, for they may
// make two loads of it.
struct alignas(16) Wide { u64 a, b; };

template <class W> static __device__ W get(const W *p) { return *p; }
template <class W> static __device__ void set(W *p, W v) { *p = v; }
#ifdef __CUDACC__
template <> __device__ Wide get(const Wide *p) {
	Wide v;
	asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(v.a), "=l"(v.b) : "l"(p) : "memory");
	return v;
}
template <> __device__ void set(Wide *p, Wide v) {
	asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(v.a), "l"(v.b) : "memory");
}
#endif

// move copies n words by all threads of the block, four at a time in flight.
template <class W> static __device__ void move(char *to, const char *from, u64 n) {
	W *dst = (W *)to;
	const W *src = (const W *)from;
	u64 i = threadIdx.x, step = blockDim.x;
	for (; i + 3 * step < n; i += 4 * step) {
		W a = get(src + i), b = get(src + i + step), c = get(src + i + 2 * step), d = get(src + i + 3 * step);
		set(dst + i, a);
		set(dst + i + step, b);
		set(dst + i + 2 * step, c);
		set(dst + i + 3 * step, d);
	}
	for (; i < n; i += step)
		set(dst + i, get(src + i));
}

// copy copies n bytes by all threads, in words as wide as the addresses allow.
static __device__ void copy(char *dst, const char *src, u64 n) {
	u64 odd = (u64)dst | (u64)src, done = 0;
	if (dst == src)
		return;
	if (odd % 16 == 0) {
		move<Wide>(dst, src, n / 16);
		done = n / 16 * 16;
	} else if (odd % 4 == 0) {
		move<u32>(dst, src, n / 4);
		done = n / 4 * 4;
	}
	move<u8>(dst + done, src + done, n - done);
}

static __device__ bool scatters(const Job &j) { return j.kind == ALLTOALL || j.kind == REDUCESCATTER; }

// gives says whether data goes from this member to member i.
static __device__ bool gives(const Job &j, int i) {
	switch (j.kind) {
	case BROADCAST: return j.me == j.root;
	case REDUCE: return i == j.root;
	}
	return true;
}

// send puts this block's chunk, which begins at lo, into the rooms of all members that
// get it, in the half whose turn is next.
static __device__ void send(const Job &j, const u64 *turn, u64 lo, u64 n) {
	for (int k = 1; k < j.size; k++) {
		int i = (j.me + k) % j.size;
		if (gives(j, i))
			copy(base(j, member(j, i)) + j.room + ((turn[i] + 1) & 1) * j.half + j.me * j.part + lo,
				(char *)own(j, j.src) + (scatters(j) ? i * j.bytes : 0) + lo, n);
	}
}

// from is where that of member i is found after the meeting.
static __device__ const char *from(const Job &j, const u64 *turn, int i) {
	if (j.staged && i != j.me)
		return (char *)own(j, j.room) + (turn[i] & 1) * j.half + i * j.part;
	if (j.within)
		return base(j, member(j, i)) + j.dst + i * j.bytes;
	return base(j, member(j, i)) + j.src + (scatters(j) ? j.me * j.bytes : 0);
}
