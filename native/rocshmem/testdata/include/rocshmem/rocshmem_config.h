// What an installation says about itself; tests define what is undefined here.
#pragma once

#define USE_IPC
#define ROCSHMEM_VENDOR_MAJOR_VERSION 3
#ifdef NEWER
#define ROCSHMEM_VENDOR_MINOR_VERSION 8
#define ROCSHMEM_VERSION "3.8.0"
#else
#define ROCSHMEM_VENDOR_MINOR_VERSION 5
#define ROCSHMEM_VERSION "3.5.0"
#endif
#define ROCSHMEM_VENDOR_PATCH_VERSION 0
#define ROCSHMEM_GIT_HASH "0123abc"
#define ROCSHMEM_BUILD_TYPE "Release"
#define ROCSHMEM_OFFLOAD_TARGETS "gfx90a;gfx942"
