/* cuda SOCKET LIBRARY: a C program over CUDA's driver API that measures what it is told
 * to (order.h), in the library that it gets the path of. It is what package gpu is
 * compared with: the same calls, without what is around them in Go. It needs a C compiler
 * only: what it uses of the vendor's header stands here. */
#define _GNU_SOURCE
#define MOST_BYTES (1 << 28)
#include <dlfcn.h>

#include "peer.h"

typedef unsigned long long address;
typedef void *handle;

/* FUNCTIONS are those that are called: our name, the library's, the parameters. */
#define FUNCTIONS(F) \
	F(init, "cuInit", (unsigned)) \
	F(name_of, "cuGetErrorName", (int, const char **)) \
	F(version, "cuDriverGetVersion", (int *)) \
	F(count, "cuDeviceGetCount", (int *)) \
	F(device_name, "cuDeviceGetName", (char *, int, int)) \
	F(retain, "cuDevicePrimaryCtxRetain", (handle *, int)) \
	F(make_current, "cuCtxSetCurrent", (handle)) \
	F(enable_peer, "cuCtxEnablePeerAccess", (handle, unsigned)) \
	F(device_alloc, "cuMemAlloc_v2", (address *, size_t)) \
	F(device_free, "cuMemFree_v2", (address)) \
	F(host_alloc, "cuMemHostAlloc", (void **, size_t, unsigned)) \
	F(host_free, "cuMemFreeHost", (void *)) \
	F(copy, "cuMemcpyAsync", (address, address, size_t, handle)) \
	F(copy_in, "cuMemcpyHtoDAsync_v2", (address, const void *, size_t, handle)) \
	F(copy_out, "cuMemcpyDtoHAsync_v2", (void *, address, size_t, handle)) \
	F(fill, "cuMemsetD8Async", (address, unsigned char, size_t, handle)) \
	F(new_stream, "cuStreamCreateWithPriority", (handle *, unsigned, int)) \
	F(finish, "cuStreamSynchronize", (handle)) \
	F(write_value, "cuStreamWriteValue64_v2", (handle, address, unsigned long long, unsigned)) \
	F(wait_value, "cuStreamWaitValue64_v2", (handle, address, unsigned long long, unsigned)) \
	F(new_event, "cuEventCreate", (handle *, unsigned)) \
	F(record, "cuEventRecord", (handle, handle)) \
	F(elapsed, "cuEventElapsedTime", (float *, handle, handle)) \
	F(load, "cuModuleLoadData", (handle *, const void *)) \
	F(function, "cuModuleGetFunction", (handle *, handle, const char *)) \
	F(launch, "cuLaunchKernel", (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **))

#define DECLARE(name, symbol, parameters) static int(*name) parameters;
FUNCTIONS(DECLARE)

enum { NON_BLOCKING = 1, PORTABLE = 1, AS_IF_GREATER = 0, MARK = 0x5a };

/* The kernels do nothing. Every driver of today translates code of this age. */
static const char kernels[] =
	".version 6.5\n.target sm_75\n.address_size 64\n"
	".visible .entry four(.param .u64 a, .param .u64 b, .param .f32 c, .param .u32 d) { ret; }\n"
	".visible .entry eleven(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 e,\n"
	"  .param .f32 f, .param .f32 g, .param .u32 h, .param .u32 i, .param .u32 j, .param .u32 k) { ret; }\n";

static int devices; /* one, or two: then memory `far` is on the second */
static handle context[2], stream, other, first, last, four, eleven;
static long room; /* bytes of each buffer */
static address from, to, far, words;
static char *pinned, *plain;
static unsigned long long rounds;

/* try ends the program when a call fails: nothing can be measured then. */
static void try(int status, const char *what)
{
	const char *name = "";
	if (!status)
		return;
	name_of(status, &name);
	fprintf(stderr, "%s: %s (%d)\n", what, name, status);
	exit(1);
}
#define DO(call) try(call, #call)

static void *find(void *library, const char *symbol)
{
	void *f = dlsym(library, symbol);
	if (!f) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return f;
}

static void open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
#define FIND(name, symbol, parameters) *(void **)&name = find(library, symbol);
	FUNCTIONS(FIND)
}

static void open_devices(void)
{
	handle module;
	DO(init(0));
	DO(count(&devices));
	if (devices > 2)
		devices = 2;
	for (int i = 0; i < devices; i++)
		DO(retain(&context[i], i));
	for (int i = devices - 1; i >= 0; i--) {
		DO(make_current(context[i]));
		if (devices == 2)
			enable_peer(context[1 - i], 0); /* where it is refused, copies find another way */
	}
	DO(new_stream(&stream, NON_BLOCKING, 0));
	DO(new_stream(&other, NON_BLOCKING, 0));
	DO(new_event(&first, 0));
	DO(new_event(&last, 0));
	DO(load(&module, kernels));
	DO(function(&four, module, "four"));
	DO(function(&eleven, module, "eleven"));
	DO(device_alloc(&words, 16));
	DO(fill(words, 0, 16, stream));
	DO(finish(stream));
}

/* make_room has buffers of at least so many bytes. */
static void make_room(long size)
{
	if (size <= room)
		return;
	if (room) {
		DO(device_free(from));
		DO(device_free(to));
		DO(host_free(pinned));
		free(plain);
	}
	DO(device_alloc(&from, size));
	DO(device_alloc(&to, size));
	DO(host_alloc((void **)&pinned, size, PORTABLE));
	if (!(plain = malloc(size)))
		fail("malloc");
	memset(pinned, MARK, size);
	memset(plain, MARK, size);
	DO(fill(from, MARK, size, stream));
	DO(finish(stream));
	if (devices == 2) {
		DO(make_current(context[1]));
		if (room)
			DO(device_free(far));
		DO(device_alloc(&far, size));
		DO(make_current(context[0]));
	}
	room = size;
}

/* The loops. */

static void launch_four(long n)
{
	address a = from, b = to;
	float c = 2;
	int d = 1;
	void *args[] = {&a, &b, &c, &d};
	for (; n > 0; n--)
		DO(launch(four, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL));
}

static void launch_eleven(long n)
{
	address a = from, b = to, c = from, d = to, e = 5;
	float f = 2, g = 3;
	int h = 1, i = 2, j = 3, k = 4;
	void *args[] = {&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k};
	for (; n > 0; n--)
		DO(launch(eleven, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL));
}

/* launches times what the host does, in batches, with the device idle before each. */
static double launches(void (*some)(long), long every, long n)
{
	double spent = 0, start;
	for (; n > 0; n -= every) {
		start = now();
		some(n < every ? n : every);
		spent += now() - start;
		DO(finish(stream));
	}
	return spent;
}

static double completions(long n)
{
	double start = now();
	for (; n > 0; n--) {
		launch_four(1);
		DO(finish(stream));
	}
	return now() - start;
}

/* span is the time between the two events. */
static double span(void)
{
	float ms;
	DO(finish(stream));
	DO(elapsed(&ms, first, last));
	return ms * 1e6;
}

static double copies(address dst, address src, long size, long n)
{
	DO(record(first, stream));
	for (; n > 0; n--)
		DO(copy(dst, src, size, stream));
	DO(record(last, stream));
	return span();
}

static double values(long n)
{
	DO(record(first, stream));
	for (; n > 0; n--) {
		rounds++;
		DO(write_value(stream, words, rounds, 0));
		DO(wait_value(other, words, rounds, AS_IF_GREATER));
		DO(write_value(other, words + 8, rounds, 0));
		DO(wait_value(stream, words + 8, rounds, AS_IF_GREATER));
	}
	DO(record(last, stream));
	return span();
}

static double blocking(address dst, void *host, int in, long size, long n)
{
	double start = now();
	for (; n > 0; n--) {
		DO(in ? copy_in(dst, host, size, stream) : copy_out(host, dst, size, stream));
		DO(finish(stream));
	}
	return now() - start;
}

/* last_byte is that of n bytes of a device, or of pinned memory. */
static char last_byte(address at, long n)
{
	char byte;
	if (at == (address)pinned)
		return pinned[n - 1];
	DO(copy_out(&byte, at + n - 1, 1, stream));
	DO(finish(stream));
	return byte;
}

static void clear_last_byte(address at, long n, int device)
{
	if (at == (address)pinned) {
		pinned[n - 1] = 0;
		return;
	}
	DO(make_current(context[device]));
	DO(fill(at + n - 1, 0, 1, NULL));
	DO(finish(NULL));
	DO(make_current(context[0]));
}

/* moved copies, and looks whether the last byte has arrived. */
static double moved(const struct order *o, address dst, address src, int device, const char **wrong)
{
	double spent;
	clear_last_byte(dst, o->size, device);
	copies(dst, src, o->size, o->n / 10 + 1);
	spent = copies(dst, src, o->size, o->n);
	if (last_byte(dst, o->size) != MARK)
		*wrong = "what was copied has not arrived";
	return spent;
}

static double measure_host(const struct order *o, const char **wrong)
{
	double spent;
	int in = !strcmp(o->op, "copyfrom");
	if (!in && strcmp(o->op, "copyto")) {
		*wrong = "there is no such operation";
		return 0;
	}
	if (!in)
		plain[o->size - 1] = 0;
	blocking(in ? to : from, plain, in, o->size, o->n / 10 + 1);
	spent = blocking(in ? to : from, plain, in, o->size, o->n);
	if (plain[o->size - 1] != MARK)
		*wrong = "what was copied has not arrived";
	return spent;
}

static double measure_device(const struct order *o, const char **wrong)
{
	long before = o->n / 10 + 1;
	make_room(o->size);
	if (!strcmp(o->op, "launch4"))
		return launches(launch_four, o->every, before), launches(launch_four, o->every, o->n);
	if (!strcmp(o->op, "launch11"))
		return launches(launch_eleven, o->every, before), launches(launch_eleven, o->every, o->n);
	if (!strcmp(o->op, "finish"))
		return completions(before), completions(o->n);
	if (!strcmp(o->op, "value"))
		return values(before), values(o->n);
	if (!strcmp(o->op, "h2d"))
		return moved(o, to, (address)pinned, 0, wrong);
	if (!strcmp(o->op, "d2h"))
		return moved(o, (address)pinned, from, 0, wrong);
	if (!strcmp(o->op, "d2d"))
		return moved(o, to, from, 0, wrong);
	if (!strcmp(o->op, "p2p") && devices == 2)
		return moved(o, far, from, 1, wrong);
	return measure_host(o, wrong);
}

static void dismiss(void) {}

int main(int argc, char **argv)
{
	char ready[128], name[64] = "";
	int number = 0;
	if (argc != 3) {
		fprintf(stderr, "usage: %s SOCKET LIBRARY\n", argv[0]);
		return 2;
	}
	prepare(2, argv);
	open_library(argv[2]);
	open_devices();
	DO(version(&number));
	DO(device_name(name, sizeof name, 0));
	snprintf(ready, sizeof ready, "%d driver API %d.%d, %s", devices, number / 1000, number % 1000 / 10, name);
	serve(dial(argv[1]), ready, measure_device, dismiss);
	return 0;
}
