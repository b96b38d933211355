/* mpi SOCKET [CORE...]: ranks of an MPI library that measure the collectives they are
 * told to (order.h), each as often as the order says, from one barrier to the next.
 * Between orders all ranks sleep, so that the cores are free for whom we are compared
 * with. */
#define _GNU_SOURCE
#include <mpi.h>

#include "peer.h"
#include "vectors.h"

enum { LEADER = 0, TAG = 1, WORDS = 4 };

static int me, npes;
static long orders;
static float *src, *dst; /* MOST_BYTES each */

/* loop does a collective n times. whole is the elements in SIZE. */
static void loop(int c, int whole, long n)
{
	int block = whole / npes;
	for (; n > 0; n--)
		switch (c) {
		case BROADCAST:
			MPI_Bcast(me == LEADER ? src : dst, whole, MPI_FLOAT, LEADER, MPI_COMM_WORLD);
			break;
		case FCOLLECT:
			MPI_Allgather(src, block, MPI_FLOAT, dst, block, MPI_FLOAT, MPI_COMM_WORLD);
			break;
		case ALLTOALL:
			MPI_Alltoall(src, block, MPI_FLOAT, dst, block, MPI_FLOAT, MPI_COMM_WORLD);
			break;
		case ALLREDUCE:
			MPI_Allreduce(src, dst, whole, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
			break;
		case REDUCESCATTER:
			MPI_Reduce_scatter_block(src, dst, block, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
			break;
		}
}

/* together is one rank's part in an order. */
static double together(const long *order, const char **wrong)
{
	long c = order[0], whole = order[1] / sizeof *src;
	int right, all;
	orders++;
	fill_vector(src, whole, orders, me);
	forget_spots(dst, c == REDUCESCATTER ? whole / npes : whole);
	MPI_Barrier(MPI_COMM_WORLD);
	loop(c, whole, order[2]);
	MPI_Barrier(MPI_COMM_WORLD);
	double start = now();
	loop(c, whole, order[3]);
	MPI_Barrier(MPI_COMM_WORLD);
	double spent = now() - start;
	right = (c == BROADCAST && me == LEADER) || spots_are_right(dst, c, orders, me, npes, whole);
	MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (!all)
		*wrong = "what arrived is not what was sent";
	return spent;
}

static void tell(const long *order)
{
	for (int pe = 1; pe < npes; pe++)
		MPI_Send(order, WORDS, MPI_LONG, pe, TAG, MPI_COMM_WORLD);
}

/* follow is what all ranks but the leader do. */
static void follow(void)
{
	for (;;) {
		long order[WORDS];
		const char *wrong;
		int here = 0;
		while (MPI_Iprobe(LEADER, TAG, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE), !here)
			idle(npes);
		MPI_Recv(order, WORDS, MPI_LONG, LEADER, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (order[0] == COLLECTIVES)
			return;
		together(order, &wrong);
	}
}

static double lead(const struct order *o, const char **wrong)
{
	long order[WORDS] = {collective_of(o->op), o->size, o->n / 10 + 1, o->n};
	if (order[0] == COLLECTIVES || strchr(o->op, ':')) { /* all vectors are private here */
		*wrong = "there is no such operation";
		return 0;
	}
	if (order[1] % ((order[0] == BROADCAST || order[0] == ALLREDUCE ? 1 : npes) * sizeof *src) != 0) {
		*wrong = "SIZE must be whole elements for every PE";
		return 0;
	}
	tell(order);
	return together(order, wrong);
}

static void dismiss(void)
{
	long order[WORDS] = {COLLECTIVES};
	tell(order);
}

int main(int argc, char **argv)
{
	prepare(argc, argv);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &npes);
	src = aligned_alloc(4096, MOST_BYTES);
	dst = aligned_alloc(4096, MOST_BYTES);
	if (!src || !dst)
		fail("vectors");
	if (me == LEADER) {
		char version[MPI_MAX_LIBRARY_VERSION_STRING], ready[64 + sizeof version];
		int length;
		MPI_Get_library_version(version, &length);
		version[strcspn(version, ",\n")] = 0;
		snprintf(ready, sizeof ready, "%d %s", npes, version);
		serve(dial(argv[1]), ready, lead, dismiss);
	} else {
		follow();
	}
	MPI_Finalize();
	return 0;
}
