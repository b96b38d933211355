/* A driver library without a device: CUDA's driver API, or with -DHIP=5 and -DHIP=6
 * that of AMD. Written from the vendors' headers, not from our tables: it is what those
 * are compared with. It records every call with its arguments. Work is done at once,
 * device memory is memory.
 *
 * mock_swap has one function see two neighbouring arguments as if they had been passed
 * the other way round: a test that does not notice is no test. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HIP
#define FN(cuda, hip) int hip
#define HOST (HIP < 6 ? 0 : 1)
#define DEVICE (HIP < 6 ? 1 : 2)
#else
#define FN(cuda, hip) int cuda
#define HOST 1
#define DEVICE 2
#endif

typedef struct { char bytes[64]; } handle;
typedef long long word;

static char journal[1 << 20];
static int used, devices = 2, swap_at, fail_status, quiet;
static char swap_fn[64], fail_fn[64];
static char sizes[16] = "48"; /* of a kernel's parameters in bytes */
static int capability;        /* what devices are, if not nonsense */
static word next = 0x1000;
static __thread word current;
static char memory[1 << 16] __attribute__((aligned(4096)));
static word taken;

/* mock_take copies what was recorded, and forgets it. */
int mock_take(char *to, word size) {
	int n = used < size ? used : (int)size;
	memcpy(to, journal, n);
	used = 0;
	return n;
}
int mock_swap(const char *fn, int at) { strcpy(swap_fn, fn); swap_at = at; return 0; }
int mock_fail(const char *fn, int status) { strcpy(fail_fn, fn); fail_status = status; return 0; }
/* mock_current plays a function of another library: what is current, and a number. */
word mock_current(word n) { return current + n; }
int mock_quiet(int on) { quiet = on; return 0; }
int mock_reset(int n) {
	used = taken = current = 0;
	next = 0x1000, devices = n, swap_fn[0] = fail_fn[0] = 0;
	memset(memory, 0, sizeof memory);
	return 0;
}

/* mock_gpu makes the devices ones of a compute capability, with warps of 32, whose kernels
 * have parameters of these sizes. */
int mock_gpu(int cc, const char *params) { capability = cc; strcpy(sizes, params); return 0; }

static void put(const char *text) {
	int n = strlen(text);
	if (used + n < (int)sizeof journal) memcpy(journal + used, text, n), used += n;
}

/* arguments writes those of a kernel. */
static void arguments(void **v) {
	char b[64];
	for (int i = 0; sizes[i]; i++) {
		snprintf(b, sizeof b, "%s%lld", i ? " " : " [", sizes[i] == '4' ? (word)*(int *)v[i] : *(word *)v[i]);
		put(b);
	}
	put("]");
}

/* show writes an argument: p is where a result goes, s text, a a kernel's arguments. */
static void show(char kind, word v) {
	char b[128];
	if (v >= 0 && v < 1 << 20) kind = 'v';
	if (kind == 'p') snprintf(b, sizeof b, " out");
	else if (kind == 's') snprintf(b, sizeof b, " %.20s", (char *)v);
	else if (kind == 'a') {
		arguments((void **)v);
		return;
	}
	else snprintf(b, sizeof b, " %lld", v);
	put(b);
}

/* record returns -1 if the call is to go on, else its status. */
static int record(const char *fn, const char *kinds, word *a) {
	int swapped = 0, n = strlen(kinds);
	if (quiet) return -1;
	if (!strcmp(fn, swap_fn)) {
		word t = a[swap_at];
		a[swap_at] = a[swap_at + 1], a[swap_at + 1] = t;
		swapped = kinds[swap_at] != 'p' || kinds[swap_at + 1] != 'p';
	}
	put(fn);
	for (int i = 0; i < n; i++) show(kinds[i], a[i]);
	put("\n");
	if (swapped) return 0;
	return strcmp(fn, fail_fn) ? -1 : fail_status;
}

#define W(x) ((word)(intptr_t)(x))
#define REC(kinds, ...) \
	word a[] = {__VA_ARGS__}; \
	int status = record(__func__, kinds, a); \
	if (status >= 0) return status
#define INT(p) (*(int *)(p))
#define WORD(p) (*(word *)(p))

static const char *name_of(int s) {
	return s == 1 ? "MOCK_INVALID_VALUE" : s == 2 ? "MOCK_OUT_OF_MEMORY" : s == 700 ? "MOCK_ILLEGAL_ADDRESS" : "MOCK_OTHER";
}

FN(cuInit, hipInit)(unsigned flags) { REC("v", W(flags)); return 0; }
FN(cuDriverGetVersion, hipRuntimeGetVersion)(int *v) {
	REC("p", W(v));
#ifdef HIP
	INT(v) = HIP * 10000000 + 200123;
#else
	INT(v) = 12090;
#endif
	return 0;
}
FN(cuDeviceGetCount, hipGetDeviceCount)(int *n) { REC("p", W(n)); INT(n) = devices; return 0; }
#ifdef HIP
const char *hipGetErrorName(int s) { word a[] = {s}; record(__func__, "v", a); return name_of(s); }
const char *hipGetErrorString(int s) { word a[] = {s}; record(__func__, "v", a); return "words"; }
int hipGetDevice(int *d) { REC("p", W(d)); INT(d) = current; return 0; }
int hipSetDevice(int d) { REC("v", W(d)); current = d; return 0; }
int hipGetDeviceProperties(char *p, int dev) {
	REC("pv", W(p), W(dev));
	strcpy(p + 396, "gfx90a:sramecc+:xnack-");
	return 0;
}
#if HIP >= 6
int hipGetDevicePropertiesR0600(char *p, int dev) {
	REC("pv", W(p), W(dev));
	strcpy(p + 1160, "gfx942:sramecc+:xnack-");
	return 0;
}
#endif
int hipExtMallocWithFlags(void **p, size_t n, unsigned flags) { return 801; }
#else
int cuGetErrorName(int s, const char **p) { REC("vp", W(s), W(p)); *p = name_of(s); return 0; }
int cuGetErrorString(int s, const char **p) { REC("vp", W(s), W(p)); *p = "words"; return 0; }
int cuCtxGetCurrent(void **c) { REC("p", W(c)); WORD(c) = current; return 0; }
int cuCtxSetCurrent(void *c) { REC("v", W(c)); current = W(c); return 0; }
int cuDevicePrimaryCtxRetain(void **c, int dev) { REC("pv", W(c), W(dev)); WORD(c) = 0x100 + dev; return 0; }
#endif
FN(cuDeviceGetAttribute, hipDeviceGetAttribute)(int *v, int attr, int dev) {
	REC("pvv", W(v), W(attr), W(dev));
	INT(v) = !capability ? 1000 + attr : attr == 10 ? 32 : attr == 75 ? capability / 10 : attr == 76 ? capability % 10 : 10000 + attr;
	return 0;
}
FN(cuDeviceGetName, hipDeviceGetName)(char *s, int n, int dev) { REC("pvv", W(s), W(n), W(dev)); strcpy(s, "Mock"); return 0; }
FN(cuDeviceTotalMem_v2, hipDeviceTotalMem)(size_t *n, int dev) { REC("pv", W(n), W(dev)); WORD(n) = 1 << 30; return 0; }
FN(cuDeviceGetPCIBusId, hipDeviceGetPCIBusId)(char *s, int n, int dev) {
	REC("pvv", W(s), W(n), W(dev));
	strcpy(s, "0000:3B:00.0");
	return 0;
}
#ifndef OLD
FN(cuDeviceGetUuid_v2, hipDeviceGetUuid)(char *u, int dev) { REC("pv", W(u), W(dev)); memset(u, 'a', 16); u[0] = HOST + 7; return 0; }
#endif
FN(cuMemGetInfo_v2, hipMemGetInfo)(size_t *f, size_t *t) { REC("pp", W(f), W(t)); WORD(a[0]) = 5000 + current % 256, WORD(a[1]) = 70000; return 0; }

FN(cuDeviceCanAccessPeer, hipDeviceCanAccessPeer)(int *v, int dev, int peer) { REC("pvv", W(v), W(dev), W(peer)); INT(v) = 1; return 0; }
FN(cuDeviceGetP2PAttribute, hipDeviceGetP2PAttribute)(int *v, int attr, int dev, int peer) {
	REC("pvvv", W(v), W(attr), W(dev), W(peer));
	INT(v) = 1;
	return 0;
}
#ifdef HIP
int hipDeviceEnablePeerAccess(int peer, unsigned flags) { REC("vv", W(peer), W(flags)); return 704; }
#else
int cuCtxEnablePeerAccess(void *peer, unsigned flags) { REC("vv", W(peer), W(flags)); return 704; }
#endif
FN(cuIpcGetMemHandle, hipIpcGetMemHandle)(handle *h, void *p) { REC("pv", W(h), W(p)); strcpy(h->bytes, "name of memory"); h->bytes[63] = 'z'; return 0; }
FN(cuIpcOpenMemHandle_v2, hipIpcOpenMemHandle)(void **p, handle h, unsigned flags) {
	REC("psv", W(p), W(&h), W(flags));
	WORD(p) = h.bytes[63] == 'z' ? W(memory + 512) : 0;
	return 0;
}
FN(cuIpcCloseMemHandle, hipIpcCloseMemHandle)(void *p) { REC("v", W(p)); return 0; }
FN(cuPointerGetAttribute, hipPointerGetAttribute)(void *v, int attr, void *p) {
	REC("pvv", W(v), W(attr), W(p));
	if ((char *)p < memory || (char *)p >= memory + sizeof memory) return 1;
	switch (attr) {
	case 2: INT(v) = (char *)p < memory + 32768 ? DEVICE : HOST; break;
	case 9: INT(v) = 0; break;
	case 11: WORD(v) = W(memory); break;
	case 12: WORD(v) = sizeof memory; break;
	default: return 1;
	}
	return 0;
}
FN(cuMemAlloc_v2, hipMalloc)(void **p, size_t n) { REC("pv", W(p), W(n)); WORD(p) = W(memory + taken), taken += 4096; return 0; }
FN(cuMemFree_v2, hipFree)(void *p) { REC("v", W(p)); return 0; }
FN(cuMemHostAlloc, hipHostMalloc)(void **p, size_t n, unsigned flags) { REC("pvv", W(p), W(n), W(flags)); WORD(p) = W(memory + 32768); return 0; }
FN(cuMemFreeHost, hipHostFree)(void *p) { REC("v", W(p)); return 0; }
#ifdef HIP
int hipMemcpyAsync(void *d, void *s, size_t n, int kind, void *stream) {
	REC("vvvvv", W(d), W(s), W(n), W(kind), W(stream));
	memmove(d, s, n);
	return 0;
}
#else
int cuMemcpyAsync(void *d, void *s, size_t n, void *stream) { REC("vvvv", W(d), W(s), W(n), W(stream)); memmove(d, s, n); return 0; }
#endif
FN(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync)(void *d, void *s, size_t n, void *stream) {
	REC("vvvv", W(d), W(s), W(n), W(stream));
	memmove(d, s, n);
	return 0;
}
FN(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync)(void *d, void *s, size_t n, void *stream) {
	REC("vvvv", W(d), W(s), W(n), W(stream));
	memmove(d, s, n);
	return 0;
}
FN(cuMemsetD8Async, hipMemsetD8Async)(void *p, unsigned char v, size_t n, void *s) { REC("vvvv", W(p), W(v), W(n), W(s)); memset(p, v, n); return 0; }
FN(cuMemsetD16Async, hipMemsetD16Async)(void *p, unsigned short v, size_t n, void *s) {
	REC("vvvv", W(p), W(v), W(n), W(s));
	for (size_t i = 0; i < n; i++) ((unsigned short *)p)[i] = v;
	return 0;
}
FN(cuMemsetD32Async, hipMemsetD32Async)(void *p, unsigned v, size_t n, void *s) {
	REC("vvvv", W(p), W(v), W(n), W(s));
	for (size_t i = 0; i < n; i++) ((unsigned *)p)[i] = v;
	return 0;
}

FN(cuStreamCreateWithPriority, hipStreamCreateWithPriority)(void **s, unsigned flags, int priority) {
	REC("pvv", W(s), W(flags), W(priority));
	WORD(s) = next += 16;
	return 0;
}
FN(cuCtxGetStreamPriorityRange, hipDeviceGetStreamPriorityRange)(int *least, int *greatest) {
	REC("pp", W(least), W(greatest));
	INT(a[0]) = 0, INT(a[1]) = -5;
	return 0;
}
FN(cuStreamDestroy_v2, hipStreamDestroy)(void *s) { REC("v", W(s)); return 0; }
FN(cuStreamQuery, hipStreamQuery)(void *s) { REC("v", W(s)); return 0; }
FN(cuStreamSynchronize, hipStreamSynchronize)(void *s) { REC("v", W(s)); return 0; }
FN(cuStreamWaitEvent, hipStreamWaitEvent)(void *s, void *e, unsigned flags) { REC("vvv", W(s), W(e), W(flags)); return 0; }
#if defined(HIP) || !defined(OLD)
FN(cuStreamWriteValue64_v2, hipStreamWriteValue64)(void *s, void *p, uint64_t v, unsigned flags) {
	REC("vvvv", W(s), W(p), W(v), W(flags));
	WORD(p) = v;
	return 0;
}
#endif
#ifdef HIP
int hipStreamWaitValue64(void *s, void *p, uint64_t v, unsigned flags, uint64_t mask) { REC("vvvvv", W(s), W(p), W(v), W(flags), W(mask)); return 0; }
#elif !defined(OLD)
int cuStreamWaitValue64_v2(void *s, void *p, uint64_t v, unsigned flags) { REC("vvvv", W(s), W(p), W(v), W(flags)); return 0; }
#endif
FN(cuEventCreate, hipEventCreateWithFlags)(void **e, unsigned flags) { REC("pv", W(e), W(flags)); WORD(e) = next += 16; return 0; }
FN(cuEventDestroy_v2, hipEventDestroy)(void *e) { REC("v", W(e)); return 0; }
FN(cuEventRecord, hipEventRecord)(void *e, void *s) { REC("vv", W(e), W(s)); return 0; }
FN(cuEventQuery, hipEventQuery)(void *e) { REC("v", W(e)); return 0; }
FN(cuEventElapsedTime, hipEventElapsedTime)(float *ms, void *from, void *to) { REC("pvv", W(ms), W(from), W(to)); *ms = 1.5; return 0; }

FN(cuModuleLoadData, hipModuleLoadData)(void **m, const char *image) { REC("ps", W(m), W(image)); WORD(m) = next += 16; return 0; }
FN(cuModuleUnload, hipModuleUnload)(void *m) { REC("v", W(m)); return 0; }
FN(cuModuleGetFunction, hipModuleGetFunction)(void **f, void *m, const char *name) {
	REC("pvs", W(f), W(m), W(name));
	WORD(f) = next += 16;
	return 0;
}
FN(cuFuncGetAttribute, hipFuncGetAttribute)(int *v, int attr, void *f) { REC("pvv", W(v), W(attr), W(f)); INT(v) = capability && !attr ? 1024 : 10 + attr; return 0; }
#ifndef HIP
int cuFuncSetAttribute(void *f, int attr, int v) { REC("vvv", W(f), W(attr), W(v)); return 0; }
#endif
#if !defined(HIP) && !defined(OLD)
int cuFuncGetParamInfo(void *f, size_t i, size_t *offset, size_t *size) {
	REC("vvpp", W(f), W(i), W(offset), W(size));
	if (i >= strlen(sizes)) return 1;
	WORD(a[2]) = 8 * i, WORD(a[3]) = sizes[i] - '0';
	return 0;
}
#endif
FN(cuLaunchKernel, hipModuleLaunchKernel)(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, void *stream, void **args, void **extra) {
	REC("vvvvvvvvvav", W(f), gx, gy, gz, bx, by, bz, shared, W(stream), W(args), W(extra));
	return 0;
}
FN(cuStreamBeginCapture_v2, hipStreamBeginCapture)(void *s, int mode) { REC("vv", W(s), W(mode)); return 0; }
FN(cuStreamIsCapturing, hipStreamIsCapturing)(void *s, int *state) { REC("vp", W(s), W(state)); *state = !capability; return 0; }
FN(cuStreamEndCapture, hipStreamEndCapture)(void *s, void **g) { REC("vp", W(s), W(g)); WORD(g) = next += 16; return 0; }
FN(cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags)(void **x, void *g, unsigned long long flags) {
	REC("pvv", W(x), W(g), W(flags));
	WORD(x) = next += 16;
	return 0;
}
FN(cuGraphLaunch, hipGraphLaunch)(void *x, void *s) { REC("vv", W(x), W(s)); return 0; }
FN(cuGraphExecDestroy, hipGraphExecDestroy)(void *x) { REC("v", W(x)); return 0; }
FN(cuGraphDestroy, hipGraphDestroy)(void *g) { REC("v", W(g)); return 0; }
