package gpu_test

// table is what every device must do.
func table() []check {
	return []check{
		{"identity", identity}, {"properties", properties}, {"peer", peer},
		{"copy", copies}, {"copy between", between}, {"parts", parts}, {"fill", fills}, {"elements", elements},
		{"pinned", pinnedMemory}, {"foreign", foreign}, {"interchange", described}, {"types of elements", elementTypes}, {"as", as},
		{"memory errors", memoryErrors}, {"exhausted", exhausted}, {"closed memory", closedMemory}, {"export", export},
		{"stream order", streamOrder}, {"streams", streams}, {"closed stream", closedStream}, {"foreign stream", foreignStream},
		{"values", writeAndWait}, {"time-out", timeOut}, {"events", events}, {"event errors", eventErrors}, {"elapsed", elapsed},
		{"graph", graph}, {"synchronize all", synchronizeAll},
		{"saxpy", saxpyOnDevice}, {"grid", grid}, {"shared memory", sharedMemory}, {"argument types", argumentTypes}, {"peers", peersTable},
		{"launch errors", launchErrors}, {"modules", modules}, {"program errors", programErrors}, {"Triton", tritonKernel}, {"fault", faultInChild},
		{"goroutines", goroutines},
	}
}
