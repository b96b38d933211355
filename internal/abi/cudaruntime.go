package abi

// CUDARuntime is what CUDA's driver library calls the operations of a device runtime.
//
// Origin: cuda.h of CUDA 12.9. Names with _v2 are what it maps the plain ones to. The
// versions are those of its release notes.
func CUDARuntime() []Binding {
	return append(cudaDevices(), append(cudaMemory(), append(cudaStreams(), cudaCode()...)...)...)
}

func cudaDevices() []Binding {
	return []Binding{
		bind(OpInit, forDevice, "cuInit"),
		bind(OpVersion, forDevice, "cuDriverGetVersion"),
		bind(OpCount, forDevice, "cuDeviceGetCount"),
		bind(OpErrorName, forDevice, "cuGetErrorName"),
		bind(OpErrorText, forDevice, "cuGetErrorString"),
		bind(OpCurrent, forDevice, "cuCtxGetCurrent"),
		bind(OpUse, forDevice, "cuCtxSetCurrent"),
		bind(OpRetain, forDevice, "cuDevicePrimaryCtxRetain"),
		bind(OpAttribute, forDevice, "cuDeviceGetAttribute"),
		bind(OpDeviceName, forDevice, "cuDeviceGetName"),
		bind(OpTotal, forDevice, "cuDeviceTotalMem_v2"),
		bind(OpPCI, forDevice, "cuDeviceGetPCIBusId"),
		bindSince("11.4", OpUUID, forDevice, "cuDeviceGetUuid_v2"),
		bind(OpMemoryInfo, forDevice, "cuMemGetInfo_v2"),
	}
}

func cudaMemory() []Binding {
	return []Binding{
		bind(OpCanPeer, forPeers, "cuDeviceCanAccessPeer"),
		bind(OpPeerAttr, forPeers, "cuDeviceGetP2PAttribute"),
		bind(OpPeer, forPeers, "cuCtxEnablePeerAccess"),
		bind(OpExport, forPeers, "cuIpcGetMemHandle"),
		bind(OpImport, forPeers, "cuIpcOpenMemHandle_v2"),
		bind(OpUnimport, forPeers, "cuIpcCloseMemHandle"),
		bind(OpPointer, forDevice, "cuPointerGetAttribute"),
		bind(OpAlloc, forDevice, "cuMemAlloc_v2"),
		bind(OpFree, forDevice, "cuMemFree_v2"),
		bind(OpAllocHost, forDevice, "cuMemHostAlloc"),
		bind(OpFreeHost, forDevice, "cuMemFreeHost"),
		bind(OpCopy, forDevice, "cuMemcpyAsync"),
		bind(OpCopyIn, forDevice, "cuMemcpyHtoDAsync_v2"),
		bind(OpCopyOut, forDevice, "cuMemcpyDtoHAsync_v2"),
		bind(OpFill8, forDevice, "cuMemsetD8Async"),
		bind(OpFill16, forDevice, "cuMemsetD16Async"),
		bind(OpFill32, forDevice, "cuMemsetD32Async"),
	}
}

func cudaStreams() []Binding {
	return []Binding{
		bind(OpStream, forDevice, "cuStreamCreateWithPriority"),
		bind(OpPriorities, forDevice, "cuCtxGetStreamPriorityRange"),
		bind(OpStreamDestroy, forDevice, "cuStreamDestroy_v2"),
		bind(OpStreamQuery, forDevice, "cuStreamQuery"),
		bind(OpStreamSync, forDevice, "cuStreamSynchronize"),
		bind(OpStreamWait, forDevice, "cuStreamWaitEvent"),
		bindSince("11.7", OpWriteValue, forValues, "cuStreamWriteValue64_v2"),
		bindSince("11.7", OpWaitValue, forValues, "cuStreamWaitValue64_v2"),
		bind(OpEvent, forDevice, "cuEventCreate"),
		bind(OpEventDestroy, forDevice, "cuEventDestroy_v2"),
		bind(OpRecord, forDevice, "cuEventRecord"),
		bind(OpEventQuery, forDevice, "cuEventQuery"),
		bind(OpElapsed, forDevice, "cuEventElapsedTime"),
	}
}

func cudaCode() []Binding {
	return []Binding{
		bind(OpLoad, forKernels, "cuModuleLoadData"),
		bind(OpUnload, forKernels, "cuModuleUnload"),
		bind(OpFunction, forKernels, "cuModuleGetFunction"),
		bind(OpFuncAttr, forKernels, "cuFuncGetAttribute"),
		bindSince("9.0", OpFuncSet, forKernels, "cuFuncSetAttribute"),
		bindSince("12.4", OpParamInfo, forKernels, "cuFuncGetParamInfo"),
		bind(OpLaunch, forKernels, "cuLaunchKernel"),
		bindSince("10.1", OpBeginCapture, forGraphs, "cuStreamBeginCapture_v2"),
		bindSince("10.0", OpCapturing, forGraphs, "cuStreamIsCapturing"),
		bindSince("10.0", OpEndCapture, forGraphs, "cuStreamEndCapture"),
		bindSince("11.4", OpInstantiate, forGraphs, "cuGraphInstantiateWithFlags"),
		bindSince("10.0", OpGraphLaunch, forGraphs, "cuGraphLaunch"),
		bindSince("10.0", OpExecDestroy, forGraphs, "cuGraphExecDestroy"),
		bindSince("10.0", OpGraphDestroy, forGraphs, "cuGraphDestroy"),
	}
}
