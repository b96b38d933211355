/* oshmem SOCKET [CORE...]: PEs of an OpenSHMEM 1.4 library that measure what they
 * are told to. PE 0 takes orders from a unix socket (order.h) until it closes or
 * says "quit", times each, and checks that what was to be moved has arrived.
 * Between orders all PEs sleep, so that the cores are free for whom we are
 * compared with. With cores, PE i runs on the i-th. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "order.h"

enum { TARGET = 1, PAGE = 4096 };
enum act { QUIT, BARRIER, SYNC, PINGPONG, SEEN }; /* what all PEs do together */

static int me, npes;
static long *told; /* symmetric: count of orders, act, operations before the clock starts, operations */
static long *ball; /* symmetric: what is handed to and fro, alone in its line */
static long *word; /* symmetric: of the operations on one word */
static char *heap; /* symmetric: MOST_BYTES */
static char *mine; /* private: MOST_BYTES */
static long orders, thrown, place, patterns;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

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
	case QUIT:
		break;
	}
}

/* tell gives all others an order: the count comes last. */
static void tell(enum act a, long warm, long n)
{
	long order[] = {++orders, a, warm, n};
	for (int pe = 1; pe < npes; pe++) {
		shmem_putmem(told + 1, order + 1, sizeof order - sizeof order[0], pe);
		shmem_fence();
		shmem_long_p(told, orders, pe);
	}
	shmem_quiet();
}

/* idle is what a PE does between two looks for an order. All of them together
 * look twice in a millisecond, however many there are. */
static void idle(void)
{
	struct timespec t = {0, npes * 500000L};
	nanosleep(&t, NULL);
}

/* follow is what all PEs but the first do. */
static void follow(void)
{
	for (;;) {
		orders++;
		while (!shmem_long_test(told, SHMEM_CMP_GE, orders))
			idle();
		if (told[1] == QUIT)
			return;
		shmem_barrier_all();
		together(told[1], told[2]);
		together(told[1], told[3]);
	}
}

static double lead(enum act a, long warm, long n)
{
	tell(a, warm, n);
	shmem_barrier_all();
	together(a, warm);
	double start = now();
	together(a, n);
	return now() - start;
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

/* measure carries out an order. */
static double measure(const struct order *o, const char **wrong)
{
	long warm = o->n / 10 + 1;
	if (strcmp(o->op, "barrier_all") == 0)
		return lead(BARRIER, warm, o->n);
	if (strcmp(o->op, "sync_all") == 0)
		return lead(SYNC, warm, o->n);
	if (npes != 2) {
		*wrong = "that is for two PEs";
		return 0;
	}
	if (strcmp(o->op, "pingpong") == 0 || strcmp(o->op, "seen") == 0) {
		double spent = lead(o->op[0] == 'p' ? PINGPONG : SEEN, warm, o->n);
		if (shmem_long_g(ball, TARGET) != thrown)
			*wrong = "the ball was lost";
		return spent / 2; /* one way */
	}
	if (strcmp(o->op, "put") == 0 || strcmp(o->op, "get") == 0)
		return moves(o, warm, wrong);
	return words(o, warm, wrong);
}

/* serve takes orders. A line is flushed before anything else is done: what comes
 * after the last one may go wrong in the library, and does in some. */
static void serve(FILE *in, FILE *out)
{
	char line[256];
	while (fgets(line, sizeof line, in) && strcmp(line, "quit\n") != 0) {
		struct order o;
		double spent = 0;
		const char *wrong = parse_order(line, &o);
		if (!wrong)
			spent = measure(&o, &wrong);
		if (wrong)
			fprintf(out, "error %s: %s", wrong, line);
		else
			fprintf(out, "%.0f\n", spent);
		fflush(out);
	}
	tell(QUIT, 0, 0);
	fprintf(out, "bye\n");
	fflush(out);
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int dial(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0)
		fail(path);
	return fd;
}

/* bind_to binds this process before the library starts threads. */
static void bind_to(int argc, char **argv)
{
	const char *rank = getenv("PMIX_RANK");
	if (!rank || 2 + atoi(rank) >= argc) {
		fprintf(stderr, "no core for rank %s (PMIX_RANK)\n", rank ? rank : "unknown");
		exit(1);
	}
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[2 + atoi(rank)]), &set);
	if (sched_setaffinity(0, sizeof set, &set) != 0)
		fail("bind");
}

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
	if (argc < 2) {
		fprintf(stderr, "usage: oshmem SOCKET [CORE...]\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody is left to ask */
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (argc > 2)
		bind_to(argc, argv);
	shmem_init();
	me = shmem_my_pe();
	npes = shmem_n_pes();
	allocate();
	shmem_barrier_all();
	if (me == 0) {
		int fd = dial(argv[1]), major, minor;
		FILE *in = fdopen(fd, "r"), *out = fdopen(dup(fd), "w");
		shmem_info_get_version(&major, &minor);
		fprintf(out, "ready %d OpenSHMEM %d.%d, UCX %s\n", npes, major, minor, ucx());
		fflush(out);
		serve(in, out);
	} else {
		follow();
	}
	shmem_finalize();
	return 0;
}
