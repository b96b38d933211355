/* Prints the numbers of package internal/abi/hip as the installed headers have them. */
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>
#include <stddef.h>
#include <stdio.h>

#define P(x) printf("%s %lld\n", #x, (long long)(x))

int main(void) {
	P(HIP_VERSION_MAJOR);
	/* what differs between versions */
	P(hipMemoryTypeHost);
	P(hipMemoryTypeDevice);
	P(hipIpcMemLazyEnablePeerAccess);
	P(sizeof(hipDeviceProp_t));
	P(offsetof(hipDeviceProp_t, gcnArchName));
	P(sizeof(((hipDeviceProp_t *)0)->gcnArchName));
	/* what does not */
	P(hipErrorInvalidValue);
	P(hipErrorOutOfMemory);
	P(hipErrorDeinitialized);
	P(hipErrorInvalidDevicePointer);
	P(hipErrorNoDevice);
	P(hipErrorInvalidDevice);
	P(hipErrorNoBinaryForGpu);
	P(hipErrorECCNotCorrectable);
	P(hipErrorPeerAccessUnsupported);
	P(hipErrorInvalidHandle);
	P(hipErrorNotFound);
	P(hipErrorNotReady);
	P(hipErrorIllegalAddress);
	P(hipErrorLaunchTimeOut);
	P(hipErrorPeerAccessAlreadyEnabled);
	P(hipErrorContextIsDestroyed);
	P(hipErrorAssert);
	P(hipErrorLaunchFailure);
	P(hipErrorNotSupported);
	P(hipDeviceAttributeClockRate);
	P(hipDeviceAttributeIntegrated);
	P(hipDeviceAttributeComputeCapabilityMajor);
	P(hipDeviceAttributeMaxGridDimX);
	P(hipDeviceAttributeMaxGridDimY);
	P(hipDeviceAttributeMaxGridDimZ);
	P(hipDeviceAttributeMaxThreadsPerBlock);
	P(hipDeviceAttributeComputeCapabilityMinor);
	P(hipDeviceAttributeMultiprocessorCount);
	P(hipDeviceAttributeMaxSharedMemoryPerBlock);
	P(hipDeviceAttributeWarpSize);
	P(hipDeviceAttributeCanUseStreamWaitValue);
	P(hipDevP2PAttrNativeAtomicSupported);
	P(HIP_POINTER_ATTRIBUTE_MEMORY_TYPE);
	P(HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
	P(HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR);
	P(HIP_POINTER_ATTRIBUTE_RANGE_SIZE);
	P(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
	P(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
	P(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
	P(HIP_FUNC_ATTRIBUTE_NUM_REGS);
	P(hipMemcpyDefault);
	P(hipHostMallocPortable);
	P(hipHostMallocMapped);
	P(hipStreamNonBlocking);
	P(hipStreamWaitValueGte);
	P(hipStreamWaitValueEq);
	P(hipStreamWaitValueAnd);
	P(hipStreamCaptureModeRelaxed);
	P(hipEventDisableTiming);
	P(sizeof(hipIpcMemHandle_t));
	P(sizeof(hipUUID));
	P(sizeof(hipDevice_t));
	P(sizeof(hipDeviceptr_t));
	P(sizeof(hipMemoryType));
	P(sizeof(hipError_t));
	return 0;
}
