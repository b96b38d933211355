/* libnvshmem_host without GPUs: what package internal/engine/nvshmem calls, over memory
 * of the host that processes share, or several copies of this library in one process.
 * Written from NVIDIA's documents, not from our tables: it is what those are compared
 * with. What is done on a stream is done at once.
 *
 * Every call is recorded with its arguments. What the library would end the process for,
 * or spoil memory by, is recorded as a violation, and the call does nothing.
 *
 * mock_swap has one function see two neighbouring arguments as if they had been passed
 * the other way round: a test that does not notice is no test. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef long long word;
typedef struct { int version; char internal[124]; } uniqueid;
typedef struct { int version; uniqueid *id; int myrank, nranks; } uid_args;
typedef struct { int version; uid_args uid; char content[96]; } init_args;
typedef struct { int version; void *mpi_comm; init_args args; } init_attr;

enum { TEAMS = 256, PES = 16, FIRST_TEAM = 6 };
#define SEGMENT ((size_t)1 << 28)
#define CONTROL ((size_t)1 << 20)

struct team { int start, stride, size, fresh, live, gone; long long count; };
struct shared { int joined, aborted; long long used; struct team teams[TEAMS]; };

static struct shared *world;
static int self, pes, status, limited, forced, version[3] = {3, 4, 5};
static char *heap;
static long long turns[TEAMS];
static char used[TEAMS]; /* teams of this PE */
static char journal[1 << 18], swap_fn[80], fail_fn[80], hang_fn[80], file[100];
static int shared; // PE 0's, until all have mapped it
static int length, swap_at, fail_status, violations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(const char *format, ...) {
	va_list list;
	pthread_mutex_lock(&lock);
	if (length < (int)sizeof journal - 256) {
		va_start(list, format);
		length += vsnprintf(journal + length, 256, format, list);
		va_end(list);
	}
	pthread_mutex_unlock(&lock);
}
#define VIOLATION(...) (violations++, put("!"), put(__VA_ARGS__), put("\n"))

/* The controls. */
int mock_take(char *to, word size) {
	pthread_mutex_lock(&lock);
	int n = length < size ? length : (int)size;
	memcpy(to, journal, n);
	length = 0;
	pthread_mutex_unlock(&lock);
	return n;
}
int mock_violations(void) { return violations; }
int mock_swap(const char *fn, int at) { strcpy(swap_fn, fn); swap_at = at; return 0; }
int mock_fail(const char *fn, int code) { strcpy(fail_fn, fn); fail_status = code; return 0; }
int mock_hang(const char *fn) { strcpy(hang_fn, fn); return 0; }
int mock_limited(int on) { limited = on; return 0; }
int mock_status(int code) { forced = code; return 0; }
int mock_version(int a, int b, int c) { version[0] = a, version[1] = b, version[2] = c; return 0; }
int mock_abort(void) { if (world) __atomic_store_n(&world->aborted, 1, __ATOMIC_SEQ_CST); hang_fn[0] = 0; return 0; }

static int aborted(void) { return world && __atomic_load_n(&world->aborted, __ATOMIC_SEQ_CST); }
static void rest(int looks) { if (looks > 20) usleep(looks > 20000 ? 500 : 10); }
static int mine(const void *p, word n) {
	const char *c = p;
	return heap && c >= heap && n >= 0 && (size_t)n <= SEGMENT && c + n <= heap + SEGMENT;
}

/* show writes an argument: v a number, p where a result goes, a an address. */
static void show(char kind, word v) {
	if (kind == 'p') put(" out");
	else if (kind == 'a' && mine((void *)v, 0)) put(" @%lld", (word)((char *)v - heap));
	else if (kind == 'a') put(" local");
	else put(" %lld", v);
}

/* record returns 1 if the call is to go on; *code is what it returns else. */
static int record(const char *fn, const char *kinds, word *a, int *code) {
	int swapped = !strcmp(fn, swap_fn), n = strlen(kinds);
	*code = 0;
	if (swapped) {
		word t = a[swap_at];
		a[swap_at] = a[swap_at + 1], a[swap_at + 1] = t;
	}
	put("%s", fn);
	for (int i = 0; i < n; i++) show(kinds[i], a[i]);
	put("\n");
	for (int looks = 0; !strcmp(fn, hang_fn) && !aborted(); looks++) rest(looks);
	if (!strcmp(fn, fail_fn)) { *code = fail_status; return 0; }
	return !swapped;
}
#define W(x) ((word)(intptr_t)(x))
#define REC(result, kinds, ...) \
	word a[] = {__VA_ARGS__}; \
	int code; \
	if (!record(__func__, kinds, a, &code)) return result
#define READY(result) if (!world || status < 2) { VIOLATION("%s before init", __func__); return result; }
#define FULL(result) if (limited) { VIOLATION("%s where PEs share a GPU", __func__); return result; }
#define HEAP(p, n, result) if (!mine(p, n)) { VIOLATION("%s: memory that is not this PE's symmetric memory", __func__); return result; }
#define PE(pe, result) if (pe < 0 || pe >= pes) { VIOLATION("%s: PE %d", __func__, pe); return result; }
#define TEAM(t, result) if (t < 0 || t >= TEAMS || !used[t]) { VIOLATION("%s: team %d", __func__, t); return result; }
#define CHECK(ok, result) if (!(ok)) { VIOLATION("%s: %s does not hold", __func__, #ok); return result; }

static char *on(const void *p, int pe) { return (char *)p + ((word)pe - self) * (word)SEGMENT; }
static int pe_of(int team, int i) { return world->teams[team].start + i * world->teams[team].stride; }

static void meet(int team) {
	struct team *t = &world->teams[team];
	long long all = ++turns[team] * t->size;
	__atomic_add_fetch(&t->count, 1, __ATOMIC_SEQ_CST);
	for (int looks = 0; __atomic_load_n(&t->count, __ATOMIC_SEQ_CST) < all && !aborted(); looks++) rest(looks);
}

/* Start and end. */
void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch) { *major = version[0], *minor = version[1], *patch = version[2]; }
int nvshmemx_init_status(void) { REC(code, ""); return forced ? forced : status; }
int nvshmem_my_pe(void) { REC(code, ""); return self; }
int nvshmem_n_pes(void) { REC(code, ""); return pes; }

int nvshmemx_get_uniqueid(uniqueid *id) {
	REC(code, "p", W(id));
	CHECK(getenv("NVSHMEM_DISABLE_NVLS"), 1);
	shared = memfd_create("goshmem-mock", 0);
	if (shared < 0 || ftruncate(shared, CONTROL + PES * SEGMENT)) return 7;
	snprintf(id->internal, sizeof id->internal, "/proc/%d/fd/%d", (int)getpid(), shared);
	id->version = (1 << 16) + sizeof *id;
	return 0;
}

int nvshmemx_set_attr_uniqueid_args(int rank, int n, const uniqueid *id, init_attr *attr) {
	REC(code, "vvpp", rank, n, W(id), W(attr));
	CHECK(attr->version == 0x10090 && attr->args.version == 0x10080 && attr->args.uid.version == 0x10018, 1);
	attr->args.uid.id = (uniqueid *)id, attr->args.uid.myrank = rank, attr->args.uid.nranks = n;
	return 0;
}

int nvshmemx_hostlib_init_attr(unsigned flags, init_attr *attr) {
	REC(code, "vp", flags, W(attr));
	CHECK(flags == 8 && !status, 1);
	uid_args *u = &attr->args.uid;
	CHECK(u->id && u->id->version == 0x10080, 1);
	strcpy(file, u->id->internal);
	int fd = open(file, O_RDWR);
	char *at = mmap(0, CONTROL + PES * SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (fd < 0 || at == MAP_FAILED) return 7;
	close(fd);
	self = u->myrank, pes = u->nranks, heap = at + CONTROL + self * SEGMENT;
	world = (struct shared *)at;
	__atomic_add_fetch(&world->joined, 1, __ATOMIC_SEQ_CST);
	for (int looks = 0; __atomic_load_n(&world->joined, __ATOMIC_SEQ_CST) < pes && !aborted(); looks++) rest(looks);
	if (self == 0) close(shared);
	world->teams[0].stride = 1, world->teams[0].size = pes;
	used[0] = 1;
	status = limited ? 3 : 2;
	return 0;
}

void nvshmemx_hostlib_finalize(void) { REC(, ""); READY(); meet(0); status = 0; }

/* Memory. */
static void *take(word alignment, word size) {
	meet(0);
	word at = (world->used + alignment - 1) & -alignment;
	meet(0);
	if (at + size > (word)SEGMENT) return 0;
	world->used = at + size;
	meet(0);
	return heap + at;
}
void *nvshmem_malloc(size_t n) { REC(0, "v", n); READY(0); return take(512, n); }
void *nvshmem_calloc(size_t k, size_t n) { REC(0, "vv", k, n); READY(0); return take(512, k * n); }
void *nvshmem_align(size_t to, size_t n) { REC(0, "vv", to, n); READY(0); CHECK(to && !(to & (to - 1)) && n, 0); return take(to, n); }
void nvshmem_free(void *p) { REC(, "a", W(p)); READY(); HEAP(p, 1, ); meet(0); }
void *nvshmem_ptr(const void *p, int pe) { REC(0, "av", W(p), pe); READY(0); return mine(p, 1) && pe >= 0 && pe < pes ? on(p, pe) : 0; }

/* Put, get and order. */
/* copy stores a small aligned word in one piece, as copies of GPUs do. */
#define PIECE(T) if (n == sizeof(T) && (W(to) | W(from)) % sizeof(T) == 0) { *(volatile T *)to = *(volatile const T *)from; return; }
static void copy(void *to, const void *from, size_t n) {
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	PIECE(uint8_t) PIECE(uint16_t) PIECE(uint32_t) PIECE(uint64_t)
	memmove(to, from, n);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#define MOVES(put, get, params, kinds, ...) \
	void put(void *d, const void *s, size_t n, int pe params) { REC(, "aavv" kinds, W(d), W(s), n, pe __VA_ARGS__); READY(); PE(pe, ); HEAP(d, n, ); copy(on(d, pe), s, n); } \
	void get(void *d, const void *s, size_t n, int pe params) { REC(, "aavv" kinds, W(d), W(s), n, pe __VA_ARGS__); READY(); PE(pe, ); HEAP(s, n, ); copy(d, on(s, pe), n); }
#define STREAM , void *stream
MOVES(nvshmem_putmem, nvshmem_getmem, , "")
MOVES(nvshmem_putmem_nbi, nvshmem_getmem_nbi, , "")
MOVES(nvshmemx_putmem_on_stream, nvshmemx_getmem_on_stream, STREAM, "v", , W(stream))

void nvshmem_quiet(void) { REC(, ""); READY(); __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void nvshmem_fence(void) { REC(, ""); READY(); __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void nvshmem_barrier_all(void) { REC(, ""); READY(); meet(0); }
void nvshmem_sync_all(void) { REC(, ""); READY(); meet(0); }
void nvshmemx_quiet_on_stream(void *s) { REC(, "v", W(s)); READY(); }
void nvshmemx_barrier_all_on_stream(void *s) { REC(, "v", W(s)); READY(); meet(0); }
void nvshmemx_sync_all_on_stream(void *s) { REC(, "v", W(s)); READY(); meet(0); }

static void signal_op(uint64_t *sig, uint64_t v, int op, int pe) {
	uint64_t *at = (uint64_t *)on(sig, pe);
	if (op == 9) __atomic_store_n(at, v, __ATOMIC_SEQ_CST);
	else __atomic_add_fetch(at, v, __ATOMIC_SEQ_CST);
}
void nvshmemx_signal_op_on_stream(uint64_t *sig, uint64_t v, int op, int pe, void *s) {
	REC(, "avvvv", W(sig), v, op, pe, W(s));
	READY(); PE(pe, ); HEAP(sig, 8, ); CHECK((op == 9 || op == 10) && W(sig) % 8 == 0, );
	signal_op(sig, v, op, pe);
}
void nvshmemx_putmem_signal_on_stream(void *d, const void *src, size_t n, uint64_t *sig, uint64_t v, int op, int pe, void *s) {
	REC(, "aavavvvv", W(d), W(src), n, W(sig), v, op, pe, W(s));
	READY(); PE(pe, ); HEAP(d, n, ); HEAP(sig, 8, ); CHECK((op == 9 || op == 10) && W(sig) % 8 == 0, );
	copy(on(d, pe), src, n);
	signal_op(sig, v, op, pe);
}
static int holds(int64_t x, int cmp, int64_t v) {
	switch (cmp) {
	case 0: return x == v;
	case 1: return x != v;
	case 2: return x > v;
	case 3: return x <= v;
	case 4: return x < v;
	default: return x >= v;
	}
}
void nvshmemx_signal_wait_until_on_stream(uint64_t *sig, int cmp, uint64_t v, void *s) {
	REC(, "avvv", W(sig), cmp, v, W(s));
	READY(); FULL(); HEAP(sig, 8, ); CHECK(cmp >= 0 && cmp <= 5 && W(sig) % 8 == 0, );
	for (int looks = 0; !holds(__atomic_load_n(sig, __ATOMIC_SEQ_CST), cmp, v) && !aborted(); looks++) rest(looks);
}

/* Teams. */
int nvshmem_team_split_strided(int parent, int start, int stride, int size, const void *config, long mask, int *out) {
	REC(code, "vvvvvvp", parent, start, stride, size, W(config), mask, W(out));
	READY(1); FULL(1); TEAM(parent, 1);
	struct team *p = &world->teams[parent];
	CHECK(!config && !mask && start >= 0 && stride >= 1 && size >= 1 && start + (size - 1) * stride < p->size, 1);
	if (self == p->start) {
		int most = getenv("NVSHMEM_MAX_TEAMS") ? atoi(getenv("NVSHMEM_MAX_TEAMS")) : 32, h = FIRST_TEAM;
		while (h < most && __atomic_exchange_n(&world->teams[h].live, 1, __ATOMIC_SEQ_CST)) h++;
		p->fresh = h < most ? h : 0;
		struct team *t = &world->teams[h];
		t->start = p->start + start * p->stride, t->stride = stride * p->stride, t->size = size, t->count = t->gone = 0;
	}
	meet(parent);
	int h = p->fresh;
	*out = -1;
	for (int i = 0; h && i < size; i++)
		if (pe_of(h, i) == self) *out = h, used[h] = 1, turns[h] = 0;
	meet(parent);
	return h ? 0 : 7;
}
void nvshmem_team_destroy(int t) {
	REC(, "v", t);
	READY(); TEAM(t, ); CHECK(t >= FIRST_TEAM, );
	struct team *g = &world->teams[t];
	meet(t);
	used[t] = 0;
	if (__atomic_add_fetch(&g->gone, 1, __ATOMIC_SEQ_CST) == g->size) __atomic_store_n(&g->live, 0, __ATOMIC_SEQ_CST);
}
int nvshmemx_barrier_on_stream(int t, void *s) { REC(code, "vv", t, W(s)); READY(1); FULL(1); TEAM(t, 1); meet(t); return 0; }
int nvshmemx_team_sync_on_stream(int t, void *s) { REC(code, "vv", t, W(s)); READY(1); FULL(1); TEAM(t, 1); meet(t); return 0; }

/* Collectives. */
int nvshmemx_broadcastmem_on_stream(int t, void *d, const void *src, size_t n, int root, void *s) {
	REC(code, "vaavvv", t, W(d), W(src), n, root, W(s));
	READY(1); FULL(1); TEAM(t, 1); HEAP(d, n, 1); HEAP(src, n, 1); CHECK(root >= 0 && root < world->teams[t].size, 1);
	meet(t);
	memmove(d, on(src, pe_of(t, root)), n);
	meet(t);
	return 0;
}
int nvshmemx_fcollectmem_on_stream(int t, void *d, const void *src, size_t n, void *s) {
	REC(code, "vaavv", t, W(d), W(src), n, W(s));
	READY(1); FULL(1); TEAM(t, 1); HEAP(d, n * world->teams[t].size, 1); HEAP(src, n, 1);
	int me = (self - world->teams[t].start) / world->teams[t].stride;
	meet(t);
	for (int i = 0; i < world->teams[t].size; i++) memmove(on((char *)d + me * n, pe_of(t, i)), src, n);
	meet(t);
	return 0;
}
int nvshmemx_alltoallmem_on_stream(int t, void *d, const void *src, size_t n, void *s) {
	REC(code, "vaavv", t, W(d), W(src), n, W(s));
	READY(1); FULL(1); TEAM(t, 1); HEAP(d, n * world->teams[t].size, 1); HEAP(src, n * world->teams[t].size, 1);
	int me = (self - world->teams[t].start) / world->teams[t].stride;
	meet(t);
	for (int i = 0; i < world->teams[t].size; i++) memmove(on((char *)d + me * n, pe_of(t, i)), (char *)src + i * n, n);
	meet(t);
	return 0;
}

#define MIN(x, y) ((y) < (x) ? (y) : (x))
#define MAX(x, y) ((y) > (x) ? (y) : (x))
#define SUM(x, y) ((x) + (y))
#define PROD(x, y) ((x) * (y))
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
/* Elements of type T are combined as A, and rounded once. */
#define REDUCTION(name, T, A, IN, OUT, op, OP, kind, scatter) \
	int nvshmemx_##name##_##op##_##kind##_on_stream(int t, T *d, const T *src, size_t n, void *s) { \
		REC(code, "vaavv", t, W(d), W(src), n, W(s)); \
		READY(1); FULL(1); TEAM(t, 1); \
		struct team *g = &world->teams[t]; \
		int me = scatter ? (self - g->start) / g->stride : 0; \
		HEAP(d, n * sizeof(T), 1); HEAP(src, n * sizeof(T) * (scatter ? g->size : 1), 1); \
		A *sum = malloc(n * sizeof(A)); \
		meet(t); \
		for (int i = 0; i < g->size; i++) { \
			T *x = (T *)on(src, pe_of(t, i)) + me * n; \
			for (size_t k = 0; k < n; k++) sum[k] = i ? OP(sum[k], IN(x[k])) : IN(x[k]); \
		} \
		meet(t); \
		for (size_t k = 0; k < n; k++) d[k] = OUT(sum[k]); \
		free(sum); \
		meet(t); \
		return 0; \
	}
static float widen(uint16_t x) { uint32_t bits = (uint32_t)x << 16; float f; memcpy(&f, &bits, 4); return f; }
static uint16_t narrow(float f) { uint32_t bits; memcpy(&bits, &f, 4); return (bits + 0x7fff + (bits >> 16 & 1)) >> 16; }
#define BOTH(name, T, A, IN, OUT, op, OP) REDUCTION(name, T, A, IN, OUT, op, OP, reduce, 0) REDUCTION(name, T, A, IN, OUT, op, OP, reducescatter, 1)
#define NUMBERS(name, T, A, IN, OUT) BOTH(name, T, A, IN, OUT, sum, SUM) BOTH(name, T, A, IN, OUT, prod, PROD) BOTH(name, T, A, IN, OUT, min, MIN) BOTH(name, T, A, IN, OUT, max, MAX)
#define BITS(name, T) NUMBERS(name, T, T, , ) BOTH(name, T, T, , , and, AND) BOTH(name, T, T, , , or, OR) BOTH(name, T, T, , , xor, XOR)
BITS(int8, int8_t) BITS(int16, int16_t) BITS(int32, int32_t) BITS(int64, int64_t)
BITS(uint8, uint8_t) BITS(uint16, uint16_t) BITS(uint32, uint32_t) BITS(uint64, uint64_t)
NUMBERS(float, float, float, , ) NUMBERS(double, double, double, , )
NUMBERS(half, _Float16, float, (float), (_Float16)) NUMBERS(bfloat16, uint16_t, float, widen, narrow)
