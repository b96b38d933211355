package gpu

import (
	"reflect"

	"github.com/goshmem/goshmem/interchange"
)

// Interchange describes the elements for other systems: to export them by DLPack or show
// them by the array interface. It copies nothing, and waits for nothing: work that is
// queued on the memory must be done, or ordered before what the other system does. The
// memory stays the slice's: Close ends it, however many exports there are. Device memory
// is of device CUDA or ROCm, pinned memory of CUDAHost or ROCmHost, and all of platform
// host is of the CPU. Foreign takes what others give. Errors: ErrArgument for elements
// that other systems have no name for, such as structs.
func (x Slice[T]) Interchange() (interchange.Array, error) {
	const op = "interchange"
	if err := x.b.alive(); err != nil {
		return interchange.Array{}, x.fail(op, err)
	}
	kind, err := interchange.TypeFor[T]()
	if err != nil {
		return interchange.Array{}, x.fail(op, problem(ErrArgument, "other systems have no name for elements of %v: numbers, bool and the types of package dtype have one", reflect.TypeFor[T]()))
	}
	return interchange.Array{Pointer: x.Address(), Shape: []int64{int64(x.n)}, Type: kind, Device: x.b.place(), Owner: x}, nil
}

// place is where other systems say that the memory is.
func (b *block) place() interchange.Device {
	device, pinned := interchange.CPU, interchange.CPU
	switch b.d.p.name {
	case "cuda":
		device, pinned = interchange.CUDA, interchange.CUDAHost
	case "hip":
		device, pinned = interchange.ROCm, interchange.ROCmHost
	}
	if b.kind == PinnedMemory || device == interchange.CPU {
		return interchange.Device{Type: pinned}
	}
	return interchange.Device{Type: device, ID: int32(b.d.index)}
}
