/* oshmem SOCKET [CORE...]: PEs of an OpenSHMEM 1.4 library that measure what they
 * are told to (order.h). PE 0 times each order, and checks that what was to be moved
 * has arrived. Between orders all PEs sleep, so that the cores are free for whom we
 * are compared with. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>

#include "peer.h"
#include "vectors.h"

enum { TARGET = 1, PAGE = 4096 };
enum act { QUIT, BARRIER, SYNC, PINGPONG, SEEN, COLLECTIVE }; /* what all PEs do together: above are all collectives, then those with private vectors */

static int me, npes;
static long *told; /* symmetric: count of orders, act, bytes, operations before the clock starts, operations */
static long *ball; /* symmetric: what is handed to and fro, alone in its line */
static long *word; /* symmetric: of the operations on one word */
static char *heap; /* symmetric: MOST_BYTES */
static char *mine; /* private: MOST_BYTES */
static long orders, thrown, place, patterns;

/* The loops. */

/* REPEAT does the statement n times, with a quiet after every `every` times and
 * after the last. It uses n up. */
#define REPEAT(every, n) \
	for (long k; n > 0 && (k = n < every ? n : every) > 0; n -= k, shmem_quiet()) \
		for (long j = k; j > 0; j--)

static void put_loop(long size, long every, long n)
{
	char *to = heap, *from = mine;
	REPEAT (every, n)
		shmem_putmem(to, from, size, TARGET);
}

static void put_round_loop(long size, long area, long every, long n)
{
	REPEAT (every, n) {
		shmem_putmem(heap + place, mine + place, size, TARGET);
		place = place + 2 * size <= area ? place + size : 0;
	}
}

static void get_loop(long size, long n)
{
	char *to = mine, *from = heap;
	for (; n > 0; n--)
		shmem_getmem(to, from, size, TARGET);
}

static void get_round_loop(long size, long area, long n)
{
	for (; n > 0; n--) {
		shmem_getmem(mine + place, heap + place, size, TARGET);
		place = place + 2 * size <= area ? place + size : 0;
	}
}

static void p_loop(long every, long n)
{
	long i = 0;
	REPEAT (every, n)
		shmem_long_p(word, i++, TARGET);
}

static long g_loop(long n)
{
	long sum = 0;
	for (; n > 0; n--)
		sum += shmem_long_g(word, TARGET);
	return sum;
}

static void fetch_add_loop(long n)
{
	for (; n > 0; n--)
		shmem_long_atomic_fetch_add(word, 1, TARGET);
}

static void compare_swap_loop(long from, long n)
{
	for (long i = from; i < from + n; i++)
		shmem_long_atomic_compare_swap(word, i, i + 1, TARGET);
}

static void add_loop(long every, long n)
{
	REPEAT (every, n)
		shmem_long_atomic_add(word, 1, TARGET);
}

static void barrier_loop(long n)
{
	for (; n > 0; n--)
		shmem_barrier_all();
}

static void sync_loop(long n)
{
	for (; n > 0; n--)
		shmem_sync_all();
}

static void pingpong_loop(long n)
{
	for (long last = thrown + n; thrown < last;) {
		thrown++;
		if (me == 0)
			shmem_long_p(ball, thrown, TARGET);
		shmem_long_wait_until(ball, SHMEM_CMP_GE, thrown);
		if (me != 0)
			shmem_long_p(ball, thrown, 0);
	}
}

/* seen_loop waits by looking at the word, without the library. */
static void seen_loop(long n)
{
	volatile long *here = ball;
	for (long last = thrown + n; thrown < last;) {
		thrown++;
		if (me == 0)
			shmem_putmem(ball, &thrown, sizeof thrown, TARGET);
		while (*here < thrown)
			;
		if (me != 0)
			shmem_putmem(ball, &thrown, sizeof thrown, 0);
	}
}

/* together is one PE's part in an act. */
static void together(enum act a, long n)
{
	switch (a) {
	case BARRIER:
		barrier_loop(n);
		break;
	case SYNC:
		sync_loop(n);
		break;
	case PINGPONG:
		pingpong_loop(n);
		break;
	case SEEN:
		seen_loop(n);
		break;
	default:
		break;
	}
}

/* Collectives, with the arrays that their calls need. */

enum { ROTATED = 8 };

static struct {
	float *src, *dst, *work; /* symmetric: MOST_BYTES each */
	float *in, *out;         /* private, likewise */
	long *sync[ROTATED];     /* symmetric */
	long *wrong;             /* symmetric, of PE 0: a result that was not right */
} vectors;

/* allocate_vectors is for the first collective: other measurements need none. */
static void allocate_vectors(void)
{
	enum { MOST_SYNC = 4096 };
	if (vectors.src)
		return;
	_Static_assert(SHMEM_BCAST_SYNC_SIZE <= MOST_SYNC && SHMEM_COLLECT_SYNC_SIZE <= MOST_SYNC && SHMEM_ALLTOALL_SYNC_SIZE <= MOST_SYNC && SHMEM_REDUCE_SYNC_SIZE <= MOST_SYNC, "a sync array is too small");
	_Static_assert(SHMEM_REDUCE_MIN_WRKDATA_SIZE * sizeof(float) * ROTATED <= MOST_BYTES, "the work array is too small");
	vectors.src = shmem_align(PAGE, MOST_BYTES);
	vectors.dst = shmem_align(PAGE, MOST_BYTES);
	vectors.work = shmem_align(PAGE, MOST_BYTES);
	vectors.wrong = shmem_align(PAGE, PAGE);
	vectors.in = aligned_alloc(PAGE, MOST_BYTES);
	vectors.out = aligned_alloc(PAGE, MOST_BYTES);
	for (int i = 0; i < ROTATED; i++) {
		vectors.sync[i] = shmem_align(PAGE, MOST_SYNC * sizeof(long));
		for (int k = 0; vectors.sync[i] && k < MOST_SYNC; k++)
			vectors.sync[i][k] = SHMEM_SYNC_VALUE;
	}
	if (!vectors.src || !vectors.dst || !vectors.work || !vectors.wrong || !vectors.in || !vectors.out || !vectors.sync[ROTATED - 1]) {
		fprintf(stderr, "out of memory: the symmetric heap must have 512 MiB\n");
		shmem_global_exit(1);
	}
	*vectors.wrong = 0;
	shmem_barrier_all();
}

/* collective_loop has sync and work arrays take turns, and a barrier before they
 * come round. whole is the elements in SIZE; elements of 8 bytes are moved where
 * there are some. copied: private vectors are copied in and out. The root of a
 * broadcast has the vector already, the others have none yet. */
static void collective_loop(int c, int copied, long whole, long n)
{
	int sends = copied && (c != BROADCAST || me == 0), gets = copied && (c != BROADCAST || me != 0);
	long block = whole / npes, work = whole / 2 + 1;
	if (work < SHMEM_REDUCE_MIN_WRKDATA_SIZE)
		work = SHMEM_REDUCE_MIN_WRKDATA_SIZE;
	long rotated = MOST_BYTES / (work * (long)sizeof(float));
	if (rotated > ROTATED)
		rotated = ROTATED;
	float *src = vectors.src, *dst = vectors.dst;
	for (long i = 0; n > 0; n--) {
		long *sync = vectors.sync[i];
		if (sends)
			memcpy(src, vectors.in, sizeof *src * (c == FCOLLECT ? block : whole));
		switch (c) {
		case BROADCAST:
			shmem_broadcast64(dst, src, whole / 2, 0, 0, 0, npes, sync);
			break;
		case FCOLLECT:
			shmem_fcollect64(dst, src, block / 2, 0, 0, npes, sync);
			break;
		case ALLTOALL:
			shmem_alltoall64(dst, src, block / 2, 0, 0, npes, sync);
			break;
		case ALLREDUCE:
			shmem_float_sum_to_all(dst, src, whole, 0, 0, npes, vectors.work + i * work, sync);
			break;
		}
		if (gets)
			memcpy(vectors.out, dst, sizeof *dst * whole);
		if (++i == rotated) {
			i = 0;
			shmem_barrier_all();
		}
	}
	shmem_barrier_all();
}

/* collective is one PE's part in a collective: the time ends when all have ended. */
static double collective(int c, int copied, long size, long warm, long n)
{
	long whole = size / sizeof(float);
	allocate_vectors();
	float *result = copied ? vectors.out : vectors.dst;
	fill_vector(copied ? vectors.in : vectors.src, whole, orders, me);
	forget_spots(result, whole);
	shmem_barrier_all();
	collective_loop(c, copied, whole, warm);
	double start = now();
	collective_loop(c, copied, whole, n);
	double spent = now() - start;
	if ((c != BROADCAST || me != 0) && !spots_are_right(result, c, orders, me, npes, whole))
		shmem_long_p(vectors.wrong, 1, 0);
	shmem_barrier_all();
	return spent;
}

/* tell gives all others an order: the count comes last. */
static void tell(int a, long size, long warm, long n)
{
	long order[] = {++orders, a, size, warm, n};
	for (int pe = 1; pe < npes; pe++) {
		shmem_putmem(told + 1, order + 1, sizeof order - sizeof order[0], pe);
		shmem_fence();
		shmem_long_p(told, orders, pe);
	}
	shmem_quiet();
}

/* perform is one PE's part in an order. */
static double perform(int a, long size, long warm, long n)
{
	if (a >= COLLECTIVE)
		return collective((a - COLLECTIVE) % COLLECTIVES, a >= COLLECTIVE + COLLECTIVES, size, warm, n);
	shmem_barrier_all();
	together(a, warm);
	double start = now();
	together(a, n);
	return now() - start;
}

/* follow is what all PEs but the first do. */
static void follow(void)
{
	for (;;) {
		orders++;
		while (!shmem_long_test(told, SHMEM_CMP_GE, orders))
			idle(npes);
		if (told[1] == QUIT)
			return;
		perform(told[1], told[2], told[3], told[4]);
	}
}

static double lead(int a, long size, long warm, long n)
{
	tell(a, size, warm, n);
	return perform(a, size, warm, n);
}

static double lead_collective(const struct order *o, int c, long warm, const char **wrong)
{
	if (o->size % (8 * (c == FCOLLECT || c == ALLTOALL ? npes : 1)) != 0) {
		*wrong = "SIZE must be whole elements for every PE";
		return 0;
	}
	int copied = strchr(o->op, ':') != NULL;
	double spent = lead(COLLECTIVE + c + copied * COLLECTIVES, o->size, warm, o->n);
	if (*vectors.wrong)
		*wrong = "what arrived is not what was sent";
	*vectors.wrong = 0;
	return spent;
}

/* pattern is what word i of a block has: something else in every order. */
static long pattern(long i) { return patterns * 1000003 + i; }

static void fill(char *block, long size)
{
	for (long i = 0; i < size / 8; i++)
		((long *)block)[i] = pattern(i);
}

static int filled(const char *block, long size)
{
	for (long i = 0; i < size / 8; i++)
		if (((const long *)block)[i] != pattern(i))
			return 0;
	return 1;
}

/* moves measures put and get. Before, the block that the last operation will
 * reach is written, and afterwards it is looked at on the other side. */
static double moves(const struct order *o, long warm, const char **wrong)
{
	int put = strcmp(o->op, "put") == 0;
	long blocks = o->area / o->size;
	place = place / o->size * o->size % o->area;
	long last = (place / o->size + warm + o->n - 1) % blocks * o->size;
	double start = 0;
	patterns++;
	fill(mine + last, o->size);
	if (!put) {
		shmem_putmem(heap + last, mine + last, o->size, TARGET);
		shmem_quiet();
		memset(mine + last, 0, o->size);
	}
	for (int timed = 0; timed < 2; timed++) {
		long n = timed ? o->n : warm;
		start = now();
		if (put && blocks == 1)
			put_loop(o->size, o->every, n);
		else if (put)
			put_round_loop(o->size, o->area, o->every, n);
		else if (blocks == 1)
			get_loop(o->size, n);
		else
			get_round_loop(o->size, o->area, n);
	}
	double spent = now() - start;
	if (put) {
		memset(mine + last, 0, o->size);
		shmem_getmem(mine + last, heap + last, o->size, TARGET);
	}
	if (!filled(mine + last, o->size))
		*wrong = "what arrived is not what was sent";
	return spent;
}

/* words measures the operations on one word, which begins as 0. */
static double words(const struct order *o, long warm, const char **wrong)
{
	double start = 0;
	long want = warm + o->n, got = -1, n = warm;
	shmem_long_p(word, 0, TARGET);
	shmem_quiet();
	if (strcmp(o->op, "g") == 0) {
		shmem_long_p(word, 3, TARGET);
		shmem_quiet();
	}
	for (int timed = 0; timed < 2; timed++, n = o->n) {
		start = now();
		if (strcmp(o->op, "p") == 0)
			p_loop(o->every, n);
		else if (strcmp(o->op, "g") == 0)
			got = g_loop(n);
		else if (strcmp(o->op, "fetch_add") == 0)
			fetch_add_loop(n);
		else if (strcmp(o->op, "compare_swap") == 0)
			compare_swap_loop(timed ? warm : 0, n);
		else if (strcmp(o->op, "add") == 0)
			add_loop(o->every, n);
		else
			*wrong = "there is no such operation";
	}
	double spent = now() - start;
	if (strcmp(o->op, "g") == 0)
		want = 3 * o->n;
	else
		got = shmem_long_g(word, TARGET);
	if (strcmp(o->op, "p") == 0)
		want = o->n - 1;
	if (!*wrong && got != want)
		*wrong = "the word has not the value that so many operations give";
	return spent;
}

/* obey carries out an order. */
static double obey(const struct order *o, const char **wrong)
{
	long warm = o->n / 10 + 1;
	int c = collective_of(o->op);
	if (c < REDUCESCATTER) /* that is none of OpenSHMEM's */
		return lead_collective(o, c, warm, wrong);
	if (strcmp(o->op, "barrier_all") == 0)
		return lead(BARRIER, 0, warm, o->n);
	if (strcmp(o->op, "sync_all") == 0)
		return lead(SYNC, 0, warm, o->n);
	if (npes != 2) {
		*wrong = "that is for two PEs";
		return 0;
	}
	if (strcmp(o->op, "pingpong") == 0 || strcmp(o->op, "seen") == 0) {
		double spent = lead(o->op[0] == 'p' ? PINGPONG : SEEN, 0, warm, o->n);
		if (shmem_long_g(ball, TARGET) != thrown)
			*wrong = "the ball was lost";
		return spent / 2; /* one way */
	}
	if (strcmp(o->op, "put") == 0 || strcmp(o->op, "get") == 0)
		return moves(o, warm, wrong);
	return words(o, warm, wrong);
}

static void dismiss(void) { tell(QUIT, 0, 0, 0); }

/* ucx is the version of the transport library, if one is in use. */
static const char *ucx(void)
{
	void *lib = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
	const char *(*version)(void) = lib ? (const char *(*)(void))dlsym(lib, "ucp_get_version_string") : NULL;
	return version ? version() : "none";
}

/* allocate also touches every page, each PE its own. Only two PEs move blocks. */
static void allocate(void)
{
	size_t most = npes == 2 ? MOST_BYTES : PAGE;
	told = shmem_align(PAGE, PAGE);
	ball = shmem_align(PAGE, PAGE);
	word = shmem_align(PAGE, PAGE);
	heap = shmem_align(PAGE, most);
	mine = aligned_alloc(PAGE, most);
	if (!told || !ball || !word || !heap || !mine) {
		fprintf(stderr, "out of memory: the symmetric heap must have 128 MiB\n");
		shmem_global_exit(1);
	}
	memset(told, 0, PAGE);
	memset(ball, 0, PAGE);
	memset(word, 0, PAGE);
	memset(heap, 1, most);
	memset(mine, 2, most);
}

int main(int argc, char **argv)
{
	prepare(argc, argv);
	shmem_init();
	me = shmem_my_pe();
	npes = shmem_n_pes();
	allocate();
	shmem_barrier_all();
	if (me == 0) {
		char ready[128];
		int major, minor;
		shmem_info_get_version(&major, &minor);
		snprintf(ready, sizeof ready, "%d OpenSHMEM %d.%d, UCX %s", npes, major, minor, ucx());
		serve(dial(argv[1]), ready, obey, dismiss);
	} else {
		follow();
	}
	shmem_finalize();
	return 0;
}
