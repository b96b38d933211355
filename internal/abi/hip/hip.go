// Package hip has the numbers of AMD's HIP under their own names, as a reader of AMD's
// documents knows them.
//
// Origin: hip_runtime_api.h and driver_types.h of HIP 5.2.3 (Debian's libamdhip64-dev),
// with which the tests compare them; what follows Sizeof_ is the name of a type, what
// follows Offsetof_ a type and its field. What other versions changed is in versions.go.
package hip

// Statuses that mean something to us; the library names all others.
const (
	HipErrorInvalidValue             = 1
	HipErrorOutOfMemory              = 2
	HipErrorDeinitialized            = 4
	HipErrorInvalidDevicePointer     = 17
	HipErrorNoDevice                 = 100
	HipErrorInvalidDevice            = 101
	HipErrorNoBinaryForGpu           = 209
	HipErrorECCNotCorrectable        = 214
	HipErrorPeerAccessUnsupported    = 217
	HipErrorInvalidHandle            = 400
	HipErrorNotFound                 = 500
	HipErrorNotReady                 = 600
	HipErrorIllegalAddress           = 700
	HipErrorLaunchTimeOut            = 702
	HipErrorPeerAccessAlreadyEnabled = 704
	HipErrorContextIsDestroyed       = 709
	HipErrorAssert                   = 710
	HipErrorLaunchFailure            = 719
	HipErrorNotSupported             = 801
)

// Attributes of a device.
const (
	HipDeviceAttributeClockRate               = 5
	HipDeviceAttributeIntegrated              = 16
	HipDeviceAttributeComputeCapabilityMajor  = 23
	HipDeviceAttributeMaxGridDimX             = 29
	HipDeviceAttributeMaxGridDimY             = 30
	HipDeviceAttributeMaxGridDimZ             = 31
	HipDeviceAttributeMaxThreadsPerBlock      = 56
	HipDeviceAttributeComputeCapabilityMinor  = 61
	HipDeviceAttributeMultiprocessorCount     = 63
	HipDeviceAttributeMaxSharedMemoryPerBlock = 74
	HipDeviceAttributeWarpSize                = 87
	HipDeviceAttributeCanUseStreamWaitValue   = 10013
	HipDevP2PAttrNativeAtomicSupported        = 2
)

// Attributes of an address.
const (
	HIP_POINTER_ATTRIBUTE_MEMORY_TYPE      = 2
	HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL   = 9
	HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11
	HIP_POINTER_ATTRIBUTE_RANGE_SIZE       = 12
)

// Attributes of a kernel.
const (
	HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0
	HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES     = 1
	HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES      = 3
	HIP_FUNC_ATTRIBUTE_NUM_REGS              = 4
)

// Flags and modes.
const (
	HipMemcpyDefault            = 4
	HipHostMallocPortable       = 1
	HipHostMallocMapped         = 2
	HipStreamNonBlocking        = 1
	HipStreamWaitValueGte       = 0
	HipStreamWaitValueEq        = 1
	HipStreamWaitValueAnd       = 2
	HipStreamCaptureModeRelaxed = 2
	HipEventDisableTiming       = 2
)

// Sizes of what is passed by value or stored by the library.
const (
	Sizeof_hipIpcMemHandle_t = 64
	Sizeof_hipUUID           = 16
	Sizeof_hipDevice_t       = 4
	Sizeof_hipDeviceptr_t    = 8
	Sizeof_hipMemoryType     = 4
	Sizeof_hipError_t        = 4
)
