// A consumer and a producer of DLPack records, with the layout in words of its own.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct tensor {
	void *data;
	int32_t device_type, device_id;
	int32_t ndim;
	uint8_t code, bits;
	uint16_t lanes;
	int64_t *shape, *strides;
	uint64_t byte_offset;
};

struct managed {
	struct tensor t;
	void *context;
	void (*deleter)(struct managed *);
};

struct versioned {
	uint32_t major, minor;
	void *context;
	void (*deleter)(struct versioned *);
	uint64_t flags;
	struct tensor t;
};

_Static_assert(sizeof(struct tensor) == 48, "tensor");
_Static_assert(sizeof(struct managed) == 64, "managed");
_Static_assert(sizeof(struct versioned) == 80, "versioned");

static int64_t sum(const struct tensor *t, int dim, const char *at) {
	if (dim == t->ndim)
		return *(const int32_t *)at;
	int64_t s = 0;
	for (int64_t i = 0; i < t->shape[dim]; i++)
		s += sum(t, dim + 1, at + i * t->strides[dim] * t->bits / 8);
	return s;
}

static void fields(const struct tensor *t, int64_t *out) {
	out[0] = t->device_type, out[1] = t->device_id, out[2] = t->ndim;
	out[3] = t->code, out[4] = t->bits, out[5] = t->lanes;
	out[6] = (int64_t)t->byte_offset, out[7] = (int64_t)t->data;
	for (int i = 0; i < t->ndim; i++)
		out[10 + i] = t->shape[i], out[20 + i] = t->strides[i];
}

int64_t consume(struct managed *m, int64_t *out) {
	fields(&m->t, out);
	int64_t s = sum(&m->t, 0, (char *)m->t.data + m->t.byte_offset);
	m->deleter(m);
	return s;
}

int64_t consume_versioned(struct versioned *m, int64_t *out) {
	fields(&m->t, out);
	out[8] = m->major, out[9] = (int64_t)m->flags;
	int64_t s = sum(&m->t, 0, (char *)m->t.data + m->t.byte_offset);
	m->deleter(m);
	return s;
}

static void *delete_here(void *p) {
	struct managed *m = p;
	m->deleter(m);
	return NULL;
}

// Calls the deleter on a thread of its own, with a small stack.
int delete_elsewhere(struct managed *m) {
	pthread_t thread;
	pthread_attr_t small;
	int status = pthread_attr_init(&small) || pthread_attr_setstacksize(&small, 1 << 17) || pthread_create(&thread, &small, delete_here, m);
	return status || pthread_join(thread, NULL);
}

static int64_t deleted;

int64_t how_often(void) { return deleted; }

static void delete(struct managed *m) {
	deleted++;
	free(m);
}

static void delete_versioned(struct versioned *m) {
	deleted++;
	free(m);
}

static int32_t numbers[] = {9, 9, 1, 2, 3, 4, 5, 6};

static struct tensor produced(int64_t *shape, int64_t *strides) {
	shape[0] = 2, shape[1] = 3;
	struct tensor t = {numbers, 1, 0, 2, 0, 32, 1, shape, strides, 8};
	return t;
}

// The record of 1 to 6 in two rows, behind an offset of 8 bytes; how: 0 compact, 1 with
// strides of columns, 2 without a deleter, in memory that stays.
struct managed *produce(int how) {
	static struct pair { struct managed m; int64_t shape[2], strides[2]; } stays;
	struct pair *r = how == 2 ? &stays : calloc(1, sizeof *r);
	r->strides[0] = 1, r->strides[1] = 2;
	r->m.t = produced(r->shape, how == 1 ? r->strides : NULL);
	r->m.deleter = how == 2 ? NULL : delete;
	return &r->m;
}

// Versioned, of this major version and with these flags. Those of other versions have
// nothing after the flags.
struct versioned *produce_versioned(uint32_t major, uint64_t flags) {
	struct { struct versioned m; int64_t shape[2]; } *r = calloc(1, sizeof *r);
	memset(&r->m.t, 0xff, sizeof r->m.t);
	if (major == 1)
		r->m.t = produced(r->shape, NULL);
	r->m.major = major, r->m.minor = 7, r->m.flags = flags;
	r->m.deleter = delete_versioned;
	return &r->m;
}
