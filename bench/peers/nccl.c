/* nccl CUDA NCCL ID CALLS ROUNDS MODE...: small collectives of NCCL's from C, one process
 * per rank, as ranks of any launcher that sets RANK or GOSHMEM_RANK. MODE is blocking or
 * nonblocking: the kind of communicator. ID is a path: rank 0 leaves the id of a
 * communicator in a file there, which must not be there yet. Rank 0 writes lines of JSON:
 *
 *     {"op": "all_reduce", "bytes": 8, "mode": "blocking", "measure": "call", "us": 14.2}
 *
 * Measure call is a call and then a wait for the stream, enqueue what the host needs for one
 * of CALLS that are queued, queue the time of one of these on the device. All are those of
 * the slowest rank, and medians of ROUNDS.
 *
 * It needs a C compiler only: what it uses of the vendors' headers stands here. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "peer.h"

typedef unsigned long long address;
typedef void *handle;
typedef struct { char internal[128]; } uniqueid;
typedef struct { size_t size; unsigned magic, version; int blocking; } config; /* of NCCL 2.14 */

/* Our name, the library's, the parameters; all return an int, in which 0 is good. */
#define DRIVER(F) \
	F(init, "cuInit", (unsigned)) \
	F(count, "cuDeviceGetCount", (int *)) \
	F(retain, "cuDevicePrimaryCtxRetain", (handle *, int)) \
	F(make_current, "cuCtxSetCurrent", (handle)) \
	F(device_alloc, "cuMemAlloc_v2", (address *, size_t)) \
	F(copy_in, "cuMemcpyHtoDAsync_v2", (address, const void *, size_t, handle)) \
	F(copy_out, "cuMemcpyDtoHAsync_v2", (void *, address, size_t, handle)) \
	F(new_stream, "cuStreamCreateWithPriority", (handle *, unsigned, int)) \
	F(finish, "cuStreamSynchronize", (handle)) \
	F(new_event, "cuEventCreate", (handle *, unsigned)) \
	F(record, "cuEventRecord", (handle, handle)) \
	F(elapsed, "cuEventElapsedTime", (float *, handle, handle))
#define LIBRARY(F) \
	F(get_version, "ncclGetVersion", (int *)) \
	F(get_id, "ncclGetUniqueId", (uniqueid *)) \
	F(new_comm, "ncclCommInitRankConfig", (handle *, int, uniqueid, int, config *)) \
	F(state, "ncclCommGetAsyncError", (handle, int *)) \
	F(finalize, "ncclCommFinalize", (handle)) \
	F(destroy, "ncclCommDestroy", (handle)) \
	F(all_reduce, "ncclAllReduce", (address, address, size_t, int, int, handle, handle)) \
	F(all_gather, "ncclAllGather", (address, address, size_t, int, handle, handle)) \
	F(reduce_scatter, "ncclReduceScatter", (address, address, size_t, int, int, handle, handle)) \
	F(broadcast, "ncclBroadcast", (address, address, size_t, int, int, handle, handle))

#define DECLARE(name, symbol, parameters) static int(*name) parameters;
DRIVER(DECLARE)
LIBRARY(DECLARE)

enum { NON_BLOCKING = 1, IN_PROGRESS = 7, FLOAT32 = 7, FLOAT64 = 8, SUM = 0, MAX = 2 };
#define MAGIC 0xcafebeef
enum { SINCE_BLOCKING = 21400, WARM = 5, PATIENCE = 120, MOST_ROUNDS = 64 };

#define LARGEST (64L << 10)

static int rank, ranks, local, blocking;
static handle stream, first, last, comm;
static address from, to, numbers;

/* try ends the program when a call fails: nothing can be measured then. */
static void try(int status, const char *what)
{
	if (!status)
		return;
	fprintf(stderr, "rank %d: %s: %d\n", rank, what, status);
	exit(1);
}
#define DO(call) try(call, #call)

/* begun waits until the library is done with what a call has begun, if it does not block. */
static inline void begun(int status, const char *what)
{
	while (status == IN_PROGRESS && !blocking)
		try(state(comm, &status), what);
	try(status, what);
}
#define BEGIN(call) begun(call, #call)

static int number(const char *name, const char *other)
{
	const char *text = getenv(name);
	if (!text)
		text = getenv(other);
	if (!text) {
		fprintf(stderr, "neither %s nor %s is set: start this with a launcher\n", name, other);
		exit(1);
	}
	return atoi(text);
}

static void open_libraries(char **paths)
{
	void *library = dlopen(paths[0], RTLD_NOW | RTLD_GLOBAL);
#define FIND(name, symbol, parameters) \
	if (!library || !(*(void **)&name = dlsym(library, symbol))) { \
		fprintf(stderr, "%s\n", dlerror()); \
		exit(1); \
	}
	DRIVER(FIND)
	library = dlopen(paths[1], RTLD_NOW | RTLD_GLOBAL);
	LIBRARY(FIND)
}

/* share has all ranks know the id that rank 0 makes. The file appears whole. */
static void share(const char *prefix, const char *mode, uniqueid *id)
{
	char whole[512], path[sizeof whole + 8];
	FILE *f;
	snprintf(whole, sizeof whole, "%s.%s", prefix, mode);
	snprintf(path, sizeof path, "%s.part", whole);
	if (!rank) {
		DO(get_id(id));
		if (!(f = fopen(path, "wb")) || fwrite(id, sizeof *id, 1, f) != 1 || fclose(f) != 0 || rename(path, whole) != 0)
			fail(whole);
		return;
	}
	while (!(f = fopen(whole, "rb")))
		nanosleep(&(struct timespec){0, 1000000}, NULL); /* the alarm ends this */
	if (fread(id, sizeof *id, 1, f) != 1 || fclose(f) != 0)
		fail(whole);
}

static void open_device(void)
{
	int devices;
	handle context;
	DO(init(0));
	DO(count(&devices));
	DO(retain(&context, local % devices));
	DO(make_current(context));
	DO(new_stream(&stream, NON_BLOCKING, 0));
	DO(new_event(&first, 0));
	DO(new_event(&last, 0));
	DO(device_alloc(&numbers, 64));
	DO(device_alloc(&from, LARGEST));
	DO(device_alloc(&to, LARGEST));
}

static void open_comm(const char *prefix, const char *mode)
{
	config c = {sizeof c, MAGIC, SINCE_BLOCKING, strcmp(mode, "blocking") == 0};
	uniqueid id;
	blocking = c.blocking;
	share(prefix, mode, &id);
	BEGIN(new_comm(&comm, ranks, id, rank, &c));
}

static void close_comm(void)
{
	BEGIN(finalize(comm));
	DO(destroy(comm));
}

/* Each does one collective on n elements, of which the ranks have parts or all. */
static void do_all_reduce(long n) { BEGIN(all_reduce(from, to, n, FLOAT32, SUM, comm, stream)); }
static void do_all_gather(long n) { BEGIN(all_gather(from, to, n / ranks, FLOAT32, comm, stream)); }
static void do_reduce_scatter(long n) { BEGIN(reduce_scatter(from, to, n / ranks, FLOAT32, SUM, comm, stream)); }
static void do_broadcast(long n) { BEGIN(broadcast(from, to, n, FLOAT32, 0, comm, stream)); }

/* slowest has all ranks know the largest of each number, and is a barrier. */
static void slowest(double *list, int n)
{
	DO(copy_in(numbers, list, n * sizeof *list, stream));
	BEGIN(all_reduce(numbers, numbers, n, FLOAT64, MAX, comm, stream));
	DO(copy_out(list, numbers, n * sizeof *list, stream));
	DO(finish(stream));
}

/* once measures one round, in nanoseconds: call, enqueue, queue. */
static void once(void (*f)(long), long n, int calls, double *took)
{
	float ms;
	double began;
	slowest(took, 3);
	began = now();
	for (int i = 0; i < calls; i++) {
		f(n);
		DO(finish(stream));
	}
	took[0] = (now() - began) / calls;
	slowest(took, 3);
	DO(record(first, stream));
	began = now();
	for (int i = 0; i < calls; i++)
		f(n);
	took[1] = (now() - began) / calls;
	DO(record(last, stream));
	DO(finish(stream));
	DO(elapsed(&ms, first, last));
	took[2] = ms * 1e6 / calls;
	slowest(took, 3);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void report(const char *op, void (*f)(long), long bytes, const char *mode, int calls, int rounds)
{
	static const char *const measures[] = {"call", "enqueue", "queue"};
	static double all[3][MOST_ROUNDS];
	long n = bytes / 4 / ranks * ranks;
	if (n < ranks)
		n = ranks;
	for (int i = 0; i < WARM; i++)
		f(n);
	for (int r = 0; r < rounds; r++) {
		double took[3] = {0};
		once(f, n, calls, took);
		for (int m = 0; m < 3; m++)
			all[m][r] = took[m];
	}
	for (int m = 0; !rank && m < 3; m++) {
		qsort(all[m], rounds, sizeof **all, ascending);
		printf("{\"op\": \"%s\", \"bytes\": %ld, \"mode\": \"%s\", \"measure\": \"%s\", \"us\": %.3f}\n",
			op, bytes, mode, measures[m], all[m][rounds / 2] / 1000);
	}
}

static void measure_all(const char *mode, int calls, int rounds)
{
	static const struct { const char *name; void (*f)(long); } all[] = {
		{"all_reduce", do_all_reduce}, {"all_gather", do_all_gather}, {"reduce_scatter", do_reduce_scatter}, {"broadcast", do_broadcast}};
	static const long sizes[] = {8, 64, 512, 4 << 10, 32 << 10, LARGEST};
	for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
		for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
			report(all[k].name, all[k].f, sizes[i], mode, calls, rounds);
}

int main(int argc, char **argv)
{
	int version, calls = argc > 6 ? atoi(argv[4]) : 0, rounds = argc > 6 ? atoi(argv[5]) : 0;
	if (calls < 1 || rounds < 1 || rounds > MOST_ROUNDS) {
		fprintf(stderr, "usage: %s CUDA NCCL ID CALLS ROUNDS MODE...\n", argv[0]);
		return 2;
	}
	alarm(PATIENCE); /* nobody waits for ever for a rank that is gone */
	rank = number("GOSHMEM_RANK", "RANK");
	ranks = number("GOSHMEM_SIZE", "WORLD_SIZE");
	local = number("GOSHMEM_LOCAL_RANK", "LOCAL_RANK");
	open_libraries(argv + 1);
	open_device();
	DO(get_version(&version));
	if (!rank)
		printf("{\"program\": \"C\", \"version\": %d, \"ranks\": %d}\n", version, ranks);
	for (int i = 6; i < argc; i++) {
		open_comm(argv[3], argv[i]);
		measure_all(argv[i], calls, rounds);
		close_comm();
	}
	return 0;
}
