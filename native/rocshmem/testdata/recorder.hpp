// How library_gen.cpp writes down a call, and what a test reads.
#pragma once

namespace rocshmem {
namespace host {
rocshmem_team_t ROCSHMEM_TEAM_WORLD = reinterpret_cast<rocshmem_team_t>(7007);
}

// The shim's version is compared with this one when it is loaded.
void rocshmem_vendor_get_version_info(int *major, int *minor, int *patch) {
	*major = ROCSHMEM_VENDOR_MAJOR_VERSION;
	*minor = ROCSHMEM_VENDOR_MINOR_VERSION;
	*patch = ROCSHMEM_VENDOR_PATCH_VERSION;
#ifdef OTHER_ARCHIVE
	*patch += 1;
#endif
}
} // namespace rocshmem

extern "C" {
extern char goshmem_test_last[512];
extern int goshmem_test_current;
}

namespace {

template <typename T> uint64_t word(T v) {
	if constexpr (std::is_same_v<T, rocshmem::rocshmem_ctx_t>)
		return reinterpret_cast<uint64_t>(v.ctx_opaque);
	else if constexpr (std::is_pointer_v<T>)
		return reinterpret_cast<uint64_t>(v);
	else
		return static_cast<uint64_t>(v);
}

// record keeps the call, with the device that was current. Functions return 0.
template <typename R> R record(const char *name, std::initializer_list<uint64_t> words) {
	char *at = goshmem_test_last, *end = at + sizeof goshmem_test_last;
	at += std::snprintf(at, end - at, "%d %s", goshmem_test_current, name);
	for (uint64_t w : words) at += std::snprintf(at, end - at, " %llu", static_cast<unsigned long long>(w));
	if constexpr (std::is_void_v<R>)
		return;
	else
		return R{};
}

} // namespace
