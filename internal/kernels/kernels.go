// Package kernels has the kernels that goshmem itself runs on GPUs, as source for the
// vendors' run-time compilers.
package kernels

import _ "embed" // the source is a file

// Text is the source in what CUDA and HIP C++ have in common.
//
//go:embed kernels.cu
var Text string

// IPC is the source of engine ipc's kernels, in the same language.
//
//go:embed ipc.cu
var IPC string
