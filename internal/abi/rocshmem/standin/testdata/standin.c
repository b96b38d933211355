/*
 * A stand-in for the shim over rocSHMEM: the same C functions over shared memory of the
 * host, for any number of processes, or of copies of this file in one process. What goes
 * on a stream happens at once, on the thread of the caller.
 *
 * The arguments are looked at first: an address that is not in the heap, a PE that there is
 * not, a call before the start. rocSHMEM would crash; here it is written down, and whoever
 * tests fails because of it.
 *
 * -DTABLE=1  made from another table  -DOLD      what is newer than release 3.5 is not there
 * -DARCHIVE  the version linked       -DBACKEND  0 GDA, 1 RO, 2 IPC: what is chosen
 * -DBUILT    what it was built with   -DFAR=1    no memory of others is reachable
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#ifndef TABLE
#define TABLE 0
#endif
#ifndef ARCHIVE
#define ARCHIVE "3.8.0"
#endif
#ifndef BACKEND
#define BACKEND 2
#endif
#ifndef BUILT
#define BUILT "GDA RO IPC"
#endif
#ifndef FAR
#define FAR 0
#endif

typedef uint64_t word;

enum { PES = 64, TEAMS = 128, PAGE = 4096, BLOCKS = 64 };
enum { A_ADD, A_COMPARE };
enum { R_SUM, R_MIN, R_MAX, R_PROD, R_AND, R_OR, R_XOR };
enum { K_SHORT, K_INT, K_LONG, K_FLOAT, K_DOUBLE };

/* What all PEs share. The heaps follow. */
struct meeting {
	uint32_t arrived, round;
};
struct shared {
	uint64_t heap;
	uint32_t size, used[TEAMS], slot[TEAMS]; /* slot: of the team that is made in this one */
	uint32_t given_up;
	struct meeting meetings[TEAMS];
};
enum { HEAD = 4 * PAGE };
_Static_assert(sizeof(struct shared) < HEAD, "the head is too small");

struct team {
	uint32_t slot;
	int start, stride, size, me;
};

static struct shared *all;
static char *heaps; /* of PE 0; those of the others follow */
static int state;   /* 0 before the start, 1 after it, 2 after the end */
static int rank;
static int device = -1;
static uint32_t most = 40; /* teams, with those that the library has itself */
static int named = -1; /* the file of the id that was made here */
static struct team teams[TEAMS];
static struct { char *at; uint64_t n; } blocks[BLOCKS], registered[BLOCKS];

/* Records and complaints. */

static char taken[1 << 15], complaints[1 << 12];
static size_t taken_n, complaints_n;
static int recording; /* 2: nothing is done besides */
static char swap_name[64];
static int swap_at;
static int lock;

static void hold(void) { while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) sched_yield(); }
static void let(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

static void write_down(char *to, size_t *n, size_t limit, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	if (*n < limit) *n += (size_t)vsnprintf(to + *n, limit - *n, format, list);
	if (*n > limit) *n = limit;
	va_end(list);
}
#define COMPLAIN(...) write_down(complaints, &complaints_n, sizeof complaints, __VA_ARGS__)

#define CONTROL __attribute__((visibility("default")))

static size_t give(char *from, size_t *n, char *to, size_t size)
{
	hold();
	size_t k = *n < size ? *n : size;
	memcpy(to, from, k);
	*n = 0;
	let();
	return k;
}
CONTROL size_t standin_take(char *to, size_t size) { return give(taken, &taken_n, to, size); }
CONTROL size_t standin_complaints(char *to, size_t size) { return give(complaints, &complaints_n, to, size); }
CONTROL void standin_record(int on) { recording = on; }
CONTROL void standin_swap(const char *name, int at)
{
	snprintf(swap_name, sizeof swap_name, "%s", name);
	swap_at = at;
}
/* standin_give_up ends waits that nothing else would end. */
CONTROL void standin_give_up(void) { if (all) __atomic_store_n(&all->given_up, 1, __ATOMIC_RELEASE); }

/* Where addresses are. */

static int me(void) { return state == 1 ? rank : -1; }
static int size(void) { return state == 1 ? (int)all->size : -1; }
static char *heap_of(int pe) { return heaps + (uint64_t)pe * all->heap; }

static int in_heap(word p, word n)
{
	word base = (word)heap_of(rank);
	return p >= base && p - base <= all->heap && n <= all->heap - (p - base);
}

static int is_registered(word p, word n)
{
	for (int i = 0; i < BLOCKS; i++)
		if (registered[i].at && p >= (word)registered[i].at && p + n <= (word)registered[i].at + registered[i].n) return 1;
	return 0;
}

static void *at(const void *p, int pe) { return heap_of(pe) + ((const char *)p - heap_of(rank)); }
static void *mock_ptr(const void *p, int pe) { return FAR && pe != rank ? NULL : at(p, pe); }

static struct team *team_of(word handle)
{
	struct team *t = handle ? (struct team *)handle : &teams[0];
	return t >= teams && t < teams + TEAMS && t->size > 0 ? t : NULL;
}

/* wrong says what is wrong with argument i, or nothing. */
static const char *wrong(const char *letters, const word *a, int i)
{
	word n = 1; /* bytes from an address on: the argument in bytes, or the width of a word */
	const char *bytes = strchr(letters, 'n');
	struct team *t;
	if (bytes) n = a[bytes - letters];
	switch (letters[i]) {
	case 'S': return in_heap(a[i], n) ? NULL : "is not in the heap";
	case 'H': return in_heap(a[i], 4) && a[i] % 4 == 0 ? NULL : "is no word of 4 bytes in the heap";
	case 'W': return in_heap(a[i], 8) && a[i] % 8 == 0 ? NULL : "is no word of 8 bytes in the heap";
	case 'L': return in_heap(a[i], n) || is_registered(a[i], n) ? NULL : "is neither symmetric nor registered";
	case 'p': return (int)a[i] >= 0 && (int)a[i] < size() ? NULL : "is no PE";
	case 'o': return a[i] < 2 ? NULL : "is no operation";
	case 'c': return a[i] < 6 ? NULL : "is no comparison";
	case 'T': return team_of(a[i]) ? NULL : "is no team";
	case 'r':
		t = team_of(a[strchr(letters, 'T') - letters]);
		return t && (int)a[i] >= 0 && (int)a[i] < t->size ? NULL : "is not in the team";
	}
	return NULL;
}

/* early are the calls that may come before the start. */
static int early(const char *name)
{
	static const char *const list[] = {"about_text", "set_device", "get_uniqueid", "start", "vendor_get_version_info", "my_pe", "n_pes"};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!strcmp(name, list[i])) return 1;
	return 0;
}

/* enter is called first in each function: 0 means that it must not go on. */
static int enter(const char *name, const char *letters, word *a)
{
	int n = (int)strlen(letters), ok = 1;
	hold();
	if (!strcmp(name, swap_name) && swap_at + 1 < n) {
		word w = a[swap_at];
		a[swap_at] = a[swap_at + 1];
		a[swap_at + 1] = w;
	}
	if (recording) {
		write_down(taken, &taken_n, sizeof taken, "%s", name);
		for (int i = 0; i < n; i++) write_down(taken, &taken_n, sizeof taken, " %llx", (unsigned long long)a[i]);
		write_down(taken, &taken_n, sizeof taken, "\n");
	}
	if (state != 1 && !early(name)) {
		COMPLAIN("%s: called %s\n", name, state ? "after the end" : "before the start");
		ok = 0;
	}
	for (int i = 0; ok && i < n; i++) {
		const char *why = wrong(letters, a, i);
		if (why) {
			COMPLAIN("%s: argument %d, %llx, %s\n", name, i, (unsigned long long)a[i], why);
			ok = 0;
		}
	}
	let();
	return ok && recording != 2;
}

/* Start and end. */

static int mock_about(char *out, uint64_t n)
{
	return snprintf(out, (size_t)n, "version=3.8.0\ncommit=standin\nbackends=%s\nbuild=Release\ngpus=host\n", BUILT);
}

static void mock_version(int *major, int *minor, int *patch) { sscanf(ARCHIVE, "%d.%d.%d", major, minor, patch); }
static int mock_backend(void) { return BACKEND; }
static void mock_set_device(int number) { device = number; }
static void mock_exit(int status) { _exit(status); }

/* The id is the path of a file without a name, which is gone when nobody has it open. */
static int mock_get_uniqueid(unsigned char *id)
{
	named = memfd_create("goshmem-standin", MFD_CLOEXEC);
	if (named < 0) return 1;
	snprintf((char *)id, 128, "/proc/%d/fd/%d", getpid(), named);
	return 0;
}

/* rest is called between looks: others need the processor, the awaited one among them. */
static void rest(int looks)
{
	struct timespec t = {0, looks < 1000 ? 20000 : 500000};
	if (looks < 50)
		sched_yield();
	else
		nanosleep(&t, NULL);
}

static void meet(struct team *t)
{
	struct meeting *m = &all->meetings[t->slot];
	uint32_t round = __atomic_load_n(&m->round, __ATOMIC_ACQUIRE);
	if (__atomic_add_fetch(&m->arrived, 1, __ATOMIC_ACQ_REL) == (uint32_t)t->size) {
		__atomic_store_n(&m->arrived, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&m->round, round + 1, __ATOMIC_RELEASE);
		return;
	}
	for (int looks = 0; __atomic_load_n(&m->round, __ATOMIC_ACQUIRE) == round && !__atomic_load_n(&all->given_up, __ATOMIC_ACQUIRE); looks++) rest(looks);
}

static int mock_start(int r, int n, unsigned char *id)
{
	const char *text = getenv("ROCSHMEM_HEAP_SIZE");
	uint64_t heap = text ? strtoull(text, NULL, 10) : 1ull << 30;
	const char *limit = getenv("ROCSHMEM_MAX_NUM_TEAMS");
	if (limit && atoi(limit) < TEAMS) most = (uint32_t)atoi(limit);
	if (state || r < 0 || r >= n || n > PES) return 1;
	int fd = open((const char *)id, O_RDWR);
	heap = (heap + PAGE - 1) / PAGE * PAGE;
	uint64_t whole = HEAD + heap * (uint64_t)n;
	if (fd < 0 || ftruncate(fd, (off_t)whole)) return 1; /* the same length by each */
	char *p = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED) return 1;
	all = (struct shared *)p;
	heaps = p + HEAD;
	rank = r;
	all->heap = heap;
	all->size = (uint32_t)n;
	teams[0] = (struct team){0, 0, 1, n, r};
	__atomic_store_n(&all->used[0], 1, __ATOMIC_RELAXED);
	meet(&teams[0]);
	state = 1;
	if (named >= 0) close(named);
	named = -1;
	return 0;
}

static void mock_finalize(void)
{
	meet(&teams[0]);
	state = 2; /* the memory stays mapped: somebody may look at it still */
}

/* Memory: first fit, the same on all PEs, since all ask for the same. */

static void *mock_align(uint64_t alignment, uint64_t n)
{
	char *base = heap_of(rank), *p = base;
	void *found = NULL;
	if (alignment < 128) alignment = 128;
	meet(&teams[0]);
	for (int again = 1; again;) { /* past each block that is in the way */
		again = 0;
		p = base + ((uint64_t)(p - base) + alignment - 1) / alignment * alignment;
		for (int i = 0; i < BLOCKS; i++)
			if (blocks[i].at && p < blocks[i].at + blocks[i].n && blocks[i].at < p + n) {
				p = blocks[i].at + blocks[i].n;
				again = 1;
			}
	}
	for (int i = 0; i < BLOCKS && !found && (uint64_t)(p - base) + n <= all->heap; i++)
		if (!blocks[i].at) {
			blocks[i].at = found = p;
			blocks[i].n = n;
		}
	return found;
}

static void *mock_malloc(uint64_t n) { return mock_align(128, n); }

static void mock_free(void *p)
{
	meet(&teams[0]);
	for (int i = 0; i < BLOCKS; i++)
		if (blocks[i].at == p) {
			blocks[i].at = NULL;
			return;
		}
	COMPLAIN("free: %p was not allocated\n", p);
}

static int mock_register(void *p, uint64_t n)
{
	if (!p || !n) return 1;
	for (int i = 0; i < BLOCKS; i++)
		if (registered[i].at && (char *)p < registered[i].at + registered[i].n && registered[i].at < (char *)p + n) return 1;
	for (int i = 0; i < BLOCKS; i++)
		if (!registered[i].at) {
			registered[i].at = p;
			registered[i].n = n;
			return 0;
		}
	return 1;
}

static int mock_unregister(void *p)
{
	for (int i = 0; i < BLOCKS; i++)
		if (p && registered[i].at == p) {
			registered[i].at = NULL;
			return 0;
		}
	return 1;
}

/* Data. */

static void move(void *to, const void *from, uint64_t n) { memmove(to, from, n); }

static void signal_op(uint64_t *sig, uint64_t value, int op)
{
	if (op == 0)
		__atomic_store_n(sig, value, __ATOMIC_SEQ_CST);
	else
		__atomic_add_fetch(sig, value, __ATOMIC_SEQ_CST);
}

static void put_signal(void *to, const void *from, uint64_t n, uint64_t *sig, uint64_t value, int op)
{
	move(to, from, n);
	signal_op(sig, value, op);
}

static void wait_until(uint64_t *sig, int cmp, uint64_t value)
{
	for (int looks = 0;; rest(looks++)) {
		uint64_t v = __atomic_load_n(sig, __ATOMIC_SEQ_CST);
		int ok[] = {v == value, v != value, v > value, v >= value, v < value, v <= value};
		if (ok[cmp] || __atomic_load_n(&all->given_up, __ATOMIC_ACQUIRE)) return;
	}
}

#define AMO(NAME, T) \
	static T amo_##NAME(int kind, void *p, T v, T cond) \
	{ \
		T *w = p; \
		if (kind == A_ADD) return __atomic_fetch_add(w, v, __ATOMIC_SEQ_CST); \
		__atomic_compare_exchange_n(w, &cond, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		return cond; \
	}
AMO(uint32, uint32_t)
AMO(uint64, uint64_t)

/* Teams. A team is made in a meeting of its parent, whose first member finds a slot. */

static void mock_sync_in(struct team *t) { meet(t); }
static void mock_sync(void *handle) { mock_sync_in(team_of((word)handle)); }
static void *mock_world(void) { return &teams[0]; }
static int mock_team_my_pe(void *handle) { return team_of((word)handle)->me; }
static int mock_team_n_pes(void *handle) { return team_of((word)handle)->size; }

static void *mock_split(void *handle, int start, int stride, int n)
{
	struct team *parent = team_of((word)handle);
	uint32_t slot = 0;
	if (start < 0 || start >= parent->size || n < 1 || n > parent->size || stride < 1 || start + (n - 1) * stride >= parent->size) return NULL;
	if (parent->me == 0) {
		for (uint32_t i = 1; i < most - 1 && !slot; i++)
			if (__atomic_exchange_n(&all->used[i], 1, __ATOMIC_ACQ_REL) == 0) slot = i;
		__atomic_store_n(&all->slot[parent->slot], slot, __ATOMIC_RELEASE);
	}
	meet(parent);
	slot = __atomic_load_n(&all->slot[parent->slot], __ATOMIC_ACQUIRE);
	meet(parent);
	int mine = parent->me - start;
	if (slot == 0 || mine < 0 || mine % stride || mine / stride >= n) return NULL;
	teams[slot] = (struct team){slot, parent->start + start * parent->stride, stride * parent->stride, n, mine / stride};
	return &teams[slot];
}

static void mock_destroy(void *handle)
{
	struct team *t = team_of((word)handle);
	if (t->slot == 0) return;
	meet(t);
	if (t->me == 0) __atomic_store_n(&all->used[t->slot], 0, __ATOMIC_RELEASE);
	t->size = 0;
}

/* Collectives: all read from all between two meetings. */

static void *copy_of(struct team *t, int member, const void *p) { return at(p, t->start + member * t->stride); }

static void mock_alltoall(void *handle, void *dest, const void *source, uint64_t n)
{
	struct team *t = team_of((word)handle);
	if (!in_heap((word)dest, n * (word)t->size) || !in_heap((word)source, n * (word)t->size)) {
		COMPLAIN("alltoallmem_on_stream: %llu bytes for each do not fit\n", (unsigned long long)n);
		return;
	}
	meet(t);
	for (int i = 0; i < t->size; i++) move((char *)dest + n * (word)i, (char *)copy_of(t, i, source) + n * (word)t->me, n);
	meet(t);
}

/* The root's own copy stays as it is. */
static void mock_broadcast(void *handle, void *dest, const void *source, uint64_t n, int root)
{
	struct team *t = team_of((word)handle);
	meet(t);
	if (t->me != root) move(dest, copy_of(t, root, source), n);
	meet(t);
}

#define FOLD(T, BITS) \
	do { \
		T *to = (T *)out + i, b = ((const T *)from)[i]; \
		switch (op) { \
		case R_SUM: *to = (T)(*to + b); break; \
		case R_MIN: *to = b < *to ? b : *to; break; \
		case R_MAX: *to = b > *to ? b : *to; break; \
		case R_PROD: *to = (T)(*to * b); break; \
			BITS \
		} \
	} while (0)
#define WITH_BITS \
	case R_AND: *to &= b; break; \
	case R_OR: *to |= b; break; \
	case R_XOR: *to ^= b; break;

static void fold(int op, int kind, void *out, const void *from, int n)
{
	for (int i = 0; i < n; i++)
		switch (kind) {
		case K_SHORT: FOLD(short, WITH_BITS); break;
		case K_INT: FOLD(int, WITH_BITS); break;
		case K_LONG: FOLD(long, WITH_BITS); break;
		case K_FLOAT: FOLD(float, ); break;
		case K_DOUBLE: FOLD(double, ); break;
		}
}

static int mock_reduce(int op, int kind, void *handle, void *dest, const void *source, int n)
{
	static const size_t width[] = {sizeof(short), sizeof(int), sizeof(long), sizeof(float), sizeof(double)};
	struct team *t = team_of((word)handle);
	size_t bytes = (size_t)n * width[kind];
	if (n < 0 || !in_heap((word)dest, bytes) || !in_heap((word)source, bytes)) {
		COMPLAIN("reduce_on_stream: %d elements do not fit\n", n);
		return 1;
	}
	void *out = malloc(bytes + 1);
	meet(t);
	memcpy(out, copy_of(t, 0, source), bytes);
	for (int i = 1; i < t->size; i++) fold(op, kind, out, copy_of(t, i, source), n);
	meet(t); /* in place: all have read before anybody writes */
	memcpy(dest, out, bytes);
	free(out);
	meet(t);
	return 0;
}

#pragma GCC visibility push(default)
#include "calls_gen.h"
