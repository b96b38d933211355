package abi

// HIPRuntime is what AMD's runtime calls the operations of a device runtime.
//
// Origin: hip_runtime_api.h of HIP 5.2.3 and its symbol versions; for the name with
// R0600 that of HIP 6. HIP 6 and 7 still export the name without it, for the struct as
// it was before.
func HIPRuntime() []Binding {
	return append(hipDevices(), append(hipMemory(), append(hipStreams(), hipCode()...)...)...)
}

func hipDevices() []Binding {
	return []Binding{
		bind(OpInit, forDevice, "hipInit"),
		bind(OpVersion, forDevice, "hipRuntimeGetVersion"),
		bind(OpCount, forDevice, "hipGetDeviceCount"),
		bind(OpErrorName, forDevice, "hipGetErrorName"),
		bind(OpErrorText, forDevice, "hipGetErrorString"),
		bind(OpCurrent, forDevice, "hipGetDevice"),
		bind(OpUse, forDevice, "hipSetDevice"),
		bind(OpAttribute, forDevice, "hipDeviceGetAttribute"),
		bind(OpProperties, forDevice, "hipGetDevicePropertiesR0600", "hipGetDeviceProperties"),
		bind(OpDeviceName, forDevice, "hipDeviceGetName"),
		bind(OpTotal, forDevice, "hipDeviceTotalMem"),
		bind(OpPCI, forDevice, "hipDeviceGetPCIBusId"),
		bindSince("5.1", OpUUID, forDevice, "hipDeviceGetUuid"),
		bind(OpMemoryInfo, forDevice, "hipMemGetInfo"),
	}
}

func hipMemory() []Binding {
	return []Binding{
		bind(OpCanPeer, forPeers, "hipDeviceCanAccessPeer"),
		bind(OpPeerAttr, forPeers, "hipDeviceGetP2PAttribute"),
		bind(OpPeer, forPeers, "hipDeviceEnablePeerAccess"),
		bind(OpExport, forPeers, "hipIpcGetMemHandle"),
		bind(OpImport, forPeers, "hipIpcOpenMemHandle"),
		bind(OpUnimport, forPeers, "hipIpcCloseMemHandle"),
		bindSince("5.0", OpPointer, forDevice, "hipPointerGetAttribute"),
		bind(OpAlloc, forDevice, "hipMalloc"),
		bind(OpFree, forDevice, "hipFree"),
		bind(OpAllocHost, forDevice, "hipHostMalloc"),
		bind(OpFreeHost, forDevice, "hipHostFree"),
		bind(OpCopy, forDevice, "hipMemcpyAsync"),
		bind(OpCopyIn, forDevice, "hipMemcpyHtoDAsync"),
		bind(OpCopyOut, forDevice, "hipMemcpyDtoHAsync"),
		bind(OpFill8, forDevice, "hipMemsetD8Async"),
		bind(OpFill16, forDevice, "hipMemsetD16Async"),
		bind(OpFill32, forDevice, "hipMemsetD32Async"),
	}
}

func hipStreams() []Binding {
	return []Binding{
		bind(OpStream, forDevice, "hipStreamCreateWithPriority"),
		bind(OpPriorities, forDevice, "hipDeviceGetStreamPriorityRange"),
		bind(OpStreamDestroy, forDevice, "hipStreamDestroy"),
		bind(OpStreamQuery, forDevice, "hipStreamQuery"),
		bind(OpStreamSync, forDevice, "hipStreamSynchronize"),
		bind(OpStreamWait, forDevice, "hipStreamWaitEvent"),
		bind(OpWriteValue, forValues, "hipStreamWriteValue64"),
		bind(OpWaitValue, forValues, "hipStreamWaitValue64"),
		bind(OpEvent, forDevice, "hipEventCreateWithFlags"),
		bind(OpEventDestroy, forDevice, "hipEventDestroy"),
		bind(OpRecord, forDevice, "hipEventRecord"),
		bind(OpEventQuery, forDevice, "hipEventQuery"),
		bind(OpElapsed, forDevice, "hipEventElapsedTime"),
	}
}

func hipCode() []Binding {
	return []Binding{
		bind(OpLoad, forKernels, "hipModuleLoadData"),
		bind(OpUnload, forKernels, "hipModuleUnload"),
		bind(OpFunction, forKernels, "hipModuleGetFunction"),
		bind(OpFuncAttr, forKernels, "hipFuncGetAttribute"),
		bind(OpLaunch, forKernels, "hipModuleLaunchKernel"),
		bindSince("4.3", OpBeginCapture, forGraphs, "hipStreamBeginCapture"),
		bindSince("4.3", OpCapturing, forGraphs, "hipStreamIsCapturing"),
		bindSince("4.3", OpEndCapture, forGraphs, "hipStreamEndCapture"),
		bindSince("4.5", OpInstantiate, forGraphs, "hipGraphInstantiateWithFlags"),
		bindSince("4.3", OpGraphLaunch, forGraphs, "hipGraphLaunch"),
		bindSince("4.3", OpExecDestroy, forGraphs, "hipGraphExecDestroy"),
		bindSince("4.3", OpGraphDestroy, forGraphs, "hipGraphDestroy"),
	}
}
