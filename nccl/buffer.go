package nccl

import (
	"unsafe"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
)

// Buffer is memory that collectives work on: gpu.Slice of any element type, arrays of
// package shmem, [Raw], [Nothing], and on the host library [HostSlice].
type Buffer interface {
	// CollectiveBuffer describes the memory, for this package.
	CollectiveBuffer() ccl.Buffer
}

// Raw is memory that is known by its address: that of another library, or a part of memory
// that has no type here. It must be memory of the communicator's device, or pinned; that
// is checked only if Device is set.
type Raw struct {
	Address uintptr
	Count   int // elements
	Type    DataType
	Device  *gpu.Device
}

// CollectiveBuffer describes the memory.
func (r Raw) CollectiveBuffer() ccl.Buffer {
	if !r.Type.Valid() || r.Count < 0 || r.Address == 0 && r.Count > 0 {
		return ccl.Unusable(problem(ErrArgument, "%d elements of type %d at address %#x are no memory", r.Count, r.Type, r.Address))
	}
	b := ccl.Buffer{Addr: r.Address, Count: r.Count, Type: r.Type, Elem: r.Type.Size()}
	if r.Device != nil {
		b.Platform, b.Device = r.Device.Platform(), r.Device.Index()
	}
	return b
}

// Nothing is the buffer of a rank that has none: the result of [Reduce] or [Gather] and
// the source of [Broadcast] or [Scatter] on ranks that are not the root.
type Nothing struct{}

// CollectiveBuffer describes no memory.
func (Nothing) CollectiveBuffer() ccl.Buffer { return ccl.Buffer{Type: ccl.NoType} }

// HostSlice is a Go slice as a buffer, for the host library only: others are given no
// addresses of Go memory. The elements must not be touched until the stream has done the
// work.
type HostSlice[T any] []T

// Host makes a Go slice a buffer.
func Host[T any](x []T) HostSlice[T] { return HostSlice[T](x) }

// CollectiveBuffer describes the memory.
func (x HostSlice[T]) CollectiveBuffer() ccl.Buffer {
	t, elem := ccl.TypeOf[T]()
	if len(x) == 0 {
		return ccl.Buffer{Type: t, Elem: elem, Held: unsafe.Pointer(new(byte))}
	}
	p := unsafe.Pointer(&x[0])
	return ccl.Buffer{Addr: uintptr(p), Count: len(x), Type: t, Elem: elem, Held: p}
}
