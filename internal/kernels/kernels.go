// Package kernels has the kernels that goshmem itself runs on GPUs, as source for the
// vendors' run-time compilers.
package kernels

import _ "embed" // the source is a file

// Text is the source in what CUDA and HIP C++ have in common.
//
//go:embed kernels.cu
var Text string

//go:embed ipcjob.cu
var job string

//go:embed ipc.cu
var rest string

//go:embed ipcreduce.cu
var reduction string

// IPC is the source of engine ipc's kernels, in the same language.
func IPC() string { return job + rest }

// IPCReduce is that of its reductions, to be compiled with -DELEM and the number of the
// element type in package reduce.
func IPCReduce() string { return job + reduction }
