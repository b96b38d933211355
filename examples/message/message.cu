#include "goshmem.h"
using namespace goshmem;

// produce waits until rank to has read what it got before, stores n numbers into its box,
// and then says so.
GOSHMEM_KERNEL void produce(u64 *box, u64 *full, const u64 *empty, u64 round, u64 n, i32 me, i32 to, const i64 *peers) {
	if (GOSHMEM_THREAD == 0)
		while (!wait_until(empty, ge, round - 1)) {
		}
	GOSHMEM_SYNC();
	for (u64 i = GOSHMEM_THREAD; i < n; i += GOSHMEM_THREADS)
		store(box + i, round * (me + 1) + i, me, to, peers);
	fence();
	GOSHMEM_SYNC();
	if (GOSHMEM_THREAD == 0)
		signal_set(full, round, me, to, peers);
}

// consume waits for the numbers of rank from, adds them to total, and tells it so.
GOSHMEM_KERNEL void consume(const u64 *box, const u64 *full, u64 *empty, u64 *total, u64 round, u64 n, i32 me, i32 from, const i64 *peers) {
	if (GOSHMEM_THREAD == 0)
		while (!wait_until(full, ge, round)) {
		}
	GOSHMEM_SYNC();
	for (u64 i = GOSHMEM_THREAD; i < n; i += GOSHMEM_THREADS)
		update<op_add, of_device>::of(total, load_here<through>(box + i));
	GOSHMEM_SYNC();
	if (GOSHMEM_THREAD == 0)
		signal_set(empty, round, me, from, peers);
}
