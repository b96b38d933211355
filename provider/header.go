package provider

import _ "embed" // the header is a file

// header is goshmem.h.
//
//go:embed goshmem.h
var header string

// Headers are what kernels include: give them as gpu.Program.Headers. goshmem.h is one file
// in the C++ that CUDA, HIP and a host's compiler have in common, and includes nothing; its
// comments say what there is.
func Headers() map[string]string { return map[string]string{"goshmem.h": header} }
