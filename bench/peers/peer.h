/* What the peers have in common: PE 0 takes orders (order.h) from a unix socket until
 * it closes or says "quit". */
#ifndef PEER_H
#define PEER_H

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "order.h"

static inline double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* idle is what a PE does between two looks for an order. All of them together
 * look twice in a millisecond, however many there are. */
static inline void idle(int npes)
{
	struct timespec t = {0, npes * 500000L};
	nanosleep(&t, NULL);
}

static inline void fail(const char *what)
{
	perror(what);
	exit(1);
}

static inline int dial(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0)
		fail(path);
	return fd;
}

/* bind_to binds this process before the library starts threads: with cores, PE i
 * runs on the i-th. */
static inline void bind_to(int cores, char **core)
{
	const char *rank = getenv("PMIX_RANK");
	if (!rank)
		rank = getenv("PMI_RANK");
	if (!rank || atoi(rank) >= cores) {
		fprintf(stderr, "no core for rank %s (PMIX_RANK or PMI_RANK)\n", rank ? rank : "unknown");
		exit(1);
	}
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(atoi(core[atoi(rank)]), &set);
	if (sched_setaffinity(0, sizeof set, &set) != 0)
		fail("bind");
}

/* prepare is what a PE does first, with its arguments SOCKET [CORE...]. */
static inline void prepare(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s SOCKET [CORE...]\n", argv[0]);
		exit(2);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody is left to ask */
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (argc > 2)
		bind_to(argc - 2, argv + 2);
}

/* A measure carries out an order and returns the nanoseconds, or says what is wrong. */
typedef double measure(const struct order *o, const char **wrong);

/* serve takes orders, dismisses the other PEs, and says bye. A line is flushed before
 * anything else is done: what comes after the last one may go wrong in the library,
 * and does in some. */
static inline void serve(int fd, const char *ready, measure *measure, void (*dismiss)(void))
{
	FILE *in = fdopen(fd, "r"), *out = fdopen(dup(fd), "w");
	char line[256];
	fprintf(out, "ready %s\n", ready);
	fflush(out);
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
	dismiss();
	fprintf(out, "bye\n");
	fflush(out);
}

#endif
