// Package cuda has the numbers of CUDA's driver API under their own names, as a reader
// of NVIDIA's documents knows them.
//
// Origin: cuda.h of CUDA 12.9 (CUDA_VERSION 12090), which has them as they are in 13.0
// too. The tests compare them with what a C program prints that includes cuda.h; what
// follows Sizeof_ is the name of a type.
package cuda

// Statuses that mean something to us; the library names all others.
const (
	CUDA_SUCCESS                           = 0
	CUDA_ERROR_INVALID_VALUE               = 1
	CUDA_ERROR_OUT_OF_MEMORY               = 2
	CUDA_ERROR_DEINITIALIZED               = 4
	CUDA_ERROR_NO_DEVICE                   = 100
	CUDA_ERROR_INVALID_DEVICE              = 101
	CUDA_ERROR_NO_BINARY_FOR_GPU           = 209
	CUDA_ERROR_ECC_UNCORRECTABLE           = 214
	CUDA_ERROR_PEER_ACCESS_UNSUPPORTED     = 217
	CUDA_ERROR_NVLINK_UNCORRECTABLE        = 220
	CUDA_ERROR_UNSUPPORTED_PTX_VERSION     = 222
	CUDA_ERROR_CONTAINED                   = 226
	CUDA_ERROR_INVALID_HANDLE              = 400
	CUDA_ERROR_NOT_FOUND                   = 500
	CUDA_ERROR_NOT_READY                   = 600
	CUDA_ERROR_ILLEGAL_ADDRESS             = 700
	CUDA_ERROR_LAUNCH_TIMEOUT              = 702
	CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704
	CUDA_ERROR_CONTEXT_IS_DESTROYED        = 709
	CUDA_ERROR_ASSERT                      = 710
	CUDA_ERROR_HARDWARE_STACK_ERROR        = 714
	CUDA_ERROR_ILLEGAL_INSTRUCTION         = 715
	CUDA_ERROR_MISALIGNED_ADDRESS          = 716
	CUDA_ERROR_INVALID_ADDRESS_SPACE       = 717
	CUDA_ERROR_INVALID_PC                  = 718
	CUDA_ERROR_LAUNCH_FAILED               = 719
	CUDA_ERROR_TENSOR_MEMORY_LEAK          = 721
	CUDA_ERROR_NOT_SUPPORTED               = 801
)

// Attributes of a device.
const (
	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK             = 1
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X                    = 5
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y                    = 6
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z                    = 7
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK       = 8
	CU_DEVICE_ATTRIBUTE_WARP_SIZE                         = 10
	CU_DEVICE_ATTRIBUTE_CLOCK_RATE                        = 13
	CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT              = 16
	CU_DEVICE_ATTRIBUTE_INTEGRATED                        = 18
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR          = 75
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR          = 76
	CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS     = 122
	CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED       = 3
)

// Attributes of an address, and what kinds of memory there are.
const (
	CU_POINTER_ATTRIBUTE_MEMORY_TYPE      = 2
	CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL   = 9
	CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11
	CU_POINTER_ATTRIBUTE_RANGE_SIZE       = 12
	CU_MEMORYTYPE_HOST                    = 1
	CU_MEMORYTYPE_DEVICE                  = 2
)

// Attributes of a kernel.
const (
	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK         = 0
	CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES             = 1
	CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES              = 3
	CU_FUNC_ATTRIBUTE_NUM_REGS                      = 4
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
)

// Flags and modes.
const (
	CU_MEMHOSTALLOC_PORTABLE           = 1
	CU_MEMHOSTALLOC_DEVICEMAP          = 2
	CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1
	CU_STREAM_NON_BLOCKING             = 1
	CU_STREAM_WAIT_VALUE_GEQ           = 0
	CU_STREAM_WAIT_VALUE_EQ            = 1
	CU_STREAM_WAIT_VALUE_AND           = 2
	CU_STREAM_WRITE_VALUE_DEFAULT      = 0
	CU_STREAM_CAPTURE_MODE_RELAXED     = 2
	CU_EVENT_DISABLE_TIMING            = 2
)

// Sizes of what is passed by value or stored by the library.
const (
	Sizeof_CUipcMemHandle = 64
	Sizeof_CUuuid         = 16
	Sizeof_CUdevice       = 4
	Sizeof_CUdeviceptr    = 8
	Sizeof_CUmemorytype   = 4
	Sizeof_CUresult       = 4
)
