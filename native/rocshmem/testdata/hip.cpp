// HIP as far as the shim calls it, and where the recording library writes.
#include <hip/hip_runtime.h>

extern "C" {
char goshmem_test_last[512];
int goshmem_test_current = 3;

const char *goshmem_test_recorded() { return goshmem_test_last; }
int goshmem_test_device() { return goshmem_test_current; }

hipError_t hipGetDevice(int *device) {
	*device = goshmem_test_current;
	return hipSuccess;
}
hipError_t hipSetDevice(int device) {
	goshmem_test_current = device;
	return hipSuccess;
}
}
