package vendor

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/abi/cuda"
	"github.com/goshmem/goshmem/internal/device"
)

// OpenCUDA loads NVIDIA's driver library. It returns an error that wraps
// device.ErrUnsupported if there is none that we can use, and device.ErrNoDevice if it
// has no device for us. It does not touch a device.
func OpenCUDA() (device.Driver, error) { return open(cudaDialect()) }

func cudaDialect() dialect {
	return dialect{
		name: "cuda", spec: abi.CUDA(), bindings: abi.CUDARuntime(),
		contexts: true,
		notReady: cuda.CUDA_ERROR_NOT_READY, outOfMemory: cuda.CUDA_ERROR_OUT_OF_MEMORY,
		invalidValue: cuda.CUDA_ERROR_INVALID_VALUE, peerAlready: cuda.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
		meaning: cudaMeaning,
		attributes: attributes{
			processors: cuda.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, warp: cuda.CU_DEVICE_ATTRIBUTE_WARP_SIZE,
			threads: cuda.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
			gridX:   cuda.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, gridY: cuda.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, gridZ: cuda.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
			shared: cuda.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, waitValues: cuda.CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
			dynamic:    cuda.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
			integrated: cuda.CU_DEVICE_ATTRIBUTE_INTEGRATED, clock: cuda.CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
			major: cuda.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, minor: cuda.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
			peerAtomics: cuda.CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
			memoryType:  cuda.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memoryDevice: cuda.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
			memoryStart: cuda.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, memorySize: cuda.CU_POINTER_ATTRIBUTE_RANGE_SIZE,
			funcThreads: cuda.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, funcShared: cuda.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
			funcLocal: cuda.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, funcRegisters: cuda.CU_FUNC_ATTRIBUTE_NUM_REGS,
			funcDynamic: cuda.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
		},
		flags: flags{
			pinned:    cuda.CU_MEMHOSTALLOC_PORTABLE | cuda.CU_MEMHOSTALLOC_DEVICEMAP,
			importing: cuda.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, nonBlocking: cuda.CU_STREAM_NON_BLOCKING,
			noTiming: cuda.CU_EVENT_DISABLE_TIMING, relaxed: cuda.CU_STREAM_CAPTURE_MODE_RELAXED,
			compare: [3]uintptr{
				device.CompareGE:  cuda.CU_STREAM_WAIT_VALUE_GEQ,
				device.CompareEQ:  cuda.CU_STREAM_WAIT_VALUE_EQ,
				device.CompareAnd: cuda.CU_STREAM_WAIT_VALUE_AND,
			},
		},
		memory: memoryTypes{host: cuda.CU_MEMORYTYPE_HOST, device: cuda.CU_MEMORYTYPE_DEVICE},
		arch: func(_ *driver, _, major, minor int) (string, error) {
			return fmt.Sprintf("sm_%d%d", major, minor), nil
		},
		adapt: func(*dialect, int32) {},
	}
}

// cudaMeaning tells statuses apart. After those of a fault each later call on the
// context fails.
func cudaMeaning(status int32) error {
	switch status {
	case cuda.CUDA_ERROR_OUT_OF_MEMORY:
		return device.ErrMemory
	case cuda.CUDA_ERROR_INVALID_VALUE, cuda.CUDA_ERROR_INVALID_DEVICE, cuda.CUDA_ERROR_INVALID_HANDLE:
		return device.ErrArgument
	case cuda.CUDA_ERROR_NO_DEVICE:
		return device.ErrNoDevice
	case cuda.CUDA_ERROR_NO_BINARY_FOR_GPU, cuda.CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
		return device.ErrArch
	case cuda.CUDA_ERROR_NOT_FOUND:
		return device.ErrNoFunction
	case cuda.CUDA_ERROR_NOT_READY:
		return device.ErrBusy
	case cuda.CUDA_ERROR_NOT_SUPPORTED, cuda.CUDA_ERROR_PEER_ACCESS_UNSUPPORTED:
		return device.ErrUnsupported
	case cuda.CUDA_ERROR_ILLEGAL_ADDRESS, cuda.CUDA_ERROR_LAUNCH_TIMEOUT, cuda.CUDA_ERROR_ASSERT,
		cuda.CUDA_ERROR_HARDWARE_STACK_ERROR, cuda.CUDA_ERROR_ILLEGAL_INSTRUCTION, cuda.CUDA_ERROR_MISALIGNED_ADDRESS,
		cuda.CUDA_ERROR_INVALID_ADDRESS_SPACE, cuda.CUDA_ERROR_INVALID_PC, cuda.CUDA_ERROR_LAUNCH_FAILED,
		cuda.CUDA_ERROR_TENSOR_MEMORY_LEAK, cuda.CUDA_ERROR_ECC_UNCORRECTABLE, cuda.CUDA_ERROR_NVLINK_UNCORRECTABLE,
		cuda.CUDA_ERROR_CONTAINED, cuda.CUDA_ERROR_CONTEXT_IS_DESTROYED, cuda.CUDA_ERROR_DEINITIALIZED:
		return device.ErrFault
	}
	return nil
}
