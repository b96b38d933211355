package nvshmem

import "unsafe"

// pointer is where a variable is.
func pointer[T any](p *T) unsafe.Pointer { return unsafe.Pointer(p) }
