// What the shim was made from, as "name=value" lines, for those who load it.
#pragma once

#ifndef GOSHMEM_GPUS
#define GOSHMEM_GPUS ""
#endif

namespace {

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

// about stores the text with a zero byte, cut to size, and returns how long it is.
inline int about(char *out, uint64_t size) {
	static const char text[] =
	    "version=" TEXT(ROCSHMEM_VENDOR_MAJOR_VERSION) "." TEXT(ROCSHMEM_VENDOR_MINOR_VERSION) "." TEXT(ROCSHMEM_VENDOR_PATCH_VERSION) "\n"
#ifdef ROCSHMEM_GIT_HASH
	    "commit=" ROCSHMEM_GIT_HASH "\n"
#endif
	    "backends="
#ifdef USE_GDA
	    " GDA"
#endif
#ifdef USE_RO
	    " RO"
#endif
#ifdef USE_IPC
	    " IPC"
#endif
	    "\n"
#ifdef ROCSHMEM_BUILD_TYPE
	    "build=" ROCSHMEM_BUILD_TYPE "\n"
#endif
#ifdef HAVE_EXTERNAL_MPI
	    "mpi=external\n"
#else
	    "mpi=opened at run time\n"
#endif
	    "gpus=" GOSHMEM_GPUS "\n";
	return std::snprintf(out, static_cast<std::size_t>(size), "%s", text);
}

} // namespace
