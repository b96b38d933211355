// Kernels of engine ipc, in what CUDA and HIP C++ have in common; see kernels.cu. They are
// compiled once as they are, and once more for each element type of reductions, whose
// number is then ELEM.
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
	return base(j, member(j, i)) + j.src + (scatters(j) ? j.me * j.bytes : 0);
}

#ifndef ELEM

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

#else

// The element types, numbered as in package reduce. Narrow floating-point numbers are
// combined as float and rounded once. What they are converted by is that of package
// dtype, bit for bit.
static __device__ u32 bitsOf(float x) {
	union { float x; u32 b; } u;
	u.x = x;
	return u.b;
}

static __device__ float realOf(u32 b) {
	union { float x; u32 b; } u;
	u.b = b;
	return u.x;
}

// Format is a floating-point format of E bits of exponent and F of fraction. FINITE: it
// has no infinities. SATURATE: what is too large becomes the largest number.
template <int E, int F, bool FINITE, bool SATURATE> struct Format {
	static const u32 bias = (1 << (E - 1)) - 1;
	static const u32 largest = FINITE ? (1u << (E + F)) - 2 : (((1u << E) - 1) << F) - 1;
	static const u32 nan = FINITE ? (1u << (E + F)) - 1 : ((1u << E) - 1) << F | 1u << (F - 1);
	static const u32 overflow = SATURATE ? largest : FINITE ? nan : largest + 1;

	static __device__ u32 round(u32 magnitude) {
		int exponent = magnitude >> 23;
		u32 fraction = magnitude & ((1u << 23) - 1);
		if (exponent == 0)
			return 0;
		fraction |= 1u << 23;
		int narrow = exponent - 127 + (int)bias;
		u32 drop = 23 - F;
		if (narrow < 1) {
			drop += 1 - narrow;
			narrow = 1;
		}
		if (drop > 24 + 1)
			return 0;
		u32 kept = fraction >> drop, rest = fraction & ((1u << drop) - 1), half = 1u << (drop - 1);
		if (rest > half || (rest == half && (kept & 1)))
			kept++;
		return kept + ((u32)(narrow - 1) << F);
	}

	static __device__ u32 encode(float x) {
		u32 bits = bitsOf(x), sign = bits >> 31 << (E + F), magnitude = bits & 0x7fffffffu;
		if (magnitude > 0xffu << 23)
			return sign | nan;
		if (magnitude == 0xffu << 23)
			return sign | overflow;
		u32 rounded = round(magnitude);
		return sign | (rounded > largest ? overflow : rounded);
	}

	static __device__ float decode(u32 bits) {
		u32 sign = bits >> (E + F) << 31, magnitude = bits & ((1u << (E + F)) - 1);
		u32 exponent = magnitude >> F, fraction = magnitude & ((1u << F) - 1);
		if (FINITE ? magnitude == nan : exponent == (1u << E) - 1 && fraction != 0)
			return realOf(sign | 0xffu << 23 | 1u << 22 | fraction << (23 - F));
		if (!FINITE && exponent == (1u << E) - 1)
			return realOf(sign | 0xffu << 23);
		if (exponent == 0) // fraction times a power of two, exactly
			return realOf(sign | bitsOf((float)fraction * realOf((127 + 1 - bias - F) << 23)));
		return realOf(sign | (exponent + 127 - bias) << 23 | fraction << (23 - F));
	}
};

// Complex multiplies in double, as Go does.
template <class N> struct Complex {
	N re, im;
	__device__ Complex operator+(const Complex &o) const { return {re + o.re, im + o.im}; }
	__device__ Complex operator*(const Complex &o) const {
		double a = re, b = im, c = o.re, d = o.im;
		return {(N)(a * c - b * d), (N)(a * d + b * c)};
	}
};

// Plain is an element that is combined as it is.
template <class T> struct Plain {
	typedef T Stored;
	typedef T Sum;
	static __device__ T load(T v) { return v; }
	static __device__ T store(T v) { return v; }
};

template <class T, class F> struct Narrow {
	typedef T Stored;
	typedef float Sum;
	static __device__ float load(T v) { return F::decode(v); }
	static __device__ T store(float v) { return (T)F::encode(v); }
};

struct Brain {
	typedef u16 Stored;
	typedef float Sum;
	static __device__ float load(u16 v) { return realOf((u32)v << 16); }
	static __device__ u16 store(float v) {
		u32 bits = bitsOf(v);
		if ((bits & 0x7fffffffu) > 0xffu << 23)
			return (u16)(bits >> 16) | 1 << 6;
		return (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
	}
};

#if ELEM == 0
typedef Plain<signed char> Element;
#elif ELEM == 1
typedef Plain<short> Element;
#elif ELEM == 2
typedef Plain<int> Element;
#elif ELEM == 3
typedef Plain<long long> Element;
#elif ELEM == 4
typedef Plain<u8> Element;
#elif ELEM == 5
typedef Plain<u16> Element;
#elif ELEM == 6
typedef Plain<u32> Element;
#elif ELEM == 7
typedef Plain<u64> Element;
#elif ELEM == 8
typedef Plain<float> Element;
#elif ELEM == 9
typedef Plain<double> Element;
#elif ELEM == 10
typedef Plain<Complex<float> > Element;
#elif ELEM == 11
typedef Plain<Complex<double> > Element;
#elif ELEM == 12
typedef Narrow<u16, Format<5, 10, false, false> > Element;
#elif ELEM == 13
typedef Brain Element;
#elif ELEM == 14
typedef Narrow<u8, Format<4, 3, true, true> > Element;
#elif ELEM == 15
typedef Narrow<u8, Format<5, 2, false, true> > Element;
#endif

typedef Element::Sum S;
typedef Element::Stored T;

#define ORDERED (ELEM != 10 && ELEM != 11)
#define BITWISE (ELEM < 8)

// The operations, numbered as in package reduce.
struct Add { static __device__ S of(S a, S b) { return a + b; } };
struct Mul { static __device__ S of(S a, S b) { return a * b; } };
#if BITWISE
struct Min { static __device__ S of(S a, S b) { return b < a ? b : a; } };
struct Max { static __device__ S of(S a, S b) { return a < b ? b : a; } };
struct And { static __device__ S of(S a, S b) { return a & b; } };
struct Or { static __device__ S of(S a, S b) { return a | b; } };
struct Xor { static __device__ S of(S a, S b) { return a ^ b; } };
#elif ORDERED
// A NaN on either side gives NaN, and -0 is less than 0.
static __device__ bool minus(S zero) { return 1 / zero < 0; }
struct Min {
	static __device__ S of(S a, S b) {
		if (a != a || b != b)
			return a + b;
		return b < a || (a == b && minus(b)) ? b : a;
	}
};
struct Max {
	static __device__ S of(S a, S b) {
		if (a != a || b != b)
			return a + b;
		return a < b || (a == b && minus(a)) ? b : a;
	}
};
#endif

// Pack is as many elements as a thread loads at once.
#define PACK ((int)(16 / sizeof(T)))
union Pack {
	Wide all;
	T e[PACK];
	__device__ Pack(const char *p) : all(get((const Wide *)p)) {}
};

// combine sets n elements at dst to those of all members combined, from the first member
// to the last. What they are loaded from is at an offset behind where.
template <class Op> static __device__ void combine(const Job &j, char *dst, const char *const *where, u64 off, u64 n) {
	u64 odd = (u64)dst, i = threadIdx.x, step = blockDim.x, packs = 0;
	for (int k = 0; k < j.size; k++)
		odd |= (u64)where[k] + off;
	if (odd % 16 == 0)
		packs = n / PACK;
	for (u64 at = i; at < packs; at += step) {
		Pack p(where[0] + off + 16 * at);
		S sum[PACK];
#pragma unroll
		for (int e = 0; e < PACK; e++)
			sum[e] = Element::load(p.e[e]);
		for (int k = 1; k < j.size; k++) {
			Pack q(where[k] + off + 16 * at);
#pragma unroll
			for (int e = 0; e < PACK; e++)
				sum[e] = Op::of(sum[e], Element::load(q.e[e]));
		}
#pragma unroll
		for (int e = 0; e < PACK; e++)
			p.e[e] = Element::store(sum[e]);
		set((Wide *)dst + at, p.all);
	}
	for (u64 at = packs * PACK + i; at < n; at += step) {
		S sum = Element::load(((const T *)(where[0] + off))[at]);
		for (int k = 1; k < j.size; k++)
			sum = Op::of(sum, Element::load(((const T *)(where[k] + off))[at]));
		((T *)dst)[at] = Element::store(sum);
	}
}

static __device__ void fold(const Job &j, char *dst, const char *const *where, u64 off, u64 bytes) {
	u64 n = bytes / sizeof(T);
	switch (j.op) {
	case 0: return combine<Add>(j, dst, where, off, n);
	case 1: return combine<Mul>(j, dst, where, off, n);
#if ORDERED
	case 2: return combine<Min>(j, dst, where, off, n);
	case 3: return combine<Max>(j, dst, where, off, n);
#endif
#if BITWISE
	case 4: return combine<And>(j, dst, where, off, n);
	case 5: return combine<Or>(j, dst, where, off, n);
	case 6: return combine<Xor>(j, dst, where, off, n);
#endif
	}
}

// takes says whether data of others comes to this member.
static __device__ bool takes(const Job &j) { return j.kind != REDUCE || j.me == j.root; }

// section is where a member's share of n bytes begins, in whole packs.
static __device__ u64 section(const Job &j, int i, u64 n) {
	u64 each = ((n + j.size - 1) / j.size + 15) / 16 * 16;
	return i * each < n ? i * each : n;
}

// ipc_reduce is a reduction to all, to one, or in parts. Where its data is not staged, a
// reduction to all is shared out: each member combines its section of the chunk, which
// nobody else reads, so that dst may be src; then each fetches the others'.
extern "C" __global__ void ipc_reduce(Job j) {
	__shared__ u64 turn[MAX_PES];
	__shared__ const char *where[MAX_PES];
	u64 lo = blockIdx.x * j.chunk, n = j.bytes - lo < j.chunk ? j.bytes - lo : j.chunk;
	bool shared = !j.staged && j.kind == ALLREDUCE;
	begin(j, turn);
	if (j.staged)
		send(j, turn, lo, n);
	meet(j, turn);
	for (int i = threadIdx.x; i < j.size; i += blockDim.x)
		where[i] = from(j, turn, i);
	__syncthreads();
	char *dst = (char *)own(j, j.dst);
	u64 begins = lo, ends = lo + n;
	if (shared) {
		begins = lo + section(j, j.me, n);
		ends = lo + section(j, j.me + 1, n);
	}
	if (takes(j))
		fold(j, dst + begins, where, begins, ends - begins);
	if (shared) {
		meet(j, turn);
		for (int k = 1; k < j.size; k++) {
			int i = (j.me + k) % j.size;
			u64 at = lo + section(j, i, n);
			copy(dst + at, base(j, member(j, i)) + j.dst + at, lo + section(j, i + 1, n) - at);
		}
	}
	if (!j.staged)
		meet(j, turn);
	end(j, turn);
}

#endif
