// Reductions of engine ipc, behind ipcjob.cu. They are compiled once for each element type,
// whose number is ELEM.

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
	enum : u32 {
		bias = (1u << (E - 1)) - 1,
		largest = FINITE ? (1u << (E + F)) - 2 : (((1u << E) - 1) << F) - 1,
		nan = FINITE ? (1u << (E + F)) - 1 : ((1u << E) - 1) << F | 1u << (F - 1),
		overflow = SATURATE ? (u32)largest : FINITE ? (u32)nan : largest + 1u
	};

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
		return sign | (rounded > largest ? (u32)overflow : rounded);
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
