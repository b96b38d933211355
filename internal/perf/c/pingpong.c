/* pingpong TRIPS CORE CORE: two processes hand a word to and fro through one
 * shared mapping, each spinning on a cache line of its own, and print how many
 * nanoseconds a round trip takes. Nothing that synchronises two processes in
 * memory can be faster; a barrier of two has to do the same. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* Two lines that one prefetch does not bring together. */
struct lines {
	_Alignas(256) atomic_uint ping;
	_Alignas(256) atomic_uint pong;
};

static int bind_to(const char *core)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(atoi(core), &set);
	return sched_setaffinity(0, sizeof set, &set);
}

static void await(atomic_uint *word, unsigned value)
{
	while (atomic_load_explicit(word, memory_order_acquire) != value)
		;
}

static void serve(struct lines *l, unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i++) {
		await(&l->ping, i);
		atomic_store_explicit(&l->pong, i, memory_order_release);
	}
}

static void ask(struct lines *l, unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i++) {
		atomic_store_explicit(&l->ping, i, memory_order_release);
		await(&l->pong, i);
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: pingpong TRIPS CORE CORE\n");
		return 2;
	}
	const unsigned warm = 1000, trips = strtoul(argv[1], NULL, 10);
	struct lines *l = mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (l == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	pid_t child = fork();
	if (child < 0) {
		perror("fork");
		return 1;
	}
	if (bind_to(argv[child == 0 ? 2 : 3]) != 0) {
		perror("bind");
		return 1;
	}
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody is left to ask */
		serve(l, 1, warm + trips);
		_exit(0);
	}
	ask(l, 1, warm);
	double start = now();
	ask(l, warm + 1, warm + trips);
	double spent = now() - start;
	if (waitpid(child, NULL, 0) != child) {
		perror("wait");
		return 1;
	}
	printf("%.3f\n", spent / trips);
	return 0;
}
