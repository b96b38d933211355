// The names and types of rocSHMEM's functions for the host that the shim calls, or that are
// about as new as those, written down from the published headers independently of the table
// that the shim is made from. They answer to release 3.5, projects/rocshmem in
// ROCm/rocm-systems at 01bf84ad9c52 (rocshmem.hpp), 48cce34046a4 (rocshmem_common.hpp) and
// what was added to it up to the team barriers of 3.5; the atomics to ROCm/rocSHMEM at
// 659d64e1cabc; what is behind NEWER to 3.8 before its release. symbols.txt has the names
// that linkers see, made from this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <hip/hip_runtime.h>

#include "rocshmem_config.h"

namespace rocshmem {

using std::size_t;
using rocshmem_uniqueid_t = std::array<uint8_t, 128>;
using rocshmem_team_t = uint64_t *;

struct rocshmem_init_attr_t {
	int32_t rank, nranks;
	rocshmem_uniqueid_t uid;
	void *mpi_comm;
};
static_assert(sizeof(rocshmem_init_attr_t) == 144, "size of the attributes");

typedef struct {
	int num_contexts;
} rocshmem_team_config_t;

typedef struct rocshmem_ctx {
	void *ctx_opaque, *team_opaque;
} rocshmem_ctx_t;

enum class BackendType { GDA_BACKEND, RO_BACKEND, IPC_BACKEND };

constexpr unsigned ROCSHMEM_INIT_WITH_UNIQUEID = 1;
const rocshmem_team_t ROCSHMEM_TEAM_INVALID = nullptr;

namespace host {
extern rocshmem_team_t ROCSHMEM_TEAM_WORLD;
}

BackendType get_backend_type();

int rocshmem_get_uniqueid(rocshmem_uniqueid_t *);
int rocshmem_set_attr_uniqueid_args(int rank, int nranks, rocshmem_uniqueid_t *, rocshmem_init_attr_t *);
int rocshmem_init_attr(unsigned flags, rocshmem_init_attr_t *);
void rocshmem_finalize();
int rocshmem_my_pe();
int rocshmem_n_pes();
void rocshmem_vendor_get_version_info(int *major, int *minor, int *patch);
int rocshmem_hipmodule_init(hipModule_t, hipStream_t = nullptr);
void rocshmem_global_exit(int status);
int rocshmem_ctx_create(int64_t options, rocshmem_ctx_t *);

void *rocshmem_malloc(size_t);
void *rocshmem_align(size_t alignment, size_t size);
void *rocshmem_calloc(size_t count, size_t size);
void rocshmem_free(void *);
void *rocshmem_ptr(const void *, int pe);
int rocshmem_buffer_register(void *, size_t);
int rocshmem_buffer_unregister(void *);

void rocshmem_putmem(void *, const void *, size_t, int pe);
void rocshmem_getmem(void *, const void *, size_t, int pe);
void rocshmem_putmem_nbi(void *, const void *, size_t, int pe);
void rocshmem_getmem_nbi(void *, const void *, size_t, int pe);
void rocshmem_putmem_on_stream(void *, const void *, size_t, int pe, hipStream_t);
void rocshmem_getmem_on_stream(void *, const void *, size_t, int pe, hipStream_t);
void rocshmem_fence();
void rocshmem_quiet();
void rocshmem_quiet_on_stream(hipStream_t);

void rocshmem_putmem_signal_on_stream(void *, const void *, size_t, uint64_t *sig, uint64_t value, int op, int pe, hipStream_t);
void rocshmem_signal_wait_until_on_stream(uint64_t *sig, int cmp, uint64_t value, hipStream_t);

void rocshmem_barrier_all();
void rocshmem_sync_all();
void rocshmem_barrier(rocshmem_team_t);
void rocshmem_team_sync(rocshmem_team_t);
void rocshmem_barrier_all_on_stream(hipStream_t);
void rocshmem_sync_all_on_stream(hipStream_t);
void rocshmem_barrier_on_stream(rocshmem_team_t, hipStream_t);
void rocshmem_team_sync_on_stream(rocshmem_team_t, hipStream_t);

int rocshmem_team_split_strided(rocshmem_team_t, int start, int stride, int size, const rocshmem_team_config_t *, long mask, rocshmem_team_t *);
void rocshmem_team_destroy(rocshmem_team_t);
int rocshmem_team_my_pe(rocshmem_team_t);
int rocshmem_team_n_pes(rocshmem_team_t);

void rocshmem_alltoallmem_on_stream(rocshmem_team_t, void *, const void *, size_t, hipStream_t);
void rocshmem_broadcastmem_on_stream(rocshmem_team_t, void *, const void *, size_t, int root, hipStream_t);

#define REDUCE(T, OP) int rocshmem_ctx_##T##_##OP##_reduce_on_stream(rocshmem_ctx_t, rocshmem_team_t, T *, const T *, int, hipStream_t);
#define ARITHMETIC(T) REDUCE(T, sum) REDUCE(T, min) REDUCE(T, max) REDUCE(T, prod)
#define BITS(T) REDUCE(T, and) REDUCE(T, or) REDUCE(T, xor)
ARITHMETIC(short) ARITHMETIC(int) ARITHMETIC(long) ARITHMETIC(float) ARITHMETIC(double)
BITS(short) BITS(int) BITS(long)

#define ATOMICS(N, T) \
	T rocshmem_##N##_atomic_fetch(T *, int); \
	void rocshmem_##N##_atomic_set(T *, T, int); \
	T rocshmem_##N##_atomic_swap(T *, T, int); \
	T rocshmem_##N##_atomic_compare_swap(T *, T, T, int); \
	T rocshmem_##N##_atomic_fetch_inc(T *, int); \
	void rocshmem_##N##_atomic_inc(T *, int); \
	T rocshmem_##N##_atomic_fetch_add(T *, T, int); \
	void rocshmem_##N##_atomic_add(T *, T, int); \
	T rocshmem_##N##_atomic_fetch_and(T *, T, int); \
	T rocshmem_##N##_atomic_fetch_or(T *, T, int); \
	T rocshmem_##N##_atomic_fetch_xor(T *, T, int); \
	void rocshmem_##N##_atomic_and(T *, T, int); \
	void rocshmem_##N##_atomic_or(T *, T, int); \
	void rocshmem_##N##_atomic_xor(T *, T, int);
ATOMICS(uint32, uint32_t)
ATOMICS(uint64, uint64_t)

#ifdef NEWER
void rocshmem_signal_set_on_stream(uint64_t *sig, uint64_t value, int pe, hipStream_t);
void rocshmem_signal_add_on_stream(uint64_t *sig, uint64_t value, int pe, hipStream_t);
#endif

} // namespace rocshmem
