// Made by internal/shimgen from its table.txt: edit that.

// The shim over rocSHMEM: one C function for each of its functions that goshmem calls. The
// library is a static archive with device code in it, so that somebody has to link it into
// what can be opened at run time; this is all that the file is for. Nothing here checks
// anything: that is done in Go, where a mistake is an error and not the end of the process.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <hip/hip_runtime.h>
#include <rocshmem/rocshmem.hpp>

#include "about.hpp"

using namespace rocshmem;

namespace {

// context is what reductions take; it exists from start on.
[[maybe_unused]] rocshmem_ctx_t context{};

// device is the GPU of this process, -1 until set_device.
int device = -1;

// Pin makes it current for a call: HIP has a current device for each thread, and Go moves
// calls between threads.
struct Pin {
	int before = -1;
	Pin() {
		if (device < 0) return;
		if (hipGetDevice(&before) != hipSuccess || before == device || hipSetDevice(device) != hipSuccess) before = -1;
	}
	~Pin() {
		if (before >= 0) (void)hipSetDevice(before);
	}
};

} // namespace

#pragma GCC visibility push(default)

extern "C" {

int goshmem_rocshmem_table(void) { return 1714028573; }

int goshmem_rocshmem_about_text(char *out, uint64_t size) {
	Pin pin;
	return about(out, size);
}

void goshmem_rocshmem_set_device(int number) {
	Pin pin;
	device = number;
}

int goshmem_rocshmem_get_uniqueid(unsigned char *uid) {
	Pin pin;
	return rocshmem_get_uniqueid(reinterpret_cast<rocshmem_uniqueid_t *>(uid));
}

int goshmem_rocshmem_start(int rank, int nranks, unsigned char *uid) {
	Pin pin;
	rocshmem_init_attr_t attr{};
	auto id = reinterpret_cast<rocshmem_uniqueid_t *>(uid);
	int status = rocshmem_set_attr_uniqueid_args(rank, nranks, id, &attr);
	if (status == 0) status = rocshmem_init_attr(ROCSHMEM_INIT_WITH_UNIQUEID, &attr);
	if (status == 0) status = rocshmem_ctx_create(0, &context);
	return status;
}

void goshmem_rocshmem_finalize(void) {
	Pin pin;
	rocshmem_finalize();
}

int goshmem_rocshmem_my_pe(void) {
	Pin pin;
	return rocshmem_my_pe();
}

int goshmem_rocshmem_n_pes(void) {
	Pin pin;
	return rocshmem_n_pes();
}

void goshmem_rocshmem_vendor_get_version_info(int *major, int *minor, int *patch) {
	Pin pin;
	rocshmem_vendor_get_version_info(major, minor, patch);
}

#ifdef HAVE_get_backend_type
int goshmem_rocshmem_get_backend_type(void) {
	Pin pin;
	return static_cast<int>(get_backend_type());
}
#endif

int goshmem_rocshmem_hipmodule_init(void *module, void *stream) {
	Pin pin;
	return rocshmem_hipmodule_init(static_cast<hipModule_t>(module), static_cast<hipStream_t>(stream));
}

void goshmem_rocshmem_global_exit(int status) {
	Pin pin;
	rocshmem_global_exit(status);
}

void *goshmem_rocshmem_malloc(uint64_t size) {
	Pin pin;
	return rocshmem_malloc(static_cast<size_t>(size));
}

void *goshmem_rocshmem_align(uint64_t alignment, uint64_t size) {
	Pin pin;
	return rocshmem_align(static_cast<size_t>(alignment), static_cast<size_t>(size));
}

void goshmem_rocshmem_free(void *ptr) {
	Pin pin;
	rocshmem_free(ptr);
}

void *goshmem_rocshmem_ptr(const void *dest, int pe) {
	Pin pin;
	return rocshmem_ptr(dest, pe);
}

int goshmem_rocshmem_buffer_register(void *addr, uint64_t length) {
	Pin pin;
	return rocshmem_buffer_register(addr, static_cast<size_t>(length));
}

int goshmem_rocshmem_buffer_unregister(void *addr) {
	Pin pin;
	return rocshmem_buffer_unregister(addr);
}

void goshmem_rocshmem_putmem(void *dest, const void *source, uint64_t nbytes, int pe) {
	Pin pin;
	rocshmem_putmem(dest, source, static_cast<size_t>(nbytes), pe);
}

void goshmem_rocshmem_getmem(void *dest, const void *source, uint64_t nbytes, int pe) {
	Pin pin;
	rocshmem_getmem(dest, source, static_cast<size_t>(nbytes), pe);
}

void goshmem_rocshmem_putmem_nbi(void *dest, const void *source, uint64_t nbytes, int pe) {
	Pin pin;
	rocshmem_putmem_nbi(dest, source, static_cast<size_t>(nbytes), pe);
}

void goshmem_rocshmem_getmem_nbi(void *dest, const void *source, uint64_t nbytes, int pe) {
	Pin pin;
	rocshmem_getmem_nbi(dest, source, static_cast<size_t>(nbytes), pe);
}

void goshmem_rocshmem_putmem_on_stream(void *dest, const void *source, uint64_t nbytes, int pe, void *stream) {
	Pin pin;
	rocshmem_putmem_on_stream(dest, source, static_cast<size_t>(nbytes), pe, static_cast<hipStream_t>(stream));
}

void goshmem_rocshmem_getmem_on_stream(void *dest, const void *source, uint64_t nbytes, int pe, void *stream) {
	Pin pin;
	rocshmem_getmem_on_stream(dest, source, static_cast<size_t>(nbytes), pe, static_cast<hipStream_t>(stream));
}

void goshmem_rocshmem_fence(void) {
	Pin pin;
	rocshmem_fence();
}

void goshmem_rocshmem_quiet(void) {
	Pin pin;
	rocshmem_quiet();
}

void goshmem_rocshmem_quiet_on_stream(void *stream) {
	Pin pin;
	rocshmem_quiet_on_stream(static_cast<hipStream_t>(stream));
}

void goshmem_rocshmem_putmem_signal_on_stream(void *dest, const void *source, uint64_t nbytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, void *stream) {
	Pin pin;
	rocshmem_putmem_signal_on_stream(dest, source, static_cast<size_t>(nbytes), sig_addr, signal, sig_op, pe, static_cast<hipStream_t>(stream));
}

void goshmem_rocshmem_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t value, void *stream) {
	Pin pin;
	rocshmem_signal_wait_until_on_stream(sig_addr, cmp, value, static_cast<hipStream_t>(stream));
}

#ifdef HAVE_signal_set_on_stream
void goshmem_rocshmem_signal_set_on_stream(uint64_t *sig_addr, uint64_t signal, int pe, void *stream) {
	Pin pin;
	rocshmem_signal_set_on_stream(sig_addr, signal, pe, static_cast<hipStream_t>(stream));
}
#endif

#ifdef HAVE_signal_add_on_stream
void goshmem_rocshmem_signal_add_on_stream(uint64_t *sig_addr, uint64_t signal, int pe, void *stream) {
	Pin pin;
	rocshmem_signal_add_on_stream(sig_addr, signal, pe, static_cast<hipStream_t>(stream));
}
#endif

void goshmem_rocshmem_barrier_all(void) {
	Pin pin;
	rocshmem_barrier_all();
}

void goshmem_rocshmem_barrier_all_on_stream(void *stream) {
	Pin pin;
	rocshmem_barrier_all_on_stream(static_cast<hipStream_t>(stream));
}

void goshmem_rocshmem_sync_all_on_stream(void *stream) {
	Pin pin;
	rocshmem_sync_all_on_stream(static_cast<hipStream_t>(stream));
}

void goshmem_rocshmem_barrier_on_stream(void *team, void *stream) {
	Pin pin;
	rocshmem_barrier_on_stream(static_cast<uint64_t *>(team), static_cast<hipStream_t>(stream));
}

void goshmem_rocshmem_team_sync_on_stream(void *team, void *stream) {
	Pin pin;
	rocshmem_team_sync_on_stream(static_cast<uint64_t *>(team), static_cast<hipStream_t>(stream));
}

void *goshmem_rocshmem_team_world(void) {
	Pin pin;
	return host::ROCSHMEM_TEAM_WORLD;
}

void *goshmem_rocshmem_team_split(void *parent, int start, int stride, int size) {
	Pin pin;
	rocshmem_team_t made = ROCSHMEM_TEAM_INVALID;
	auto from = static_cast<uint64_t *>(parent);
	int status = rocshmem_team_split_strided(from, start, stride, size, nullptr, 0, &made);
	return status == 0 ? made : ROCSHMEM_TEAM_INVALID;
}

void goshmem_rocshmem_team_destroy(void *team) {
	Pin pin;
	rocshmem_team_destroy(static_cast<uint64_t *>(team));
}

int goshmem_rocshmem_team_my_pe(void *team) {
	Pin pin;
	return rocshmem_team_my_pe(static_cast<uint64_t *>(team));
}

int goshmem_rocshmem_team_n_pes(void *team) {
	Pin pin;
	return rocshmem_team_n_pes(static_cast<uint64_t *>(team));
}

void goshmem_rocshmem_alltoallmem_on_stream(void *team, void *dest, const void *source, uint64_t size, void *stream) {
	Pin pin;
	rocshmem_alltoallmem_on_stream(static_cast<uint64_t *>(team), dest, source, static_cast<size_t>(size), static_cast<hipStream_t>(stream));
}

void goshmem_rocshmem_broadcastmem_on_stream(void *team, void *dest, const void *source, uint64_t nbytes, int pe_root, void *stream) {
	Pin pin;
	rocshmem_broadcastmem_on_stream(static_cast<uint64_t *>(team), dest, source, static_cast<size_t>(nbytes), pe_root, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_short_sum_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_short_sum_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<short *>(dest), static_cast<const short *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_short_prod_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_short_prod_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<short *>(dest), static_cast<const short *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_short_min_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_short_min_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<short *>(dest), static_cast<const short *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_short_max_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_short_max_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<short *>(dest), static_cast<const short *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_int_sum_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_int_sum_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<int *>(dest), static_cast<const int *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_int_prod_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_int_prod_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<int *>(dest), static_cast<const int *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_int_min_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_int_min_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<int *>(dest), static_cast<const int *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_int_max_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_int_max_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<int *>(dest), static_cast<const int *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_long_sum_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_long_sum_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<long *>(dest), static_cast<const long *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_long_prod_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_long_prod_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<long *>(dest), static_cast<const long *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_long_min_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_long_min_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<long *>(dest), static_cast<const long *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_long_max_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_long_max_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<long *>(dest), static_cast<const long *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_float_sum_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_float_sum_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<float *>(dest), static_cast<const float *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_float_prod_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_float_prod_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<float *>(dest), static_cast<const float *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_float_min_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_float_min_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<float *>(dest), static_cast<const float *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_float_max_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_float_max_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<float *>(dest), static_cast<const float *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_double_sum_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_double_sum_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<double *>(dest), static_cast<const double *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_double_prod_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_double_prod_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<double *>(dest), static_cast<const double *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_double_min_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_double_min_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<double *>(dest), static_cast<const double *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_double_max_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_double_max_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<double *>(dest), static_cast<const double *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_short_and_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_short_and_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<short *>(dest), static_cast<const short *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_short_or_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_short_or_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<short *>(dest), static_cast<const short *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_short_xor_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_short_xor_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<short *>(dest), static_cast<const short *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_int_and_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_int_and_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<int *>(dest), static_cast<const int *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_int_or_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_int_or_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<int *>(dest), static_cast<const int *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_int_xor_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_int_xor_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<int *>(dest), static_cast<const int *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_long_and_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_long_and_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<long *>(dest), static_cast<const long *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_long_or_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_long_or_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<long *>(dest), static_cast<const long *>(source), nreduce, static_cast<hipStream_t>(stream));
}

int goshmem_rocshmem_ctx_long_xor_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream) {
	Pin pin;
	return rocshmem_ctx_long_xor_reduce_on_stream(context, static_cast<uint64_t *>(team), static_cast<long *>(dest), static_cast<const long *>(source), nreduce, static_cast<hipStream_t>(stream));
}

uint32_t goshmem_rocshmem_uint32_atomic_fetch(uint32_t *source, int pe) {
	Pin pin;
	return rocshmem_uint32_atomic_fetch(source, pe);
}

uint64_t goshmem_rocshmem_uint64_atomic_fetch(uint64_t *source, int pe) {
	Pin pin;
	return rocshmem_uint64_atomic_fetch(source, pe);
}

uint32_t goshmem_rocshmem_uint32_atomic_compare_swap(uint32_t *dest, uint32_t cond, uint32_t value, int pe) {
	Pin pin;
	return rocshmem_uint32_atomic_compare_swap(dest, cond, value, pe);
}

uint64_t goshmem_rocshmem_uint64_atomic_compare_swap(uint64_t *dest, uint64_t cond, uint64_t value, int pe) {
	Pin pin;
	return rocshmem_uint64_atomic_compare_swap(dest, cond, value, pe);
}

uint32_t goshmem_rocshmem_uint32_atomic_fetch_add(uint32_t *dest, uint32_t value, int pe) {
	Pin pin;
	return rocshmem_uint32_atomic_fetch_add(dest, value, pe);
}

uint64_t goshmem_rocshmem_uint64_atomic_fetch_add(uint64_t *dest, uint64_t value, int pe) {
	Pin pin;
	return rocshmem_uint64_atomic_fetch_add(dest, value, pe);
}

} // extern "C"

#pragma GCC visibility pop
