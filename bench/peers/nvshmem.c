/* nvshmem CUDA NVSHMEM: two processes in C, each on a device of its own, do on streams
 * what engine nvshmem does, by calling NVSHMEM. It gets the paths of both libraries.
 * Process 0 writes the lines that streams.c writes.
 *
 * It needs a C compiler only: what it uses of the vendor's headers stands here. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "peer.h"

typedef void *handle;
typedef struct { int version; char internal[124]; } uniqueid;

/* Our name, the library's, the result, the parameters. */
#define DRIVER(F) \
	F(init, "cuInit", int, (unsigned)) \
	F(count, "cuDeviceGetCount", int, (int *)) \
	F(retain, "cuDevicePrimaryCtxRetain", int, (handle *, int)) \
	F(make_current, "cuCtxSetCurrent", int, (handle)) \
	F(new_stream, "cuStreamCreateWithPriority", int, (handle *, unsigned, int)) \
	F(finish, "cuStreamSynchronize", int, (handle)) \
	F(new_event, "cuEventCreate", int, (handle *, unsigned)) \
	F(record, "cuEventRecord", int, (handle, handle)) \
	F(elapsed, "cuEventElapsedTime", int, (float *, handle, handle))
#define LIBRARY(F) \
	F(get_id, "nvshmemx_get_uniqueid", int, (uniqueid *)) \
	F(set_args, "nvshmemx_set_attr_uniqueid_args", int, (int, int, const uniqueid *, int *)) \
	F(start, "nvshmemx_hostlib_init_attr", int, (unsigned, int *)) \
	F(end, "nvshmemx_hostlib_finalize", void, (void)) \
	F(take, "nvshmem_align", char *, (size_t, size_t)) \
	F(put_on, "nvshmemx_putmem_on_stream", void, (void *, const void *, size_t, int, handle)) \
	F(get_on, "nvshmemx_getmem_on_stream", void, (void *, const void *, size_t, int, handle)) \
	F(put_signal_on, "nvshmemx_putmem_signal_on_stream", void, (void *, const void *, size_t, void *, unsigned long long, int, int, handle)) \
	F(barrier_on, "nvshmemx_barrier_all_on_stream", void, (handle)) \
	F(broadcast_on, "nvshmemx_broadcastmem_on_stream", int, (int, void *, const void *, size_t, int, handle)) \
	F(alltoall_on, "nvshmemx_alltoallmem_on_stream", int, (int, void *, const void *, size_t, handle)) \
	F(fcollect_on, "nvshmemx_fcollectmem_on_stream", int, (int, void *, const void *, size_t, handle)) \
	F(sum_on, "nvshmemx_float_sum_reduce_on_stream", int, (int, void *, const void *, size_t, handle)) \
	F(scatter_on, "nvshmemx_float_sum_reducescatter_on_stream", int, (int, void *, const void *, size_t, handle))

#define DECLARE(name, symbol, result, parameters) static result(*name) parameters;
DRIVER(DECLARE)
LIBRARY(DECLARE)

enum { NON_BLOCKING = 1, WITH_UNIQUEID = 8, SIGNAL_SET = 9, WORLD = 0 };

#define HALF (128L << 20) /* of the memory: what is put from, and what is put to */

static int rank, pipe_end;
static handle stream, first, last;
static char *own;

/* try ends the program when a call fails: nothing can be measured then. */
static void try(int status, const char *what)
{
	if (!status)
		return;
	fprintf(stderr, "process %d: %s: %d\n", rank, what, status);
	exit(1);
}
#define DO(call) try(call, #call)

static void open_libraries(char **paths)
{
	void *library = dlopen(paths[0], RTLD_NOW | RTLD_GLOBAL);
#define FIND(name, symbol, result, parameters) \
	if (!library || !(*(void **)&name = dlsym(library, symbol))) { \
		fprintf(stderr, "%s\n", dlerror()); \
		exit(1); \
	}
	DRIVER(FIND)
	library = dlopen(paths[1], RTLD_NOW | RTLD_GLOBAL);
	LIBRARY(FIND)
}

static void trade(const void *mine, void *its, size_t n)
{
	if (write(pipe_end, mine, n) != (ssize_t)n || read(pipe_end, its, n) != (ssize_t)n)
		fail("the other process");
}

static void meet(void)
{
	char byte = 0;
	DO(finish(stream));
	trade(&byte, &byte, 1);
}

static void open_world(void)
{
	static int attr[36];
	static uniqueid id, its;
	int devices;
	handle context;
	DO(init(0));
	DO(count(&devices));
	DO(retain(&context, rank % devices));
	DO(make_current(context));
	DO(new_stream(&stream, NON_BLOCKING, 0));
	DO(new_event(&first, 0));
	DO(new_event(&last, 0));
	id.version = (1 << 16) + sizeof id;
	if (!rank)
		DO(get_id(&id));
	trade(&id, &its, sizeof id);
	attr[0] = (1 << 16) + sizeof attr;
	attr[4] = (1 << 16) + 128; /* what follows the first 16 bytes, and 24 of those */
	attr[6] = (1 << 16) + 24;
	DO(set_args(rank, 2, rank ? &its : &id, attr));
	DO(start(WITH_UNIQUEID, attr));
	if (!(own = take(4096, 2 * HALF + 64)))
		fail("symmetric memory");
	meet();
}

static void put(long n) { put_on(own + HALF, own, n, 1 - rank, stream); }
static void get(long n) { get_on(own + HALF, own, n, 1 - rank, stream); }
static void put_signal(long n) { put_signal_on(own + HALF, own, n, own + 2 * HALF + 8, 1, SIGNAL_SET, 1 - rank, stream); }
static void barrier(long n) { (void)n; barrier_on(stream); }
static void broadcast(long n) { DO(broadcast_on(WORLD, own + HALF, own, n, 0, stream)); }
static void alltoall(long n) { DO(alltoall_on(WORLD, own + HALF, own, n, stream)); }
static void fcollect(long n) { DO(fcollect_on(WORLD, own + HALF, own, n, stream)); }
static void allreduce(long n) { DO(sum_on(WORLD, own + HALF, own, n / 4, stream)); }
static void reduce_scatter(long n) { DO(scatter_on(WORLD, own + HALF, own, n / 4, stream)); }

/* report has process 0, or both, do something n times, and writes how long it took. */
static void report(const char *what, void (*f)(long), long size, int both)
{
	long i, n = size <= 64 << 10 ? 300 : size <= 1 << 20 ? 200 : 37;
	double began;
	float ms;
	meet();
	for (i = 0; (both || !rank) && i < 20; i++)
		f(size);
	barrier_on(stream);
	meet();
	DO(record(first, stream));
	began = now();
	for (i = 0; (both || !rank) && i < n; i++)
		f(size);
	began = now() - began;
	DO(record(last, stream));
	DO(finish(stream));
	DO(elapsed(&ms, first, last));
	if (rank)
		return;
	printf("%s", what);
	if (size)
		printf(" %ld B", size);
	printf("\t%.0f\t%.0f\n", ms * 1e6 / n, began / n);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*f)(long); } all[] = {
		{"broadcast", broadcast}, {"alltoall", alltoall}, {"fcollect", fcollect}, {"allreduce", allreduce}, {"reduce scatter", reduce_scatter}};
	static const long sizes[] = {8, 1 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20};
	int ends[2];
	if (argc != 3) {
		fprintf(stderr, "usage: %s CUDA NVSHMEM\n", argv[0]);
		return 2;
	}
	setenv("NVSHMEM_DISABLE_NVLS", "1", 0); /* multicast is a resource of the whole machine */
	setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		fail("socketpair");
	rank = fork() == 0;
	pipe_end = ends[rank];
	close(ends[1 - rank]);
	open_libraries(argv + 1);
	open_world();
	for (unsigned i = 0; i < 6; i++) {
		report("put", put, sizes[i], 0);
		report("get", get, sizes[i], 0);
	}
	report("put with signal", put_signal, 8, 0);
	report("barrier", barrier, 0, 1);
	for (unsigned k = 0; k < 5; k++)
		for (unsigned i = 0; i < 6 && 2 * sizes[i] <= 64 << 20; i++)
			report(all[k].name, all[k].f, sizes[i], 1);
	meet();
	end();
	return 0;
}
