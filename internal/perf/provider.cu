#include "goshmem.h"
using namespace goshmem;

GOSHMEM_KERNEL void bulk_put(u8 *dst, const u8 *src, u64 n, i32 me, i32 peer, const i64 *peers) {
	put_grid(dst, src, n, me, peer, peers);
}

GOSHMEM_KERNEL void bulk_get(u8 *dst, const u8 *src, u64 n, i32 me, i32 peer, const i64 *peers) {
	get_grid(dst, src, n, me, peer, peers);
}

// chase follows n links, each of which says where the next is, in a peer's memory. There is
// one thread; where it begins is not a constant, so that AMD's compiler does not take the
// cache of what is alike for all threads.
GOSHMEM_KERNEL void chase(u64 *out, const u64 *links, u64 n, i32 me, i32 peer, const i64 *peers) {
	u64 at = GOSHMEM_THREAD;
	for (u64 i = 0; i < n; i++)
		at = load(links + at, me, peer, peers);
	*out = at;
}

// chase_raw is chase by a pointer of the peer's.
GOSHMEM_KERNEL void chase_raw(u64 *out, const u64 *links, u64 n) {
	u64 at = GOSHMEM_THREAD;
	for (u64 i = 0; i < n; i++)
		at = load_here<plain>(links + at);
	*out = at;
}
