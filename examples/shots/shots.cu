#include "goshmem.h"
using namespace goshmem;

// meet waits until this block of all ranks has come here for the round.
GOSHMEM_FN void meet(u64 *flags, u64 round, i32 me, i32 ranks, const i64 *peers) {
	u64 *mine = flags + (u64)GOSHMEM_BLOCK * ranks;
	fence();
	GOSHMEM_SYNC();
	for (int r = GOSHMEM_THREAD; r < ranks; r += GOSHMEM_THREADS)
		signal_set(mine + me, round, me, r, peers);
	for (int r = GOSHMEM_THREAD; r < ranks; r += GOSHMEM_THREADS)
		while (!wait_until(mine + r, ge, round)) {
		}
	GOSHMEM_SYNC();
}

struct alignas(16) four { float x, y, z, w; }; // aligned, so that one instruction moves it

// sum adds up the i-th four numbers of all ranks, in the same order on every rank.
GOSHMEM_FN four sum(const float *in, u64 i, i32 me, i32 ranks, const i64 *peers) {
	four s = {0, 0, 0, 0};
	for (int r = 0; r < ranks; r++) {
		four v = *translate((const four *)in + i, me, r, peers);
		s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
	}
	return s;
}

// one_shot: every rank reads everything of every rank. n is in fours; a launch is two
// rounds of meetings.
GOSHMEM_KERNEL void one_shot(const float *in, float *out, u64 *flags, u64 n, u64 round, i32 me, i32 ranks, const i64 *peers) {
	meet(flags, 2 * round - 1, me, ranks, peers);
	GOSHMEM_EACH(i, n)
		((four *)out)[i] = sum(in, i, me, ranks, peers);
	meet(flags, 2 * round, me, ranks, peers);
}

// two_shot: every rank adds up its share and stores it at all ranks; out is symmetric.
GOSHMEM_KERNEL void two_shot(const float *in, float *out, u64 *flags, u64 n, u64 round, i32 me, i32 ranks, const i64 *peers) {
	meet(flags, 2 * round - 1, me, ranks, peers);
	u64 share = (n + ranks - 1) / ranks, first = share * me;
	u64 count = first >= n ? 0 : n - first < share ? n - first : share;
	GOSHMEM_EACH(i, count) {
		four s = sum(in, first + i, me, ranks, peers);
		for (int k = 0; k < ranks; k++) {
			int r = (me + k) % ranks; // not all at the same rank at once
			*translate((four *)out + first + i, me, r, peers) = s;
		}
	}
	meet(flags, 2 * round, me, ranks, peers);
}
