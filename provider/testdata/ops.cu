// Every operation of goshmem.h on every type, as kernels with the same parameters: a is
// this rank's memory, b a pointer of this rank that is meant for peer (and, in a copy, from
// peer to other). The first m of n elements are not masked.
#include "goshmem.h"
using namespace goshmem;

#define KERNEL(name, T, N) GOSHMEM_KERNEL void name##_##N([[maybe_unused]] T *a, T *b, [[maybe_unused]] const i64 *peers, [[maybe_unused]] i32 me, [[maybe_unused]] i32 peer, [[maybe_unused]] i32 other, [[maybe_unused]] i64 n, i64 m)

#define MOVES(T, N) \
	KERNEL(load, T, N) { GOSHMEM_EACH(i, n) a[i] = load(b + i, me, peer, peers, i < m, a[i]); } \
	KERNEL(load_through, T, N) { GOSHMEM_EACH(i, n) a[i] = load<through>(b + i, me, peer, peers, i < m, a[i]); } \
	KERNEL(load_stream, T, N) { GOSHMEM_EACH(i, n) a[i] = load<stream>(b + i, me, peer, peers, i < m, a[i]); } \
	KERNEL(load_global, T, N) { GOSHMEM_EACH(i, n) a[i] = load<global>(b + i, me, peer, peers, i < m, a[i]); } \
	KERNEL(store, T, N) { GOSHMEM_EACH(i, n) store(b + i, a[i], me, peer, peers, i < m); } \
	KERNEL(store_through, T, N) { GOSHMEM_EACH(i, n) store<through>(b + i, a[i], me, peer, peers, i < m); } \
	KERNEL(store_stream, T, N) { GOSHMEM_EACH(i, n) store<stream>(b + i, a[i], me, peer, peers, i < m); } \
	KERNEL(store_global, T, N) { GOSHMEM_EACH(i, n) store<global>(b + i, a[i], me, peer, peers, i < m); } \
	KERNEL(get, T, N) { GOSHMEM_EACH(i, n) get(a + i, b + i, me, peer, peers, i < m); } \
	KERNEL(put, T, N) { GOSHMEM_EACH(i, n) put(b + i, a + i, me, peer, peers, i < m); } \
	KERNEL(copy, T, N) { GOSHMEM_EACH(i, n) copy(b + n + i, b + i, peer, other, me, peers, i < m); } \
	KERNEL(get_block, T, N) { get_block(a, (const T *)b, m, me, peer, peers); } \
	KERNEL(put_block, T, N) { put_block(b, (const T *)a, m, me, peer, peers); }

#define ATOMIC(name, T, N) \
	KERNEL(name, T, N) { GOSHMEM_EACH(i, n) a[i] = name(b + i, a[i], me, peer, peers, i < m); } \
	KERNEL(name##_one, T, N) { GOSHMEM_EACH(i, n) name(b, a[0], me, peer, peers, i < m); }

#define NUMBERS(T, N) \
	MOVES(T, N) \
	ATOMIC(atomic_add, T, N) \
	ATOMIC(atomic_sub, T, N) \
	ATOMIC(atomic_min, T, N) \
	ATOMIC(atomic_max, T, N) \
	ATOMIC(atomic_xchg, T, N) \
	KERNEL(atomic_cas, T, N) { GOSHMEM_EACH(i, n) if (i < m) a[i] = atomic_cas(b + i, a[i], a[n + i], me, peer, peers); }

#define INTEGERS(T, N) \
	NUMBERS(T, N) \
	ATOMIC(atomic_and, T, N) \
	ATOMIC(atomic_or, T, N) \
	ATOMIC(atomic_xor, T, N)

INTEGERS(u32, u32)
INTEGERS(u64, u64)
NUMBERS(float, f32)
#ifndef FEW // types, where time matters more
INTEGERS(i8, i8)
INTEGERS(u8, u8)
INTEGERS(i16, i16)
INTEGERS(u16, u16)
INTEGERS(i32, i32)
INTEGERS(i64, i64)
NUMBERS(float16, f16)
NUMBERS(bfloat16, bf16)
NUMBERS(double, f64)
#endif

// Orders and scopes: they make no difference to what is added.
#define ORDER(name, O, S, N) KERNEL(name, N, N) { GOSHMEM_EACH(i, n) a[i] = atomic_add<O, S>(b + i, a[i], me, peer, peers, i < m); }
#define ORDERS(N) \
	ORDER(add_relaxed, relaxed, of_device, N) \
	ORDER(add_acquire, acquire, of_system, N) \
	ORDER(add_release, release, of_device, N) \
	ORDER(add_acq_rel, acq_rel, of_block, N)

ORDERS(u32)
ORDERS(u64)

// Bulk forms of a grid; those of a block are above. a and b may be anywhere.
KERNEL(get_grid, u32, u32) { get_grid(a, (const u32 *)b, m, me, peer, peers); }
KERNEL(put_grid, u32, u32) { put_grid(b, (const u32 *)a, m, me, peer, peers); }

// signal puts m elements with one block and tells peer; wait counts a[0] down if it came.
KERNEL(signal, u64, u64) {
	put_block(b, (const u64 *)a, m, me, peer, peers);
	fence();
	GOSHMEM_SYNC();
	if (GOSHMEM_THREAD == 0)
		signal_add(b + n, 1, me, peer, peers);
}

KERNEL(wait, u64, u64) {
	if (GOSHMEM_THREAD == 0)
		a[0] = wait_until(b + n, ge, (u64)m, 1000000) ? 1 : 0;
}

// holds has a[i] say whether b[i] compares with 4, in one of the ways.
KERNEL(holds, u64, u64) {
	GOSHMEM_EACH(i, m) a[i] = wait_until(b + i, (compare)(i % 6), 4, 2);
}

// bytes moves m bytes from place n-64 on, by a block.
KERNEL(put_bytes, u8, u8) { put_block(b + n - 64, (const u8 *)a + n % 16, m, me, peer, peers); }
KERNEL(get_bytes, u8, u8) { get_block(a + n % 16, (const u8 *)b + n - 64, m, me, peer, peers); }
