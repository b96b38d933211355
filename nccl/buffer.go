package nccl

import (
	"unsafe"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/mem"
)

// Buffer is memory that collectives work on: gpu.Slice of any element type, arrays of
// package shmem, [Raw], [Nothing], and on the host library [HostSlice].
type Buffer interface {
	// CollectiveBuffer describes the memory in b, which is empty, for this package.
	CollectiveBuffer(b *ccl.Buffer)
}

// as has memory describe itself in b, which nobody keeps: the compiler cannot know that and
// would allocate it. To return descriptions would take a good part of a small collective.
func as[B Buffer](x B, b *ccl.Buffer) *ccl.Buffer {
	x.CollectiveBuffer((*ccl.Buffer)(mem.Hide(unsafe.Pointer(b))))
	return b
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

// CollectiveBuffer describes the memory in b.
func (r Raw) CollectiveBuffer(b *ccl.Buffer) {
	if !r.Type.Valid() || r.Count < 0 || r.Address == 0 && r.Count > 0 {
		b.Err = problem(ErrArgument, "%d elements of type %d at address %#x are no memory", r.Count, r.Type, r.Address)
		return
	}
	b.Addr, b.Count, b.Type, b.Elem = r.Address, r.Count, r.Type, r.Type.Size()
	if r.Device != nil {
		b.Platform, b.Device = r.Device.Platform(), r.Device.Index()
	}
}

// Nothing is the buffer of a rank that has none: the result of [Reduce] or [Gather] and
// the source of [Broadcast] or [Scatter] on ranks that are not the root.
type Nothing struct{}

// CollectiveBuffer describes no memory in b.
func (Nothing) CollectiveBuffer(b *ccl.Buffer) { b.Type = ccl.NoType }

// HostSlice is a Go slice as a buffer, for the host library only: others are given no
// addresses of Go memory. The elements must not be touched until the stream has done the
// work.
type HostSlice[T any] []T

// Host makes a Go slice a buffer.
func Host[T any](x []T) HostSlice[T] { return HostSlice[T](x) }

// CollectiveBuffer describes the memory in b.
func (x HostSlice[T]) CollectiveBuffer(b *ccl.Buffer) {
	b.Type, b.Elem = ccl.TypeOf[T]()
	if len(x) == 0 {
		b.Held = unsafe.Pointer(new(byte))
		return
	}
	b.Held = unsafe.Pointer(&x[0])
	b.Addr, b.Count = uintptr(b.Held), len(x)
}
