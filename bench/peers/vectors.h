/* The vectors of collectives: float32, small whole numbers, so that sums of them are
 * exact in any order. SIZE of an order is that of the whole: of the vector that is
 * broadcast or reduced, of what fcollect makes, of the input of reducescatter, of what
 * each PE has for all in alltoall. */
#ifndef VECTORS_H
#define VECTORS_H

#include <string.h>

static const char *const collectives[] = {"broadcast", "fcollect", "alltoall", "allreduce", "reducescatter"};

enum collective { BROADCAST, FCOLLECT, ALLTOALL, ALLREDUCE, REDUCESCATTER, COLLECTIVES };

#define COPIED ":c" /* after a collective: vectors are private, copied to the heap and back */

/* collective_of is COLLECTIVES for an operation that is none. */
static inline int collective_of(const char *op)
{
	size_t length = strcspn(op, ":");
	int c = 0;
	if (op[length] && strcmp(op + length, COPIED) != 0)
		return COLLECTIVES;
	while (c < COLLECTIVES && (strlen(collectives[c]) != length || strncmp(op, collectives[c], length) != 0))
		c++;
	return c;
}

/* element is number i of what PE pe sends in an order: another in every order. */
static inline float element(long order, long pe, long i) { return (order * 31 + pe * 17 + i) & 1023; }

static inline void fill_vector(float *v, long n, long order, long pe)
{
	for (long i = 0; i < n; i++)
		v[i] = element(order, pe, i);
}

enum { SPOTS = 61 };

/* spot is where the k-th look at n elements goes. */
static inline long spot(long n, long k) { return n <= SPOTS ? k % n : k * (n - 1) / (SPOTS - 1); }

/* forget_spots makes sure that what is looked at later has arrived since. */
static inline void forget_spots(float *dst, long n)
{
	for (long k = 0; k < SPOTS; k++)
		dst[spot(n, k)] = -1;
}

/* expected is what element i of the result of PE me is. whole is the elements in SIZE. */
static inline float expected(int c, long order, long me, long npes, long whole, long i)
{
	long block = whole / npes;
	float sum = 0;
	switch (c) {
	case BROADCAST:
		return element(order, 0, i);
	case FCOLLECT:
		return element(order, i / block, i % block);
	case ALLTOALL:
		return element(order, i / block, me * block + i % block);
	case REDUCESCATTER:
		i += me * block;
	}
	for (long pe = 0; pe < npes; pe++)
		sum += element(order, pe, i);
	return sum;
}

/* spots_are_right looks at the result of PE me. */
static inline int spots_are_right(const float *dst, int c, long order, long me, long npes, long whole)
{
	long n = c == REDUCESCATTER ? whole / npes : whole;
	for (long k = 0; k < SPOTS; k++)
		if (dst[spot(n, k)] != expected(c, order, me, npes, whole, spot(n, k)))
			return 0;
	return 1;
}

#endif
