package nvshmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// pointer is where a variable is.
func pointer[T any](p *T) unsafe.Pointer { return unsafe.Pointer(p) }

// at is an address of memory that is not Go's.
func at(addr uint64) unsafe.Pointer { return unsafe.Pointer(&mem.At[byte](uintptr(addr), 1)[0]) }
