// Made by internal/shimgen from its table.txt: edit that.

// A library with the functions of rocSHMEM that the shim calls, each of which writes down
// its name and its arguments: the shim is linked with it in tests.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include <hip/hip_runtime.h>
#include <rocshmem/rocshmem.hpp>

#include "recorder.hpp"

namespace rocshmem {

int rocshmem_get_uniqueid(rocshmem_uniqueid_t *uid) { return record<int>("get_uniqueid", {word(uid)}); }
int rocshmem_set_attr_uniqueid_args(int rank, int nranks, rocshmem_uniqueid_t *uid, rocshmem_init_attr_t *attr) { return record<int>("set_attr_uniqueid_args", {word(rank), word(nranks), word(uid), word(attr)}); }
int rocshmem_init_attr(unsigned int flags, rocshmem_init_attr_t *attr) { return record<int>("init_attr", {word(flags), word(attr)}); }
int rocshmem_ctx_create(int64_t options, rocshmem_ctx_t *ctx) { return record<int>("ctx_create", {word(options), word(ctx)}); }
void rocshmem_finalize() { return record<void>("finalize", {}); }
int rocshmem_my_pe() { return record<int>("my_pe", {}); }
int rocshmem_n_pes() { return record<int>("n_pes", {}); }
BackendType get_backend_type() { return record<BackendType>("get_backend_type", {}); }
int rocshmem_hipmodule_init(hipModule_t module, hipStream_t stream) { return record<int>("hipmodule_init", {word(module), word(stream)}); }
void rocshmem_global_exit(int status) { return record<void>("global_exit", {word(status)}); }
void *rocshmem_malloc(size_t size) { return record<void *>("malloc", {word(size)}); }
void *rocshmem_align(size_t alignment, size_t size) { return record<void *>("align", {word(alignment), word(size)}); }
void rocshmem_free(void *ptr) { return record<void>("free", {word(ptr)}); }
void *rocshmem_ptr(const void *dest, int pe) { return record<void *>("ptr", {word(dest), word(pe)}); }
int rocshmem_buffer_register(void *addr, size_t length) { return record<int>("buffer_register", {word(addr), word(length)}); }
int rocshmem_buffer_unregister(void *addr) { return record<int>("buffer_unregister", {word(addr)}); }
void rocshmem_putmem(void *dest, const void *source, size_t nbytes, int pe) { return record<void>("putmem", {word(dest), word(source), word(nbytes), word(pe)}); }
void rocshmem_getmem(void *dest, const void *source, size_t nbytes, int pe) { return record<void>("getmem", {word(dest), word(source), word(nbytes), word(pe)}); }
void rocshmem_putmem_nbi(void *dest, const void *source, size_t nbytes, int pe) { return record<void>("putmem_nbi", {word(dest), word(source), word(nbytes), word(pe)}); }
void rocshmem_getmem_nbi(void *dest, const void *source, size_t nbytes, int pe) { return record<void>("getmem_nbi", {word(dest), word(source), word(nbytes), word(pe)}); }
void rocshmem_putmem_on_stream(void *dest, const void *source, size_t nbytes, int pe, hipStream_t stream) { return record<void>("putmem_on_stream", {word(dest), word(source), word(nbytes), word(pe), word(stream)}); }
void rocshmem_getmem_on_stream(void *dest, const void *source, size_t nbytes, int pe, hipStream_t stream) { return record<void>("getmem_on_stream", {word(dest), word(source), word(nbytes), word(pe), word(stream)}); }
void rocshmem_fence() { return record<void>("fence", {}); }
void rocshmem_quiet() { return record<void>("quiet", {}); }
void rocshmem_quiet_on_stream(hipStream_t stream) { return record<void>("quiet_on_stream", {word(stream)}); }
void rocshmem_putmem_signal_on_stream(void *dest, const void *source, size_t nbytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, hipStream_t stream) { return record<void>("putmem_signal_on_stream", {word(dest), word(source), word(nbytes), word(sig_addr), word(signal), word(sig_op), word(pe), word(stream)}); }
void rocshmem_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t value, hipStream_t stream) { return record<void>("signal_wait_until_on_stream", {word(sig_addr), word(cmp), word(value), word(stream)}); }
void rocshmem_signal_set_on_stream(uint64_t *sig_addr, uint64_t signal, int pe, hipStream_t stream) { return record<void>("signal_set_on_stream", {word(sig_addr), word(signal), word(pe), word(stream)}); }
void rocshmem_signal_add_on_stream(uint64_t *sig_addr, uint64_t signal, int pe, hipStream_t stream) { return record<void>("signal_add_on_stream", {word(sig_addr), word(signal), word(pe), word(stream)}); }
void rocshmem_barrier_all() { return record<void>("barrier_all", {}); }
void rocshmem_barrier_all_on_stream(hipStream_t stream) { return record<void>("barrier_all_on_stream", {word(stream)}); }
void rocshmem_sync_all_on_stream(hipStream_t stream) { return record<void>("sync_all_on_stream", {word(stream)}); }
void rocshmem_barrier_on_stream(rocshmem_team_t team, hipStream_t stream) { return record<void>("barrier_on_stream", {word(team), word(stream)}); }
void rocshmem_team_sync_on_stream(rocshmem_team_t team, hipStream_t stream) { return record<void>("team_sync_on_stream", {word(team), word(stream)}); }
int rocshmem_team_split_strided(rocshmem_team_t parent, int start, int stride, int size, const rocshmem_team_config_t *config, long mask, rocshmem_team_t *team) { return record<int>("team_split_strided", {word(parent), word(start), word(stride), word(size), word(config), word(mask), word(team)}); }
void rocshmem_team_destroy(rocshmem_team_t team) { return record<void>("team_destroy", {word(team)}); }
int rocshmem_team_my_pe(rocshmem_team_t team) { return record<int>("team_my_pe", {word(team)}); }
int rocshmem_team_n_pes(rocshmem_team_t team) { return record<int>("team_n_pes", {word(team)}); }
void rocshmem_alltoallmem_on_stream(rocshmem_team_t team, void *dest, const void *source, size_t size, hipStream_t stream) { return record<void>("alltoallmem_on_stream", {word(team), word(dest), word(source), word(size), word(stream)}); }
void rocshmem_broadcastmem_on_stream(rocshmem_team_t team, void *dest, const void *source, size_t nbytes, int pe_root, hipStream_t stream) { return record<void>("broadcastmem_on_stream", {word(team), word(dest), word(source), word(nbytes), word(pe_root), word(stream)}); }
int rocshmem_ctx_short_sum_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, short *dest, const short *source, int nreduce, hipStream_t stream) { return record<int>("ctx_short_sum_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_short_prod_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, short *dest, const short *source, int nreduce, hipStream_t stream) { return record<int>("ctx_short_prod_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_short_min_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, short *dest, const short *source, int nreduce, hipStream_t stream) { return record<int>("ctx_short_min_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_short_max_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, short *dest, const short *source, int nreduce, hipStream_t stream) { return record<int>("ctx_short_max_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_int_sum_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, int *dest, const int *source, int nreduce, hipStream_t stream) { return record<int>("ctx_int_sum_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_int_prod_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, int *dest, const int *source, int nreduce, hipStream_t stream) { return record<int>("ctx_int_prod_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_int_min_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, int *dest, const int *source, int nreduce, hipStream_t stream) { return record<int>("ctx_int_min_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_int_max_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, int *dest, const int *source, int nreduce, hipStream_t stream) { return record<int>("ctx_int_max_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_long_sum_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, long *dest, const long *source, int nreduce, hipStream_t stream) { return record<int>("ctx_long_sum_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_long_prod_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, long *dest, const long *source, int nreduce, hipStream_t stream) { return record<int>("ctx_long_prod_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_long_min_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, long *dest, const long *source, int nreduce, hipStream_t stream) { return record<int>("ctx_long_min_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_long_max_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, long *dest, const long *source, int nreduce, hipStream_t stream) { return record<int>("ctx_long_max_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_float_sum_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, float *dest, const float *source, int nreduce, hipStream_t stream) { return record<int>("ctx_float_sum_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_float_prod_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, float *dest, const float *source, int nreduce, hipStream_t stream) { return record<int>("ctx_float_prod_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_float_min_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, float *dest, const float *source, int nreduce, hipStream_t stream) { return record<int>("ctx_float_min_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_float_max_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, float *dest, const float *source, int nreduce, hipStream_t stream) { return record<int>("ctx_float_max_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_double_sum_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, double *dest, const double *source, int nreduce, hipStream_t stream) { return record<int>("ctx_double_sum_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_double_prod_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, double *dest, const double *source, int nreduce, hipStream_t stream) { return record<int>("ctx_double_prod_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_double_min_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, double *dest, const double *source, int nreduce, hipStream_t stream) { return record<int>("ctx_double_min_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_double_max_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, double *dest, const double *source, int nreduce, hipStream_t stream) { return record<int>("ctx_double_max_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_short_and_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, short *dest, const short *source, int nreduce, hipStream_t stream) { return record<int>("ctx_short_and_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_short_or_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, short *dest, const short *source, int nreduce, hipStream_t stream) { return record<int>("ctx_short_or_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_short_xor_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, short *dest, const short *source, int nreduce, hipStream_t stream) { return record<int>("ctx_short_xor_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_int_and_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, int *dest, const int *source, int nreduce, hipStream_t stream) { return record<int>("ctx_int_and_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_int_or_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, int *dest, const int *source, int nreduce, hipStream_t stream) { return record<int>("ctx_int_or_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_int_xor_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, int *dest, const int *source, int nreduce, hipStream_t stream) { return record<int>("ctx_int_xor_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_long_and_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, long *dest, const long *source, int nreduce, hipStream_t stream) { return record<int>("ctx_long_and_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_long_or_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, long *dest, const long *source, int nreduce, hipStream_t stream) { return record<int>("ctx_long_or_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
int rocshmem_ctx_long_xor_reduce_on_stream(rocshmem_ctx_t ctx, rocshmem_team_t team, long *dest, const long *source, int nreduce, hipStream_t stream) { return record<int>("ctx_long_xor_reduce_on_stream", {word(ctx), word(team), word(dest), word(source), word(nreduce), word(stream)}); }
uint32_t rocshmem_uint32_atomic_fetch(uint32_t *source, int pe) { return record<uint32_t>("uint32_atomic_fetch", {word(source), word(pe)}); }
uint64_t rocshmem_uint64_atomic_fetch(uint64_t *source, int pe) { return record<uint64_t>("uint64_atomic_fetch", {word(source), word(pe)}); }
uint32_t rocshmem_uint32_atomic_compare_swap(uint32_t *dest, uint32_t cond, uint32_t value, int pe) { return record<uint32_t>("uint32_atomic_compare_swap", {word(dest), word(cond), word(value), word(pe)}); }
uint64_t rocshmem_uint64_atomic_compare_swap(uint64_t *dest, uint64_t cond, uint64_t value, int pe) { return record<uint64_t>("uint64_atomic_compare_swap", {word(dest), word(cond), word(value), word(pe)}); }
uint32_t rocshmem_uint32_atomic_fetch_add(uint32_t *dest, uint32_t value, int pe) { return record<uint32_t>("uint32_atomic_fetch_add", {word(dest), word(value), word(pe)}); }
uint64_t rocshmem_uint64_atomic_fetch_add(uint64_t *dest, uint64_t value, int pe) { return record<uint64_t>("uint64_atomic_fetch_add", {word(dest), word(value), word(pe)}); }

} // namespace rocshmem
