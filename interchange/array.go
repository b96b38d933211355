// Package interchange describes memory so that other systems can use ours and
// we can use theirs. It owns no memory: an Array is a description only.
package interchange

import "fmt"

// TypeCode is the kind of an element, numbered as DLDataTypeCode of DLPack 1.1
// (dmlc/dlpack, include/dlpack/dlpack.h).
type TypeCode uint8

// The type codes of DLPack that this package names.
const (
	Int        TypeCode = 0
	Uint       TypeCode = 1
	Float      TypeCode = 2
	Bfloat     TypeCode = 4
	Complex    TypeCode = 5
	Bool       TypeCode = 6
	Float8E4M3 TypeCode = 10 // e4m3fn: finite values and NaN only
	Float8E5M2 TypeCode = 12
)

// DeviceType is the kind of device memory lies on, numbered as DLDeviceType.
type DeviceType int32

// The device types of DLPack that this package names.
const (
	CPU      DeviceType = 1
	CUDA     DeviceType = 2
	CUDAHost DeviceType = 3
	ROCm     DeviceType = 10
	ROCmHost DeviceType = 11
)

// Type is an element type: code, bits of one lane, and lanes.
type Type struct {
	Code  TypeCode
	Bits  uint8
	Lanes uint16
}

// Device is a device type and the number of the device within it.
type Device struct {
	Type DeviceType
	ID   int32
}

// Array describes memory: Pointer is the address of element 0, Shape and
// Strides count elements, nil Strides mean compact row-major. Owner keeps the
// memory alive for as long as the Array is referenced; the Array frees nothing.
type Array struct {
	Pointer  uintptr
	Shape    []int64
	Strides  []int64
	Type     Type
	Device   Device
	ReadOnly bool
	Owner    any
}

// Validate reports what makes a description unusable, or nil. It does not
// touch the memory described.
func (a Array) Validate() error {
	if a.Strides != nil && len(a.Strides) != len(a.Shape) {
		return fmt.Errorf("interchange: %d strides for %d dimensions: give one each, or none", len(a.Strides), len(a.Shape))
	}
	if a.Type.Lanes != 1 || a.Type.Bits == 0 || a.Type.Bits%8 != 0 {
		return fmt.Errorf("interchange: %d lanes of %d bits: only single lanes of whole bytes are described", a.Type.Lanes, a.Type.Bits)
	}
	for i, n := range a.Shape {
		if n < 0 {
			return fmt.Errorf("interchange: dimension %d has extent %d: it must not be negative", i, n)
		}
	}
	return nil
}
