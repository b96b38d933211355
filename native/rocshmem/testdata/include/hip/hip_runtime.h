// As much of HIP's header as declarations of rocSHMEM and the shim need.
#pragma once

struct ihipStream_t;
struct ihipModule_t;
typedef ihipStream_t *hipStream_t;
typedef ihipModule_t *hipModule_t;

enum hipError_t { hipSuccess = 0 };

extern "C" hipError_t hipGetDevice(int *device);
extern "C" hipError_t hipSetDevice(int device);
