/* vectors makes results of all collectives of 2 and 3 PEs by the definition, looks at
 * them, spoils each in one place, and looks again. */
#include <stdio.h>
#include <stdlib.h>

#include "vectors.h"

enum { ORDER = 5, MOST = 3 };

static float src[MOST][600], dst[600];

static float reduced(int npes, long i)
{
	float sum = 0;
	for (int pe = 0; pe < npes; pe++)
		sum += src[pe][i];
	return sum;
}

static void make(int c, int me, int npes, long whole)
{
	long block = whole / npes;
	for (long i = 0; i < whole; i++)
		switch (c) {
		case BROADCAST:
			dst[i] = src[0][i];
			break;
		case FCOLLECT:
			dst[i] = src[i / block][i % block];
			break;
		case ALLTOALL:
			dst[i] = src[i / block][me * block + i % block];
			break;
		case ALLREDUCE:
			dst[i] = reduced(npes, i);
			break;
		case REDUCESCATTER:
			dst[i] = i < block ? reduced(npes, me * block + i) : 0;
			break;
		}
}

int main(void)
{
	int right = 0, wrong = 0;
	for (int pe = 0; pe < MOST; pe++)
		fill_vector(src[pe], 600, ORDER, pe);
	for (int npes = 2; npes <= MOST; npes++)
		for (int c = 0; c < COLLECTIVES; c++)
			for (int k = 0; k < 3; k++) {
				long whole = (long[]){npes, 48, 600}[k];
				int me = npes - 1;
				make(c, me, npes, whole);
				right += spots_are_right(dst, c, ORDER, me, npes, whole);
				dst[0]++;
				wrong += !spots_are_right(dst, c, ORDER, me, npes, whole);
			}
	printf("%d results are right, %d are wrong\n", right, wrong);
	return 0;
}
