package provider

import (
	"context"
	"slices"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/interchange"
)

// ImportArray is Import for a tensor of another library, as DLPack or the array interface
// describe it. It returns the bytes; gpu.As gives them the tensor's type. The tensor must
// be compact, be on the provider's device and may be written; its owner keeps it until
// Free. Blocking, collective. Errors: as Import's.
func (p *Imports) ImportArray(ctx context.Context, a interchange.Array) (gpu.Buffer, *AddressMap, error) {
	memory, err := foreign(p.reg.d, a)
	m, err := p.join(ctx, source{memory: memory, bytes: memory.Len(), err: err})
	return memory, m, fail("import array", err)
}

// foreign is the memory of a description.
func foreign(d *gpu.Device, a interchange.Array) (gpu.Buffer, error) {
	if err := a.Validate(); err != nil {
		return gpu.Buffer{}, problem(ErrArgument, "%v", err)
	}
	kind, ok := kindOf(d, a.Device)
	switch {
	case !ok:
		return gpu.Buffer{}, problem(ErrArgument, "the tensor is on %v %d: memory of %v is needed", a.Device.Type, a.Device.ID, d)
	case a.ReadOnly:
		return gpu.Buffer{}, problem(ErrArgument, "the tensor is read-only: other ranks store to it")
	case a.Len() == 0 || !compact(a):
		return gpu.Buffer{}, problem(ErrArgument, "shape %v with strides %v: a compact tensor with elements is needed", a.Shape, a.Strides)
	}
	return gpu.Foreign[byte](d, a.Pointer, int(a.Len())*a.Type.Size(), kind)
}

// kindOf says whether memory is a device's, and which.
func kindOf(d *gpu.Device, at interchange.Device) (gpu.MemoryKind, bool) {
	own := at.ID == int32(d.Index())
	switch platform := d.Platform(); at.Type {
	case interchange.CPU:
		return gpu.DeviceMemory, platform == "host"
	case interchange.CUDA:
		return gpu.DeviceMemory, platform == "cuda" && own
	case interchange.CUDAHost:
		return gpu.PinnedMemory, platform == "cuda"
	case interchange.ROCm:
		return gpu.DeviceMemory, platform == "hip" && own
	case interchange.ROCmHost:
		return gpu.PinnedMemory, platform == "hip"
	}
	return gpu.DeviceMemory, false
}

// compact says whether a tensor has no gaps, and is in the order of its rows.
func compact(a interchange.Array) bool {
	step := int64(1)
	for i, stride := range slices.Backward(a.ElementStrides()) {
		if a.Shape[i] > 1 && stride != step {
			return false
		}
		step *= a.Shape[i]
	}
	return true
}
