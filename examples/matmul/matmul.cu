#include "goshmem.h"
using namespace goshmem;

// matmul: a has rows rows of this rank, k wide; b is k by n, the same on all ranks. c gets
// the product of all ranks' rows, in their order, with b: the rows of others are loaded
// from where they are, while they are needed.
GOSHMEM_KERNEL void matmul(float *c, const float *a, const float *b, i64 rows, i64 k, i64 n, i32 me, i32 ranks, const i64 *peers) {
	GOSHMEM_EACH(at, rows * ranks * n) {
		i64 row = at / n, column = at % n;
		int r = (int)(row / rows);
		const float *theirs = translate(a + (row % rows) * k, me, r, peers);
		float s = 0;
		for (i64 i = 0; i < k; i++)
			s += theirs[i] * b[i * n + column];
		c[at] = s;
	}
}
