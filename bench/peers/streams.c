/* streams LIBRARY: two processes in C over CUDA's driver API, each on a device of its own,
 * do on streams what engine ipc does: copies to the other's memory, which they have mapped,
 * and barriers of written and awaited values. Process 0 writes a line for each:
 *
 *     NAME <tab> nanoseconds of one <tab> nanoseconds of the host to queue it
 *
 * It needs a C compiler only: what it uses of the vendor's header stands here. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "peer.h"

typedef unsigned long long address;
typedef void *handle;
typedef struct { char bytes[64]; } name;

/* FUNCTIONS are those that are called: our name, the library's, the parameters. */
#define FUNCTIONS(F) \
	F(init, "cuInit", (unsigned)) \
	F(name_of, "cuGetErrorName", (int, const char **)) \
	F(count, "cuDeviceGetCount", (int *)) \
	F(retain, "cuDevicePrimaryCtxRetain", (handle *, int)) \
	F(make_current, "cuCtxSetCurrent", (handle)) \
	F(device_alloc, "cuMemAlloc_v2", (address *, size_t)) \
	F(export, "cuIpcGetMemHandle", (name *, address)) \
	F(import, "cuIpcOpenMemHandle_v2", (address *, name, unsigned)) \
	F(copy, "cuMemcpyAsync", (address, address, size_t, handle)) \
	F(fill, "cuMemsetD8Async", (address, unsigned char, size_t, handle)) \
	F(new_stream, "cuStreamCreateWithPriority", (handle *, unsigned, int)) \
	F(finish, "cuStreamSynchronize", (handle)) \
	F(write_value, "cuStreamWriteValue64_v2", (handle, address, unsigned long long, unsigned)) \
	F(wait_value, "cuStreamWaitValue64_v2", (handle, address, unsigned long long, unsigned)) \
	F(new_event, "cuEventCreate", (handle *, unsigned)) \
	F(record, "cuEventRecord", (handle, handle)) \
	F(elapsed, "cuEventElapsedTime", (float *, handle, handle))

#define DECLARE(name, symbol, parameters) static int(*name) parameters;
FUNCTIONS(DECLARE)

enum { NON_BLOCKING = 1, LAZY_PEER = 1, AS_IF_GREATER = 0 };

#define HALF (128L << 20) /* of the memory: what is put from, and what is put to */
#define FLAGS (2 * HALF)

static int rank, pipe_end;
static handle stream, first, last;
static address own, theirs;
static unsigned long long rounds;

/* try ends the program when a call fails: nothing can be measured then. */
static void try(int status, const char *what)
{
	const char *text = "";
	if (!status)
		return;
	name_of(status, &text);
	fprintf(stderr, "process %d: %s: %s (%d)\n", rank, what, text, status);
	exit(1);
}
#define DO(call) try(call, #call)

static void open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
#define FIND(name, symbol, parameters) \
	if (!library || !(*(void **)&name = dlsym(library, symbol))) { \
		fprintf(stderr, "%s\n", dlerror()); \
		exit(1); \
	}
	FUNCTIONS(FIND)
}

/* trade sends the other process something, and takes the same of it. */
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

static void open_device(void)
{
	int devices;
	handle context;
	name mine, its;
	DO(init(0));
	DO(count(&devices));
	DO(retain(&context, rank % devices));
	DO(make_current(context));
	DO(new_stream(&stream, NON_BLOCKING, 0));
	DO(new_event(&first, 0));
	DO(new_event(&last, 0));
	DO(device_alloc(&own, FLAGS + 64));
	DO(fill(own, 0, FLAGS + 64, stream));
	DO(finish(stream));
	DO(export(&mine, own));
	trade(&mine, &its, sizeof mine);
	DO(import(&theirs, its, LAZY_PEER));
	meet();
}

static void put(long size) { DO(copy(theirs + HALF, own, size, stream)); }

static void get(long size) { DO(copy(own + HALF, theirs, size, stream)); }

static void put_signal(long size)
{
	put(size);
	DO(write_value(stream, theirs + FLAGS + 8, 1, 0));
}

static void barrier(long size)
{
	(void)size;
	rounds++;
	DO(write_value(stream, theirs + FLAGS, rounds, 0));
	DO(wait_value(stream, own + FLAGS, rounds, AS_IF_GREATER));
}

/* report has process 0, or both, do something n times, and writes how long it took. */
static void report(const char *what, void (*f)(long), long size, long n, int both)
{
	double start;
	float ms;
	long i;
	meet();
	for (i = 0; (both || !rank) && i < 20; i++)
		f(size);
	meet();
	DO(record(first, stream));
	start = now();
	for (i = 0; (both || !rank) && i < n; i++)
		f(size);
	start = now() - start;
	DO(record(last, stream));
	DO(finish(stream));
	DO(elapsed(&ms, first, last));
	if (rank)
		return;
	if (size)
		printf("%s %ld B\t%.0f\t%.0f\n", what, size, ms * 1e6 / n, start / n);
	else
		printf("%s\t%.0f\t%.0f\n", what, ms * 1e6 / n, start / n);
}

int main(int argc, char **argv)
{
	static const long sizes[] = {8, 1 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20};
	int ends[2];
	if (argc != 2) {
		fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
		return 2;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		fail("socketpair");
	rank = fork() == 0;
	pipe_end = ends[rank];
	close(ends[1 - rank]);
	open_library(argv[1]);
	open_device();
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		long n = sizes[i] <= 64 << 10 ? 300 : sizes[i] <= 1 << 20 ? 200 : 40;
		report("put", put, sizes[i], n, 0);
		report("get", get, sizes[i], n, 0);
	}
	report("put with signal", put_signal, 8, 300, 0);
	report("barrier", barrier, 0, 300, 1);
	meet();
	return 0;
}
