// Package interchange describes memory so that other systems can use ours and we can
// use theirs: with the codes of DLPack, and as records of the array interface, which Python
// objects show.
//
// It owns no memory. An [Array] is a description with a reference to what keeps the
// memory. Package dlpack below it lends it as a DLPack record, and takes those of others.
// Nothing here waits for work that a device has in its queues: whoever hands memory over
// says when it may be used.
package interchange

import "fmt"

// MaxDims is the most dimensions that an Array has.
const MaxDims = 32

// most is how far addresses reach: no array has more elements or bytes.
const most = 1 << 47

// DeviceType is the kind of device memory lies on, numbered as DLDeviceType of DLPack.
type DeviceType int32

// The device types of DLPack that this package names. An import may have others.
const (
	CPU      DeviceType = 1
	CUDA     DeviceType = 2
	CUDAHost DeviceType = 3 // pinned host memory
	ROCm     DeviceType = 10
	ROCmHost DeviceType = 11 // pinned host memory
)

// String is a name of ours, or the number.
func (d DeviceType) String() string {
	switch d {
	case CPU:
		return "cpu"
	case CUDA:
		return "cuda"
	case CUDAHost:
		return "cuda host"
	case ROCm:
		return "rocm"
	case ROCmHost:
		return "rocm host"
	}
	return fmt.Sprintf("device type %d", int32(d))
}

// host says whether a CPU can load and store memory of the kind.
func (d DeviceType) host() bool { return d == CPU || d == CUDAHost || d == ROCmHost }

// Device is a device type and the number of the device within it; 0 on a host.
type Device struct {
	Type DeviceType
	ID   int32
}

// Array describes memory: Pointer is the address of element 0, Shape and Strides count
// elements, nil Strides mean compact and row by row. It frees nothing. Owner is whatever
// keeps the memory while the Array is referenced; where memory ends by a call (Free,
// Close), the Array must not be used after it, whatever Owner is.
type Array struct {
	Pointer  uintptr
	Shape    []int64
	Strides  []int64
	Type     Type
	Device   Device
	ReadOnly bool
	Owner    any
}

// Len is the number of elements: 1 without any dimension.
func (a Array) Len() int64 {
	n := int64(1)
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Validate says what makes a description unusable, or nil. It does not touch the memory
// described, and cannot know whether it is there.
func (a Array) Validate() error {
	switch {
	case len(a.Shape) > MaxDims:
		return fmt.Errorf("interchange: %d dimensions: at most %d are described", len(a.Shape), MaxDims)
	case a.Strides != nil && len(a.Strides) != len(a.Shape):
		return fmt.Errorf("interchange: %d strides for %d dimensions: give one each, or none", len(a.Strides), len(a.Shape))
	case a.Type.Lanes != 1 || a.Type.Bits == 0 || a.Type.Bits%8 != 0:
		return fmt.Errorf("interchange: %d lanes of %d bits: only single lanes of whole bytes are described", a.Type.Lanes, a.Type.Bits)
	}
	if err := a.checkExtent(); err != nil {
		return err
	}
	if a.Pointer == 0 && a.Len() > 0 {
		return fmt.Errorf("interchange: shape %v at address 0: only an array without elements has no address", a.Shape)
	}
	return nil
}

// checkExtent refuses shapes and strides that no memory has.
func (a Array) checkExtent() error {
	count, reach := int64(1), int64(a.Type.Size())
	for i, n := range a.Shape {
		stride := int64(1) // compact arrays reach as far as they have elements
		if a.Strides != nil {
			stride = a.Strides[i]
		}
		if n < 0 {
			return fmt.Errorf("interchange: dimension %d has extent %d: it must not be negative", i, n)
		}
		if n <= 1 {
			stride = 0 // the number means nothing, and may be any
		}
		if n > most || count > most/max(n, 1) || stride < -most || max(stride, -stride) > most/max(n, 1) {
			return fmt.Errorf("interchange: shape %v with strides %v: there is no such memory", a.Shape, a.Strides)
		}
		count *= max(n, 1)
		reach += max(n-1, 0) * max(stride, -stride) * int64(a.Type.Size())
	}
	if a.Strides == nil {
		reach = count * int64(a.Type.Size())
	}
	if reach > most {
		return fmt.Errorf("interchange: shape %v with strides %v of %d bytes: there is no such memory", a.Shape, a.Strides, a.Type.Size())
	}
	return nil
}

// ElementStrides are those of a, spelled out where they are nil. Local.
func (a Array) ElementStrides() []int64 {
	if a.Strides != nil {
		return a.Strides
	}
	list, step := make([]int64, len(a.Shape)), int64(1)
	for i := len(list) - 1; i >= 0; i-- {
		list[i] = step
		step *= max(a.Shape[i], 1)
	}
	return list
}
