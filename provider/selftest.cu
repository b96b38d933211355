#include "goshmem.h"
using namespace goshmem;

// selftest loads the first n bytes of every rank that the table has.
GOSHMEM_KERNEL void selftest(u8 *out, const u8 *x, const i64 *peers, i32 me, i32 ranks, i32 n) {
	GOSHMEM_EACH(i, (i64)ranks * n)
		if (peers[i / n])
			out[i] = load<through>(x + i % n, me, (i32)(i / n), peers);
}
