#include "goshmem.h"
using namespace goshmem;

// flags are one for each rank, which it raises on every rank, and the number of rounds of
// this one: so the launch has no number in it, and can be replayed.
GOSHMEM_KERNEL void barrier(u64 *flags, const i64 *peers, i32 me, i32 n) {
	fence();
	GOSHMEM_SYNC();
	u64 round = load_here<through>(flags + n) + 1;
	for (int r = GOSHMEM_THREAD; r < n; r += GOSHMEM_THREADS)
		signal_add(flags + me, 1, me, r, peers);
	for (int r = GOSHMEM_THREAD; r < n; r += GOSHMEM_THREADS)
		while (!wait_until(flags + r, ge, round)) {
		}
	GOSHMEM_SYNC();
	if (GOSHMEM_THREAD == 0)
		store_here<through>(flags + n, round);
	fence();
}
