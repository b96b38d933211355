// goshmem.h: loads, stores, copies and atomics on the memory of peers, for kernels.
//
// One file for NVRTC, hipRTC, nvcc and hipcc, and for the C++ compiler of a host, where
// the qualifiers are empty and a kernel is an ordinary function. It includes nothing.
//
// Every function takes a table of bases with an entry for each rank: where the same
// allocation of that rank is, as this device sees it. A pointer p of rank a becomes that
// of rank b by  bases[b] + (p - bases[a]).  So the table of one allocation also translates
// pointers of others in the same symmetric heap. An entry 0 means that the rank cannot be
// reached: AddressMap.Direct says so before a launch; here it is looked at only where
// GOSHMEM_CHECKED is defined (see below).
#ifndef GOSHMEM_H
#define GOSHMEM_H

#if defined(__CUDACC__)
#define GOSHMEM_CUDA 1
#elif defined(__HIP__) || defined(__HIPCC_RTC__)
#define GOSHMEM_HIP 1
#endif

#if defined(GOSHMEM_CUDA) || defined(GOSHMEM_HIP)
#define GOSHMEM_FN static __device__ inline
#define GOSHMEM_IN __device__ inline
// A kernel, and the loop of its threads over n elements.
#define GOSHMEM_KERNEL extern "C" __global__
#define GOSHMEM_EACH(i, n) \
	for (goshmem::i64 i = (goshmem::i64)blockIdx.x * blockDim.x + threadIdx.x; i < (goshmem::i64)(n); i += (goshmem::i64)gridDim.x * blockDim.x)
// The number of this thread in its block, and how many there are.
#define GOSHMEM_THREAD ((int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)))
#define GOSHMEM_THREADS ((int)(blockDim.x * blockDim.y * blockDim.z))
// The number of this block along x, and how many there are.
#define GOSHMEM_BLOCK ((int)blockIdx.x)
#define GOSHMEM_BLOCKS ((int)gridDim.x)
#define GOSHMEM_SYNC() __syncthreads()
#else
#define GOSHMEM_FN static inline
#define GOSHMEM_IN inline
#define GOSHMEM_KERNEL extern "C"
#define GOSHMEM_EACH(i, n) for (goshmem::i64 i = 0; i < (goshmem::i64)(n); i++)
#define GOSHMEM_THREAD 0
#define GOSHMEM_THREADS 1
#define GOSHMEM_BLOCK 0
#define GOSHMEM_BLOCKS 1
#define GOSHMEM_SYNC() (void)0
#endif

namespace goshmem {

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

// Numbers of 16 bits. Arithmetic on them is done in float and rounded once, to even.
struct float16 { u16 bits; };
struct bfloat16 { u16 bits; };

// What an atomic orders, and for whom. Peers need system.
enum order { relaxed, acquire, release, acq_rel };
enum scope { of_block, of_device, of_system };

// Comparisons of a wait, numbered as in rocSHMEM.
enum compare { eq, ne, gt, ge, lt, le };

// How loads and stores use caches. On a host they are all alike.
enum hint {
	plain,   // as the compiler does it (.ca, .wb)
	global,  // not in the first cache (.cg)
	stream,  // used once (.cs)
	through, // from memory, to memory (.cv, .wt)
};

// What is moved with one instruction, 16 bytes: a type that compilers take as a whole, as
// they do not take every struct. It may stand for bytes of any type.
#if defined(GOSHMEM_CUDA) && !defined(__clang__)
typedef uint4 u128;
typedef u32 word;
#else
typedef u64 u128 __attribute__((vector_size(16), may_alias));
typedef u32 word __attribute__((may_alias));
#endif

// Raw bits of N bytes.
template <int N> struct bits_of;
template <> struct bits_of<1> { typedef u8 type; };
template <> struct bits_of<2> { typedef u16 type; };
template <> struct bits_of<4> { typedef u32 type; };
template <> struct bits_of<8> { typedef u64 type; };

template <class To, class From> GOSHMEM_FN To bitcast(From v) {
	static_assert(sizeof(To) == sizeof(From), "as many bits");
	union { From from; To to; } u;
	u.from = v;
	return u.to;
}

// ---- where a pointer leads ----

#ifdef GOSHMEM_CHECKED
// In a checked table four words stand before entry 0; AddressMap.Checked makes such a one.
enum { check_magic = -4, check_ranks = -3, check_bytes = -2, check_report = -1 };
const i64 magic = 0x6b63656863736f67; // "goscheck"

// What went wrong first, at check_report; behind it there is room for what must go nowhere.
struct report {
	u64 code; // 0: nothing; else one of fault
	i64 from, to;
	u64 address, bytes;
	u64 pad[3];
	u8 sink[4032];
};
enum fault { no_table = 1, no_rank, no_peer, outside };

GOSHMEM_FN bool cas_word(u64 *p, u64 *expected, u64 desired);

// note keeps the first fault, and gives an address that does no harm.
GOSHMEM_FN char *note(const i64 *bases, u64 code, i64 from, i64 to, const void *p, u64 bytes) {
	report *r = (report *)bases[check_report];
	u64 none = 0;
	if (cas_word(&r->code, &none, code)) {
		r->from = from, r->to = to;
		r->address = (u64)p, r->bytes = bytes;
	}
	return (char *)r->sink;
}

// reach is to's pointer for n bytes at from's, or one to the sink.
GOSHMEM_FN char *reach(const void *p, u64 n, int from, int to, const i64 *bases) {
	if (bases[check_magic] != magic)
		return 0; // no table at all: the fault is the device's
	if (from < 0 || from >= bases[check_ranks] || to < 0 || to >= bases[check_ranks])
		return note(bases, no_rank, from, to, p, n);
	if (bases[to] == 0 || bases[from] == 0)
		return note(bases, no_peer, from, to, p, n);
	u64 at = (u64)p - (u64)bases[from];
	if (at > (u64)bases[check_bytes] || n > (u64)bases[check_bytes] - at)
		return note(bases, outside, from, to, p, n);
	return (char *)p + (bases[to] - bases[from]);
}
// What does not fit the sink is cut short.
GOSHMEM_FN u64 within(const char *q, u64 n, const i64 *bases) {
	report *r = (report *)bases[check_report];
	bool sunk = q == (char *)r->sink;
	return sunk ? 0 : n;
}
#else
GOSHMEM_FN char *reach(const void *p, u64, int from, int to, const i64 *bases) {
	return (char *)p + (bases[to] - bases[from]);
}
GOSHMEM_FN u64 within(const char *, u64 n, const i64 *) { return n; }
#endif

// translate returns to's pointer for from's.
template <class T> GOSHMEM_FN T *translate(T *p, int from, int to, const i64 *bases) {
	return (T *)reach(p, sizeof(T), from, to, bases);
}

// ---- loads and stores of this device, by hint ----

template <hint H, class W> GOSHMEM_FN W load_bits(const W *p) {
#if defined(GOSHMEM_CUDA)
	if (H == global) return __ldcg(p);
	if (H == stream) return __ldcs(p);
	if (H == through) return *(const volatile W *)p; // __ldcv may be taken out of a loop
	return *p;
#elif defined(GOSHMEM_HIP)
	if (H == global) return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	if (H == stream) return __builtin_nontemporal_load(p);
	if (H == through) return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
	return *p;
#else
	return H == through ? __atomic_load_n(p, __ATOMIC_RELAXED) : *p;
#endif
}

template <hint H, class W> GOSHMEM_FN void store_bits(W *p, W v) {
#if defined(GOSHMEM_CUDA)
	if (H == global) __stcg(p, v);
	else if (H == stream) __stcs(p, v);
	else if (H == through) *(volatile W *)p = v;
	else *p = v;
#elif defined(GOSHMEM_HIP)
	if (H == global) __hip_atomic_store(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	else if (H == stream) __builtin_nontemporal_store(v, p);
	else if (H == through) __hip_atomic_store(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
	else *p = v;
#else
	if (H == through) __atomic_store_n(p, v, __ATOMIC_RELAXED);
	else *p = v;
#endif
}

template <hint H, class T> GOSHMEM_FN T load_here(const T *p) {
	typedef typename bits_of<sizeof(T)>::type W;
	return bitcast<T>(load_bits<H>((const W *)p));
}

template <hint H, class T> GOSHMEM_FN void store_here(T *p, T v) {
	typedef typename bits_of<sizeof(T)>::type W;
	store_bits<H>((W *)p, bitcast<W>(v));
}

// ---- one element ----

// load returns rank from's *p; p is a pointer of rank me.
template <hint H = plain, class T> GOSHMEM_FN T load(const T *p, int me, int from, const i64 *bases) {
	return load_here<H>((const T *)reach(p, sizeof(T), me, from, bases));
}
// load with a mask: other where it is false.
template <hint H = plain, class T> GOSHMEM_FN T load(const T *p, int me, int from, const i64 *bases, bool mask, T other) {
	return mask ? load<H>(p, me, from, bases) : other;
}

// store makes rank to's *p v; p is a pointer of rank me.
template <hint H = plain, class T> GOSHMEM_FN void store(T *p, T v, int me, int to, const i64 *bases, bool mask = true) {
	if (mask)
		store_here<H>((T *)reach(p, sizeof(T), me, to, bases), v);
}

// get copies rank from's *src to this rank's *dst.
template <hint L = plain, hint S = plain, class T>
GOSHMEM_FN void get(T *dst, const T *src, int me, int from, const i64 *bases, bool mask = true) {
	if (mask)
		store_here<S>(dst, load<L>(src, me, from, bases));
}

// put copies this rank's *src to rank to's *dst.
template <hint L = plain, hint S = plain, class T>
GOSHMEM_FN void put(T *dst, const T *src, int me, int to, const i64 *bases, bool mask = true) {
	if (mask)
		store<S>(dst, load_here<L>(src), me, to, bases);
}

// copy copies rank from's *src to rank to's *dst; both are pointers of rank me.
template <hint L = plain, hint S = plain, class T>
GOSHMEM_FN void copy(T *dst, const T *src, int from, int to, int me, const i64 *bases, bool mask = true) {
	if (mask)
		store<S>(dst, load<L>(src, me, from, bases), me, to, bases);
}

// ---- many elements, by all threads of a block or of a grid together ----

// lines copies n elements of W with a team, of which this thread is number t. Four loads
// are under way before the first is stored: a peer is far.
template <class W> GOSHMEM_FN void lines(W *dst, const W *src, u64 n, u64 t, u64 team) {
	u64 i = t;
	for (; i + 3 * team < n; i += 4 * team) {
		W a = src[i], b = src[i + team], c = src[i + 2 * team], d = src[i + 3 * team];
		dst[i] = a, dst[i + team] = b, dst[i + 2 * team] = c, dst[i + 3 * team] = d;
	}
	for (; i < n; i += team)
		dst[i] = src[i];
}

// move copies n bytes, 16 at a time where both ends allow it.
GOSHMEM_FN void move(char *dst, const char *src, u64 n, u64 t, u64 team) {
	u64 done = 0;
	if ((((u64)dst | (u64)src) & 15) == 0) {
		done = n / 16 * 16;
		lines((u128 *)dst, (const u128 *)src, n / 16, t, team);
	} else if ((((u64)dst | (u64)src) & 3) == 0) {
		done = n / 4 * 4;
		lines((word *)dst, (const word *)src, n / 4, t, team);
	}
	lines(dst + done, src + done, n - done, t, team);
}

GOSHMEM_FN u64 in_grid() { return (u64)GOSHMEM_BLOCK * GOSHMEM_THREADS + GOSHMEM_THREAD; }

// put_block and get_block are put and get of n elements by a block; put_grid and get_grid by
// all blocks of a launch along x. They do not wait: a GOSHMEM_SYNC and a fence stand before
// a signal that tells of what a block has put, the end of the launch before one that tells
// of what a grid has.
template <class T> GOSHMEM_FN void put_block(T *dst, const T *src, u64 n, int me, int to, const i64 *bases) {
	char *q = reach(dst, n * sizeof(T), me, to, bases);
	move(q, (const char *)src, within(q, n * sizeof(T), bases), GOSHMEM_THREAD, GOSHMEM_THREADS);
}
template <class T> GOSHMEM_FN void get_block(T *dst, const T *src, u64 n, int me, int from, const i64 *bases) {
	char *q = reach(src, n * sizeof(T), me, from, bases);
	move((char *)dst, q, within(q, n * sizeof(T), bases), GOSHMEM_THREAD, GOSHMEM_THREADS);
}
template <class T> GOSHMEM_FN void put_grid(T *dst, const T *src, u64 n, int me, int to, const i64 *bases) {
	char *q = reach(dst, n * sizeof(T), me, to, bases);
	move(q, (const char *)src, within(q, n * sizeof(T), bases), in_grid(), (u64)GOSHMEM_BLOCKS * GOSHMEM_THREADS);
}
template <class T> GOSHMEM_FN void get_grid(T *dst, const T *src, u64 n, int me, int from, const i64 *bases) {
	char *q = reach(src, n * sizeof(T), me, from, bases);
	move((char *)dst, q, within(q, n * sizeof(T), bases), in_grid(), (u64)GOSHMEM_BLOCKS * GOSHMEM_THREADS);
}

// ---- fences ----

template <scope S = of_system> GOSHMEM_FN void fence() {
#if defined(GOSHMEM_CUDA)
	if (S == of_block) __threadfence_block();
	else if (S == of_device) __threadfence();
	else __threadfence_system();
#elif defined(GOSHMEM_HIP)
	if (S == of_block) __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
	else if (S == of_device) __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
	else __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "");
#else
	__atomic_thread_fence(__ATOMIC_ACQ_REL);
#endif
}

// ---- atomics on words of 4 and 8 bytes, in no order ----

// What the compilers have for it.
#if defined(GOSHMEM_CUDA)
#define GOSHMEM_SCOPED(call_block, call_device, call_system, call_host) (S == of_block ? call_block : S == of_device ? call_device : call_system)
#define GOSHMEM_OP(cuda, other, p, v) GOSHMEM_SCOPED(cuda##_block(p, v), cuda(p, v), cuda##_system(p, v), )
#elif defined(GOSHMEM_HIP)
#define GOSHMEM_OP(cuda, other, p, v) \
	(S == of_block ? __hip_atomic_##other(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) \
	: S == of_device ? __hip_atomic_##other(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) \
	: __hip_atomic_##other(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
#else
#define GOSHMEM_OP(cuda, other, p, v) __atomic_##other(p, v, __ATOMIC_RELAXED)
#define __atomic_exchange(p, v, o) __atomic_exchange_n(p, v, o)
#endif

template <scope S, class W> GOSHMEM_FN W word_add(W *p, W v) { return GOSHMEM_OP(atomicAdd, fetch_add, p, v); }
template <scope S, class W> GOSHMEM_FN W word_and(W *p, W v) { return GOSHMEM_OP(atomicAnd, fetch_and, p, v); }
template <scope S, class W> GOSHMEM_FN W word_or(W *p, W v) { return GOSHMEM_OP(atomicOr, fetch_or, p, v); }
template <scope S, class W> GOSHMEM_FN W word_xor(W *p, W v) { return GOSHMEM_OP(atomicXor, fetch_xor, p, v); }
template <scope S, class W> GOSHMEM_FN W word_xchg(W *p, W v) { return GOSHMEM_OP(atomicExch, exchange, p, v); }
#undef GOSHMEM_OP
#undef GOSHMEM_SCOPED
#undef __atomic_exchange

// word_cas puts desired where expected is, and returns what was there.
template <scope S, class W> GOSHMEM_FN W word_cas(W *p, W expected, W desired) {
#if defined(GOSHMEM_CUDA)
	return S == of_block ? atomicCAS_block(p, expected, desired) : S == of_device ? atomicCAS(p, expected, desired) : atomicCAS_system(p, expected, desired);
#elif defined(GOSHMEM_HIP)
	if (S == of_block) __hip_atomic_compare_exchange_strong(p, &expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
	else if (S == of_device) __hip_atomic_compare_exchange_strong(p, &expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	else __hip_atomic_compare_exchange_strong(p, &expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
	return expected;
#else
	__atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return expected;
#endif
}

// ---- arithmetic on every type ----

GOSHMEM_FN float widen(float16 x) {
	u32 sign = (u32)(x.bits & 0x8000) << 16, e = x.bits >> 10 & 31, m = x.bits & 0x3ff;
	if (e == 31) return bitcast<float>(sign | 0x7f800000 | m << 13);
	if (e > 0) return bitcast<float>(sign | (e + 112) << 23 | m << 13);
	float tiny = (float)m * 5.9604644775390625e-8f; // 2^-24
	return bitcast<float>(sign | bitcast<u32>(tiny));
}
GOSHMEM_FN float widen(bfloat16 x) { return bitcast<float>((u32)x.bits << 16); }
template <class T> GOSHMEM_FN T widen(T x) { return x; }

template <class T> struct narrow {
	template <class V> GOSHMEM_FN T from(V x) { return (T)x; }
};
template <> struct narrow<bfloat16> {
	GOSHMEM_FN bfloat16 from(float x) {
		u32 b = bitcast<u32>(x);
		bfloat16 r;
		r.bits = (b & 0x7fffffff) > 0x7f800000 ? (u16)(b >> 16 | 64) : (u16)((b + 0x7fff + (b >> 16 & 1)) >> 16);
		return r;
	}
};
template <> struct narrow<float16> {
	GOSHMEM_FN float16 from(float x) {
		u32 b = bitcast<u32>(x), sign = b >> 16 & 0x8000, a = b & 0x7fffffff;
		float16 r;
		if (a > 0x7f800000) r.bits = (u16)(sign | 0x7e00 | (a >> 13 & 0x3ff));
		else if (a >= 0x477ff000) r.bits = (u16)(sign | 0x7c00); // rounds beyond the largest
		else if (a >= 0x38800000) r.bits = (u16)(sign | (a - 0x38000000 + 0xfff + (a >> 13 & 1)) >> 13);
		else { // below the smallest normal: adding 0.5 rounds at the right bit
			float y = bitcast<float>(a) + 0.5f;
			r.bits = (u16)(sign | (bitcast<u32>(y) - 0x3f000000));
		}
		return r;
	}
};

// What an update makes of the old element and the operand.
struct op_add { template <class T> static GOSHMEM_IN T of(T a, T b) { return narrow<T>::from(widen(a) + widen(b)); } };
struct op_sub { template <class T> static GOSHMEM_IN T of(T a, T b) { return narrow<T>::from(widen(a) - widen(b)); } };
struct op_xchg { template <class T> static GOSHMEM_IN T of(T, T b) { return b; } };
struct op_min { template <class T> static GOSHMEM_IN T of(T a, T b) { return widen(b) < widen(a) ? b : a; } };
struct op_max { template <class T> static GOSHMEM_IN T of(T a, T b) { return widen(b) > widen(a) ? b : a; } };
struct op_and { template <class T> static GOSHMEM_IN T of(T a, T b) { return (T)(a & b); } };
struct op_or { template <class T> static GOSHMEM_IN T of(T a, T b) { return (T)(a | b); } };
struct op_xor { template <class T> static GOSHMEM_IN T of(T a, T b) { return (T)(a ^ b); } };

// ---- updates of an element of any type: the word that it is in is exchanged ----

// lane is where in an aligned word an element is.
template <class T, int N> struct lane {
	typedef u32 W;
	W *p;
	int shift;
	GOSHMEM_IN lane(T *q) : p((W *)((u64)q & ~(u64)3)), shift((int)((u64)q & 3) * 8) {}
	GOSHMEM_IN T in(W w) const { return bitcast<T>((typename bits_of<N>::type)(w >> shift)); }
	GOSHMEM_IN W with(W w, T v) const {
		W mask = ((W)1 << N * 8) - 1;
		return (w & ~(mask << shift)) | (W)bitcast<typename bits_of<N>::type>(v) << shift;
	}
};
template <class T> struct lane<T, 4> {
	typedef u32 W;
	W *p;
	GOSHMEM_IN lane(T *q) : p((W *)q) {}
	GOSHMEM_IN T in(W w) const { return bitcast<T>(w); }
	GOSHMEM_IN W with(W, T v) const { return bitcast<W>(v); }
};
template <class T> struct lane<T, 8> {
	typedef u64 W;
	W *p;
	GOSHMEM_IN lane(T *q) : p((W *)q) {}
	GOSHMEM_IN T in(W w) const { return bitcast<T>(w); }
	GOSHMEM_IN W with(W, T v) const { return bitcast<W>(v); }
};

template <class Op, scope S, class T> GOSHMEM_FN T exchange(T *q, T v) {
	lane<T, sizeof(T)> l(q);
	typedef typename lane<T, sizeof(T)>::W W;
	for (W old = load_bits<through>(l.p);;) {
		W seen = word_cas<S>(l.p, old, l.with(old, Op::of(l.in(old), v)));
		if (seen == old)
			return l.in(old);
		old = seen;
	}
}

// update is exchange, or what the hardware has for it.
template <class Op, scope S> struct update {
	template <class T> static GOSHMEM_IN T of(T *p, T v) { return exchange<Op, S>(p, v); }
};
#define GOSHMEM_WORDS(op, T, W, call) \
	static GOSHMEM_IN T of(T *p, T v) { return (T)call<S>((W *)p, (W)v); }
#define GOSHMEM_FAST(op, call) \
	template <scope S> struct update<op, S> { \
		GOSHMEM_WORDS(op, i32, u32, call) \
		GOSHMEM_WORDS(op, u32, u32, call) \
		GOSHMEM_WORDS(op, i64, u64, call) \
		GOSHMEM_WORDS(op, u64, u64, call) \
		template <class T> static GOSHMEM_IN T of(T *p, T v) { return exchange<op, S>(p, v); } \
	};
GOSHMEM_FAST(op_add, word_add)
GOSHMEM_FAST(op_xchg, word_xchg)
#if defined(GOSHMEM_CUDA) || defined(GOSHMEM_HIP) // GCC 12 forgets the operand of its __atomic_fetch_and
GOSHMEM_FAST(op_and, word_and)
GOSHMEM_FAST(op_or, word_or)
GOSHMEM_FAST(op_xor, word_xor)
#endif
#undef GOSHMEM_FAST
#undef GOSHMEM_WORDS

// ---- atomics on a peer's element: they return what was there ----

template <order O, scope S> GOSHMEM_FN void before() {
	if (O == release || O == acq_rel)
		fence<S>();
}
template <order O, scope S> GOSHMEM_FN void after() {
	if (O == acquire || O == acq_rel)
		fence<S>();
}

template <class Op, order O, scope S, class T>
GOSHMEM_FN T atomic(T *p, T v, int me, int to, const i64 *bases, bool mask) {
	if (!mask)
		return v;
	T *q = (T *)reach(p, sizeof(T), me, to, bases);
	before<O, S>();
	T old = update<Op, S>::of(q, v);
	after<O, S>();
	return old;
}

// atomic_add and the others do op on rank to's *p; p is a pointer of rank me. Where the
// mask is false nothing happens, and v comes back. Order and scope may be left out:
// atomic_add<relaxed, of_device>(...).
#define GOSHMEM_ATOMIC(name, op) \
	template <order O = acq_rel, scope S = of_system, class T> \
	GOSHMEM_FN T name(T *p, T v, int me, int to, const i64 *bases, bool mask = true) { \
		return atomic<op, O, S>(p, v, me, to, bases, mask); \
	}
GOSHMEM_ATOMIC(atomic_add, op_add)
GOSHMEM_ATOMIC(atomic_sub, op_sub)
GOSHMEM_ATOMIC(atomic_xchg, op_xchg)
GOSHMEM_ATOMIC(atomic_and, op_and)
GOSHMEM_ATOMIC(atomic_or, op_or)
GOSHMEM_ATOMIC(atomic_xor, op_xor)
GOSHMEM_ATOMIC(atomic_min, op_min)
GOSHMEM_ATOMIC(atomic_max, op_max)
#undef GOSHMEM_ATOMIC

// atomic_cas puts v where expected is, compared by its bits.
template <order O = acq_rel, scope S = of_system, class T>
GOSHMEM_FN T atomic_cas(T *p, T expected, T v, int me, int to, const i64 *bases) {
	lane<T, sizeof(T)> l((T *)reach(p, sizeof(T), me, to, bases));
	typedef typename lane<T, sizeof(T)>::W W;
	typedef typename bits_of<sizeof(T)>::type B;
	before<O, S>();
	W old = load_bits<through>(l.p);
	while (bitcast<B>(l.in(old)) == bitcast<B>(expected)) {
		W seen = word_cas<S>(l.p, old, l.with(old, v));
		if (seen == old)
			break;
		old = seen;
	}
	after<O, S>();
	return l.in(old);
}

// ---- signals ----

// signal_set and signal_add tell rank to, after everything that this thread has stored.
// After a put_block: GOSHMEM_SYNC(), then one thread signals.
GOSHMEM_FN void signal_set(u64 *p, u64 v, int me, int to, const i64 *bases) { atomic_xchg<release>(p, v, me, to, bases); }
GOSHMEM_FN void signal_add(u64 *p, u64 v, int me, int to, const i64 *bases) { atomic_add<release>(p, v, me, to, bases); }

GOSHMEM_FN bool holds(u64 x, compare c, u64 v) {
	switch (c) {
	case eq: return x == v;
	case ne: return x != v;
	case gt: return x > v;
	case ge: return x >= v;
	case lt: return x < v;
	default: return x <= v;
	}
}

// wait_until returns true when this rank's own *p compares so with v, false after so many
// looks. What was stored before the signal can be loaded afterwards.
GOSHMEM_FN bool wait_until(const u64 *p, compare c, u64 v, u64 looks = ~0ull) {
	for (; looks > 0; looks--) {
		if (holds(load_bits<through>(p), c, v)) {
			fence();
			return true;
		}
	}
	return false;
}

#ifdef GOSHMEM_CHECKED
GOSHMEM_FN bool cas_word(u64 *p, u64 *expected, u64 desired) {
	u64 seen = word_cas<of_system>(p, *expected, desired);
	bool done = seen == *expected;
	*expected = seen;
	return done;
}
#endif

} // namespace goshmem
#endif
