/* NCCL and RCCL without a device, written from what their headers declare and not from our
 * tables: it is what those are compared with. It records every call with its arguments.
 * Nothing is moved; communicators are only counted.
 *
 * mock_swap has one function see two neighbouring arguments as if they had been passed the
 * other way round: a test that does not notice is no test. mock_late has communicators
 * stay in progress for so many questions, and slots be written only then, or at the end of
 * a group. A function that -DncclX=other names is not there. mock_block has a function not
 * come back until its communicator is aborted. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef long long word;
typedef struct { char internal[128]; } uid;
typedef struct { int nRanks, rank, stride; } team;
typedef struct { int opCnt, peer, sigIdx, ctx; } desc;
typedef struct {
	size_t size;
	unsigned magic, version;
	int blocking, cgaClusterSize, minCTAs, maxCTAs;
	const char *netName;
	int splitShare, trafficClass;
	const char *commName;
	int collnetEnable, CTAPolicy, shrinkShare, nvlsCTAs, nChannelsPerNetPeer, nvlinkCentricSched;
	int graphUsageMode, numRmaCtx, maxP2pPeers, graphStreamOrdering;
	int launchOrderImplicit, numRmaSig, rmaEagerInit, hostCftMode, nvlsHostMode;
} config;
typedef struct {
	size_t size;
	unsigned magic, version;
	int rank, nRanks, cudaDev, nvmlDev;
	_Bool deviceApiSupport, multimemSupport;
	int ginType, nLsaTeams;
	_Bool hostRmaSupport;
	int railedGinType;
} properties;
typedef struct { size_t size; unsigned magic, version; float estimatedTime; } sim;
typedef struct {
	size_t size;
	unsigned magic, version;
	void *ext;
	int minCTAs, maxCTAs, nvlsCTAs, cgaClusterSize;
	const char *algSelection;
	int forceAlgSelection, CTAPolicy;
	uint64_t userProfilerTag;
} collconfig;

#ifndef LATE /* how late a mock is that nobody has told otherwise */
#define LATE 0
#endif
struct comm { int rank, size, device, blocking, busy, state; struct { void **slot; void *value; } late[4]; int lates; };

static char journal[1 << 20], swap_fn[64], fail_fn[64], block_fn[64], last_error[128];
static volatile int aborts; /* so far: they release what is blocked */
static int used, swap_at, fail_status, fail_after, quiet, version = 23007, late = LATE, slow = LATE, made;
static struct comm comms[1024];
static __thread int depth, first;
static __thread struct comm *touched[64];
static __thread int touches;

static char lock; /* of the journal: communicators end on several threads at once */
int mock_take(char *to, word size) {
	while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) ;
	int n = used < size ? used : (int)size;
	memcpy(to, journal, n);
	used = 0;
	__atomic_clear(&lock, __ATOMIC_RELEASE);
	return n;
}
int mock_swap(const char *fn, int at) { strcpy(swap_fn, fn); swap_at = at; return 0; }
/* mock_fail: after so many good ones, each call of fn returns status. */
int mock_fail(const char *fn, int status, int after) { strcpy(fail_fn, fn); fail_status = status, fail_after = after; return 0; }
int mock_quiet(int on) { quiet = on; return 0; }
int mock_version(int v) { version = v; return 0; }
int mock_late(int polls) { late = polls; return 0; }
/* mock_slow has collectives be in progress for so many questions, where communicators do not block. */
int mock_slow(int polls) { slow = polls; return 0; }
/* mock_block has fn not come back until a communicator is aborted, or "" is blocked. */
int mock_block(const char *fn) { strcpy(block_fn, fn); return 0; }
/* mock_state has a communicator tell of something that went wrong meanwhile. */
int mock_state(struct comm *c, int state) { c->state = state; return 0; }
int mock_depth(void) { return depth; }
int mock_reset(void) {
	used = made = late = slow = quiet = 0, version = 23007;
	swap_fn[0] = fail_fn[0] = block_fn[0] = last_error[0] = 0;
	return 0;
}

static void put(const char *text) {
	int n = strlen(text);
	if (used + n < (int)sizeof journal) memcpy(journal + used, text, n), used += n;
}

static void put_config(const config *c) {
	static const struct { const char *name; int offset, size; } fields[] = {
#define F(f, s) {#f, offsetof(config, f), s}
		F(blocking, 24), F(cgaClusterSize, 24), F(minCTAs, 32), F(maxCTAs, 32), F(splitShare, 48), F(trafficClass, 48), F(collnetEnable, 72),
		F(CTAPolicy, 72), F(shrinkShare, 72), F(nvlsCTAs, 72), F(nChannelsPerNetPeer, 80), F(nvlinkCentricSched, 80), F(graphUsageMode, 88),
		F(numRmaCtx, 88), F(maxP2pPeers, 96), F(graphStreamOrdering, 96), F(launchOrderImplicit, 120), F(numRmaSig, 120),
		F(rmaEagerInit, 120), F(hostCftMode, 120), F(nvlsHostMode, 120)};
	char b[128];
	if (!c) { put(" null"); return; }
	snprintf(b, sizeof b, " {%d %x %u", (int)c->size, c->magic, c->version);
	put(b);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		int v = fields[i].size <= (int)c->size ? *(const int *)((const char *)c + fields[i].offset) : INT_MIN;
		if (v == INT_MIN) continue;
		snprintf(b, sizeof b, " %s=%d", fields[i].name, v);
		put(b);
	}
	if (c->size > offsetof(config, netName) && c->netName) put(" net="), put(c->netName);
	if (c->size > offsetof(config, commName) && c->commName) put(" name="), put(c->commName);
	put("}");
}

/* show writes an argument: v a number, i an int, p where a result goes, s text, c a config,
 * u an id, l a list of ints, z one of sizes, d one of descriptors, k a collective's config;
 * a list is as long as the number that n, or count, was. */
static int count;
static void show(char kind, word v) {
	char b[128] = " out";
	switch (kind) {
	case 'i': snprintf(b, sizeof b, " %d", (int)v); break;
	case 'n': count = (int)v; snprintf(b, sizeof b, " %d", count); break;
	case 'v': snprintf(b, sizeof b, " %lld", v); break;
	case 's': snprintf(b, sizeof b, " %.60s", v ? (char *)v : "null"); break;
	case 'u': snprintf(b, sizeof b, " id:%.3s..%.3s", (char *)v, (char *)v + 125); break;
	case 'c': put_config((config *)v); return;
	case 'k': snprintf(b, sizeof b, " k:%d:%x:%u:%d:%s", (int)((collconfig *)v)->size, ((collconfig *)v)->magic, ((collconfig *)v)->version,
		((collconfig *)v)->CTAPolicy, ((collconfig *)v)->algSelection); break;
	case 'l': case 'z': case 'd':
		put(" [");
		for (int i = 0; v && i < count; i++) {
			desc *d = (desc *)v + i;
			if (kind == 'd') snprintf(b, sizeof b, "%s%d:%d:%d:%d", i ? " " : "", d->opCnt, d->peer, d->sigIdx, d->ctx);
			else snprintf(b, sizeof b, "%s%lld", i ? " " : "", kind == 'l' ? ((int *)v)[i] : ((word *)v)[i]);
			put(b);
		}
		strcpy(b, "]");
	}
	put(b);
}

/* record returns -1 if the call is to go on, else its result. */
static int record_alone(const char *fn, const char *kinds, word *a);
static int record(const char *fn, const char *kinds, word *a) {
	while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) ;
	int status = record_alone(fn, kinds, a), blocked = *block_fn && !strcmp(fn, block_fn), before = aborts;
	__atomic_clear(&lock, __ATOMIC_RELEASE);
	while (blocked && !strcmp(fn, block_fn)) nanosleep(&(struct timespec){0, 100000}, NULL);
	return blocked && aborts != before ? 3 : status;
}

static int record_alone(const char *fn, const char *kinds, word *a) {
	int swapped = 0, n = strlen(kinds);
	if (quiet) return -1;
	if (!strcmp(fn, swap_fn)) {
		word t = a[swap_at];
		a[swap_at] = a[swap_at + 1], a[swap_at + 1] = t, swapped = 1;
	}
	put(fn);
	for (int i = 0; i < n; i++) show(swapped && strchr("vi", kinds[i]) == NULL ? 'v' : kinds[i], a[i]);
	put("\n");
	if (swapped) return 0;
	if (strcmp(fn, fail_fn) || fail_after-- > 0) return -1;
	snprintf(last_error, sizeof last_error, "mock warns of %s", fn);
	if (depth && !first && fail_status != 7) first = fail_status;
	return fail_status;
}

#define W(x) ((word)(intptr_t)(x))
#define REC(kinds, ...) \
	word a[] = {__VA_ARGS__}; \
	int status = record(__func__, kinds, a); \
	if (status >= 0) return status

/* later writes a slot now, or when it is time: at the end of a group, or when the
 * communicator is no longer in progress. */
static int later(struct comm *c, void **slot, void *value) {
	int polls = c->blocking ? 0 : late;
	if (!polls && !depth) { *slot = value; return 0; }
	c->late[c->lates].slot = slot, c->late[c->lates++].value = value;
	c->busy = polls;
	if (depth) touched[touches++ % 64] = c;
	return polls ? 7 : 0;
}
static void settle(struct comm *c) {
	for (int i = 0; i < c->lates; i++) *c->late[i].slot = c->late[i].value;
	c->lates = 0;
}
static struct comm *new_comm(int rank, int size, int blocking) {
	struct comm *c = &comms[made++ % 1024];
	memset(c, 0, sizeof *c);
	c->rank = rank, c->size = size, c->device = rank, c->blocking = blocking, c->busy = blocking ? 0 : late;
	return c;
}

int ncclGetVersion(int *v) { REC("p", W(v)); *v = version; return 0; }
const char *ncclGetErrorString(int r) { return r == 0 ? "no error" : r < 9 ? "mock words" : "unknown result code"; }
const char *ncclGetLastError(void *c) { (void)c; return last_error; }
void ncclResetDebugInit(void) { word a[1]; record(__func__, "", a); }
int ncclGetUniqueId(uid *id) {
	REC("p", W(id));
	memset(id, '.', sizeof *id);
	memcpy(id->internal, "abc", 3), memcpy(id->internal + 125, "xyz", 3);
	return 0;
}
static int init(void **comm, int size, int rank, config *c) {
	struct comm *made = *comm = new_comm(rank, size, c && c->blocking == 1);
	return made->busy ? 7 : 0;
}
int ncclCommInitRank(void **comm, int n, uid id, int rank) {
	REC("piui", W(comm), n, W(&id), rank);
	return init(comm, n, rank, NULL);
}
int ncclCommInitRankConfig(void **comm, int n, uid id, int rank, config *c) {
	REC("piuic", W(comm), n, W(&id), rank, W(c));
	return init(comm, n, rank, c);
}
int ncclCommInitRankScalable(void **comm, int n, int rank, int nId, uid *ids, config *c) {
	REC("piiiuc", W(comm), n, rank, nId, W(ids), W(c));
	return init(comm, n, rank, c);
}
int ncclCommInitAll(void **comms, int n, const int *devs) {
	REC("pnl", W(comms), n, W(devs));
	for (int i = 0; i < n; i++) comms[i] = new_comm(i, n, 1), ((struct comm *)comms[i])->device = devs ? devs[i] : i;
	return 0;
}
#define ON_COMM(fn) int fn(struct comm *c) { REC("v", W(c)); return 0; }
ON_COMM(ncclCommDestroy)
ON_COMM(ncclCommResume)
int ncclCommAbort(struct comm *c) { REC("v", W(c)); c->lates = 0; aborts++, block_fn[0] = 0; return 0; }
int ncclCommFinalize(struct comm *c) { REC("v", W(c)); c->busy = c->blocking ? 0 : late; return c->busy ? 7 : 0; }
int ncclCommRevoke(struct comm *c, int flags) { REC("vi", W(c), flags); return 0; }
int ncclCommSuspend(struct comm *c, int flags) { REC("vi", W(c), flags); return 0; }
int ncclCommMemStats(struct comm *c, int stat, uint64_t *v) { REC("vip", W(c), stat, W(v)); *v = 1ull << 40 | stat; return 0; }
int ncclCommSplit(struct comm *c, int color, int key, void **out, config *cfg) {
	REC("viipc", W(c), color, key, W(out), W(cfg));
	return later(c, out, color < 0 ? NULL : new_comm(c->rank, c->size, c->blocking));
}
int ncclCommShrink(struct comm *c, int *exclude, int n, void **out, config *cfg, int flags) {
	count = n;
	REC("vlnpci", W(c), W(exclude), n, W(out), W(cfg), flags);
	if (!exclude || n <= 0) return 4;
	for (int i = 0; i < n; i++) exclude[i] = -1;
	return later(c, out, new_comm(c->rank, c->size - n, c->blocking));
}
int ncclCommGetUniqueId(struct comm *c, uid *id) { REC("vp", W(c), W(id)); memset(id, 'g', sizeof *id); return 0; }
int ncclCommGrow(struct comm *c, int n, const uid *id, int rank, void **out, config *cfg) {
	static uid none;
	REC("viuipc", W(c), n, W(id ? id : &none), rank, W(out), W(cfg));
	struct comm *grown = new_comm(c ? c->rank : rank, n, c ? c->blocking : cfg && cfg->blocking == 1);
	return later(c ? c : grown, out, grown);
}
int ncclCommGetAsyncError(struct comm *c, int *r) {
	REC("vp", W(c), W(r));
	*r = c->state;
	if (c->busy > 0) c->busy--, *r = 7;
	else if (!depth) settle(c);
	return 0;
}
int ncclCommCount(struct comm *c, int *v) { REC("vp", W(c), W(v)); *v = c->size; return 0; }
int ncclCommCuDevice(struct comm *c, int *v) { REC("vp", W(c), W(v)); *v = c->device; return 0; }
int ncclCommUserRank(struct comm *c, int *v) { REC("vp", W(c), W(v)); *v = c->rank; return 0; }
int ncclCommQueryProperties(struct comm *c, properties *p) {
	REC("vp", W(c), W(p));
	if (p->size != sizeof *p || p->magic != 0xcafebeef || p->version > (unsigned)version) return 5;
	p->rank = c->rank, p->nRanks = c->size, p->cudaDev = 3, p->nvmlDev = 4, p->deviceApiSupport = 1, p->multimemSupport = 0;
	p->ginType = 2, p->nLsaTeams = 5, p->hostRmaSupport = 1, p->railedGinType = 6;
	return 0;
}

int ncclMemAlloc(void **p, size_t n) { REC("pv", W(p), n); *p = (void *)0x100000; return 0; }
int ncclMemFree(void *p) { REC("v", W(p)); return 0; }
int ncclCommRegister(struct comm *c, void *p, size_t n, void **h) { REC("vvvp", W(c), W(p), n, W(h)); *h = (void *)0x777; return 0; }
int ncclCommDeregister(struct comm *c, void *h) { REC("vv", W(c), W(h)); return 0; }
int ncclCommWindowRegister(struct comm *c, void *p, size_t n, void **w, int flags) {
	REC("vvvpi", W(c), W(p), n, W(w), flags);
	return later(c, w, (void *)0x888);
}
int ncclCommWindowDeregister(struct comm *c, void *w) { REC("vv", W(c), W(w)); return 0; }
int ncclWinGetUserPtr(struct comm *c, void *w, void **p) { REC("vvp", W(c), W(w), W(p)); *p = (void *)0x999; return 0; }

int ncclRedOpCreatePreMulSum(int *op, void *scalar, int t, int residence, struct comm *c) {
	word bits = 0;
	if (residence == 1) memcpy(&bits, scalar, t == 8 || t == 4 || t == 5 ? 8 : t == 7 || t == 2 || t == 3 ? 4 : t == 6 || t == 9 ? 2 : 1);
	else bits = W(scalar);
	REC("pviiv", W(op), bits, t, residence, W(c));
	*op = 77;
	return 0;
}
int ncclRedOpDestroy(int op, struct comm *c) { REC("iv", op, W(c)); return 0; }

/* a collective does what it is asked to do: nothing. */
static int work(struct comm *c) {
	if (depth && touches < 64) touched[touches++] = c;
	if (!slow || depth || c->blocking) return 0;
	c->busy = slow;
	return 7;
}
int ncclReduce(void *s, void *r, size_t n, int t, int op, int root, struct comm *c, void *st) { REC("vvviiivv", W(s), W(r), n, t, op, root, W(c), W(st)); return work(c); }
int ncclBcast(void *b, size_t n, int t, int root, struct comm *c, void *st) { REC("vviivv", W(b), n, t, root, W(c), W(st)); return work(c); }
int ncclBroadcast(void *s, void *r, size_t n, int t, int root, struct comm *c, void *st) { REC("vvviivv", W(s), W(r), n, t, root, W(c), W(st)); return work(c); }
int ncclAllReduce(void *s, void *r, size_t n, int t, int op, struct comm *c, void *st) { REC("vvviivv", W(s), W(r), n, t, op, W(c), W(st)); return work(c); }
int ncclReduceScatter(void *s, void *r, size_t n, int t, int op, struct comm *c, void *st) { REC("vvviivv", W(s), W(r), n, t, op, W(c), W(st)); return work(c); }
int ncclAllGather(void *s, void *r, size_t n, int t, struct comm *c, void *st) { REC("vvvivv", W(s), W(r), n, t, W(c), W(st)); return work(c); }
int ncclSend(void *s, size_t n, int t, int peer, struct comm *c, void *st) { REC("vviivv", W(s), n, t, peer, W(c), W(st)); return work(c); }
int ncclRecv(void *r, size_t n, int t, int peer, struct comm *c, void *st) { REC("vviivv", W(r), n, t, peer, W(c), W(st)); return work(c); }
int ncclAlltoAll(void *s, void *r, size_t n, int t, struct comm *c, void *st) { REC("vvvivv", W(s), W(r), n, t, W(c), W(st)); return work(c); }
int ncclGather(void *s, void *r, size_t n, int t, int root, struct comm *c, void *st) { REC("vvviivv", W(s), W(r), n, t, root, W(c), W(st)); return work(c); }
int ncclScatter(void *s, void *r, size_t n, int t, int root, struct comm *c, void *st) { REC("vvviivv", W(s), W(r), n, t, root, W(c), W(st)); return work(c); }
int ncclPutSignal(void *s, size_t n, int t, int peer, void *w, size_t off, int sig, int ctx, unsigned flags, struct comm *c, void *st) {
	REC("vviivviiivv", W(s), n, t, peer, W(w), off, sig, ctx, flags, W(c), W(st));
	return work(c);
}
int ncclSignal(int peer, int sig, int ctx, unsigned flags, struct comm *c, void *st) { REC("iiiivv", peer, sig, ctx, flags, W(c), W(st)); return work(c); }
int ncclWaitSignal(int n, desc *d, struct comm *c, void *st) { REC("ndvv", n, W(d), W(c), W(st)); return work(c); }

int ncclGroupStart(void) { REC("", 0); depth++; return 0; }
static int end(void) {
	int result = first;
	if (!depth) return 5;
	if (--depth) return first;
	for (int i = 0; i < touches; i++) {
		if (!touched[i]->busy) settle(touched[i]);
		else if (!result) result = 7;
	}
	touches = first = 0;
	return result;
}
int ncclGroupEnd(void) {
	word a[1];
	int status = record(__func__, "", a), ended = end();
	return status >= 0 ? status : ended;
}
int ncclGroupSimulateEnd(sim *s) {
	REC("p", W(s));
	if (s->size != sizeof *s || s->magic != 0x74685283) return 4;
	if (s->estimatedTime != -1) return 4;
	s->estimatedTime = 12.5;
	return end();
}

int ncclParamBind(void **out, const char *key) { REC("ps", W(out), W(key)); *out = (void *)0x555; return 0; }
#define GET(fn, type) int fn(void *h, type *out) { REC("vp", W(h), W(out)); *out = (type)-3; return 0; }
GET(ncclParamGetI8, int8_t) GET(ncclParamGetI16, int16_t) GET(ncclParamGetI32, int32_t) GET(ncclParamGetI64, int64_t)
GET(ncclParamGetU8, uint8_t) GET(ncclParamGetU16, uint16_t) GET(ncclParamGetU32, uint32_t) GET(ncclParamGetU64, uint64_t)
int ncclParamGetStr(void *h, const char **out) { REC("vp", W(h), W(out)); *out = "text"; return 0; }
int ncclParamGet(void *h, char *out, int max, int *n) { REC("vpip", W(h), W(out), max, W(n)); memcpy(out, "raw", 3); *n = 3; return 0; }
int ncclParamGetParameter(const char *key, const char **v, int *n) { REC("spp", W(key), W(v), W(n)); *v = "value!", *n = 5; return 0; }
int ncclParamGetAllParameterKeys(const char ***table, int *n) {
	static const char *keys[] = {"ONE", "TWO"};
	REC("pp", W(table), W(n));
	*table = keys, *n = 2;
	return 0;
}
void ncclParamDumpAll(void) { word a[1]; record(__func__, "", a); }
int ncclSetEncryption(void *c) { REC("v", W(c)); return 0; }

int ncclDevCommCreate(struct comm *c, void *r, void *d) { REC("vvv", W(c), W(r), W(d)); return 0; }
int ncclDevCommDestroy(struct comm *c, void *d) { REC("vv", W(c), W(d)); return 0; }
#define TEAM(fn, by) team fn(struct comm *c) { word a[] = {W(c)}; record(__func__, "v", a); team t = {by, by + 1, by + 2}; return t; }
TEAM(ncclTeamWorld, 10) TEAM(ncclTeamLsa, 20) TEAM(ncclTeamRail, 30) TEAM(ncclTeamCftMultimem, 40)
team ncclTeamCft(struct comm *c, int mode) { word a[] = {W(c), mode}; record(__func__, "vi", a); team t = {50, -1, mode}; return t; }
#define RANK(fn) int fn(struct comm *c, team t, int rank) { \
	word a[] = {W(c), t.nRanks, t.rank, t.stride, rank}; record(__func__, "viiii", a); return -rank; }
RANK(ncclTeamRankToWorld) RANK(ncclTeamRankToLsa)
int ncclLsaBarrierCreateRequirement(team t, int n, void *h, void *r) { REC("iiiivv", t.nRanks, t.rank, t.stride, n, W(h), W(r)); return 0; }
int ncclGinBarrierCreateRequirement(struct comm *c, team t, int n, void *h, void *r) {
	REC("viiiivv", W(c), t.nRanks, t.rank, t.stride, n, W(h), W(r));
	return 0;
}
int ncclLLA2ACreateRequirement(int b, int s, void *h, void *r) { REC("iivv", b, s, W(h), W(r)); return 0; }
int ncclLLA2ACalcSlots(int n, int size) { word a[] = {n, size}; record(__func__, "ii", a); return n * size; }
int ncclGetLsaMultimemDevicePointer(void *w, size_t off, void **p) { REC("vvp", W(w), off, W(p)); *p = (void *)0xa1; return 0; }
int ncclGetLsaDevicePointer(void *w, size_t off, int r, void **p) { REC("vvip", W(w), off, r, W(p)); *p = (void *)0xa2; return 0; }
int ncclGetPeerDevicePointer(void *w, size_t off, int r, void **p) { REC("vvip", W(w), off, r, W(p)); *p = (void *)0xa3; return 0; }
int ncclGetMultimemDevicePointer(void *w, size_t off, void *h, void **p) { REC("vvvp", W(w), off, W(h), W(p)); *p = (void *)0xa4; return 0; }
int ncclGetMultimemDeviceLeInfo(void *w, size_t off, word *i, word *o) { REC("vvpp", W(w), off, W(i), W(o)); *i = 1, *o = 2; return 0; }
int ncclGetPeerDeviceLeInfo(void *w, size_t off, int p, word *i, word *o) { REC("vvipp", W(w), off, p, W(i), W(o)); *i = 3, *o = 4; return 0; }
int ncclGetCftDeviceLeInfo(void *w, size_t off, int p, team t, word *i, word *o) {
	REC("vviiiipp", W(w), off, p, t.nRanks, t.rank, t.stride, W(i), W(o));
	*i = 5, *o = 6;
	return 0;
}

int ncclAllReduceConfig(void *s, void *r, size_t n, int t, int op, struct comm *c, void *st, collconfig *k) { REC("vvviivvk", W(s), W(r), n, t, op, W(c), W(st), W(k)); return 0; }
int ncclBroadcastConfig(void *s, void *r, size_t n, int t, int root, struct comm *c, void *st, collconfig *k) { REC("vvviivvk", W(s), W(r), n, t, root, W(c), W(st), W(k)); return 0; }
int ncclReduceConfig(void *s, void *r, size_t n, int t, int op, int root, struct comm *c, void *st, collconfig *k) { REC("vvviiivvk", W(s), W(r), n, t, op, root, W(c), W(st), W(k)); return 0; }
int ncclAllGatherConfig(void *s, void *r, size_t n, int t, struct comm *c, void *st, collconfig *k) { REC("vvvivvk", W(s), W(r), n, t, W(c), W(st), W(k)); return 0; }
int ncclReduceScatterConfig(void *s, void *r, size_t n, int t, int op, struct comm *c, void *st, collconfig *k) { REC("vvviivvk", W(s), W(r), n, t, op, W(c), W(st), W(k)); return 0; }
int ncclAlltoAllConfig(void *s, void *r, size_t n, int t, struct comm *c, void *st, collconfig *k) { REC("vvvivvk", W(s), W(r), n, t, W(c), W(st), W(k)); return 0; }
int ncclGatherConfig(void *s, void *r, size_t n, int t, int root, struct comm *c, void *st, collconfig *k) { REC("vvviivvk", W(s), W(r), n, t, root, W(c), W(st), W(k)); return 0; }
int ncclScatterConfig(void *s, void *r, size_t n, int t, int root, struct comm *c, void *st, collconfig *k) { REC("vvviivvk", W(s), W(r), n, t, root, W(c), W(st), W(k)); return 0; }

#ifdef RCCL
int ncclAllReduceWithBias(void *s, void *r, size_t n, int t, int op, struct comm *c, void *st, void *acc) { REC("vvviivvv", W(s), W(r), n, t, op, W(c), W(st), W(acc)); return work(c); }
int ncclAllToAll(void *s, void *r, size_t n, int t, struct comm *c, void *st) { REC("vvvivv", W(s), W(r), n, t, W(c), W(st)); return work(c); }
int ncclAllToAllv(void *s, size_t *sc, size_t *sd, void *r, size_t *rc, size_t *rd, int t, struct comm *c, void *st) {
	count = 2;
	REC("vzzvzzivv", W(s), W(sc), W(sd), W(r), W(rc), W(rd), t, W(c), W(st));
	return work(c);
}
int mscclLoadAlgo(const char *path, int *h, int rank) { REC("spi", W(path), W(h), rank); *h = 9; return 0; }
int mscclRunAlgo(void *s, size_t *sc, size_t *sd, void *r, size_t *rc, size_t *rd, size_t n, int t, int root, int peer, int op, int h, struct comm *c, void *st) {
	count = 2;
	REC("vzzvzzviiiiivv", W(s), W(sc), W(sd), W(r), W(rc), W(rd), n, t, root, peer, op, h, W(c), W(st));
	return 0;
}
int mscclUnloadAlgo(int h) { REC("i", h); return 0; }
#endif
