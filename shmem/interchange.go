package shmem

import (
	"reflect"

	"github.com/goshmem/goshmem/interchange"
)

// Interchange describes this PE's own copy for other systems: to export it by DLPack or
// show it by the array interface. It copies nothing. The memory stays the array's: what
// others do with it must be over before Free, and before other PEs access it or after, in
// the order that barriers and signals make, just as with Local. ErrArgument for elements
// that other systems have no name for, such as structs. Local.
func (a Array[T]) Interchange() (interchange.Array, error) {
	d, err := a.describe()
	if err != nil {
		return interchange.Array{}, fail(a.World(), "interchange", noPeer, err)
	}
	d.Shape = []int64{int64(a.n)}
	return d, nil
}

// Interchange describes this PE's own copy of the elements, with shape and strides, for
// other systems; see Array.Interchange. Local.
func (t Tensor[T]) Interchange() (interchange.Array, error) {
	d, err := t.a.describe()
	if err != nil {
		return interchange.Array{}, fail(t.World(), "tensor interchange", noPeer, err)
	}
	d.Shape = make([]int64, t.l.dims)
	for i, n := range t.l.shape[:t.l.dims] {
		d.Shape[i] = int64(n)
	}
	if t.l.contiguous() {
		return d, nil
	}
	d.Strides = make([]int64, t.l.dims)
	for i, s := range t.l.strides[:t.l.dims] {
		if d.Strides[i] = int64(s); t.l.shape[i] <= 1 {
			d.Strides[i] = 1 // the number means nothing
		}
	}
	return d, nil
}

// describe is all but the shape.
func (a Array[T]) describe() (interchange.Array, error) {
	if err := a.usable(); err != nil {
		return interchange.Array{}, err
	}
	kind, err := interchange.TypeFor[T]()
	if err != nil {
		return interchange.Array{}, problem(ErrArgument, "other systems have no name for elements of %v: numbers, bool and the types of package dtype have one", reflect.TypeFor[T]())
	}
	return interchange.Array{Pointer: uintptr(a.here()), Type: kind, Device: a.b.place(), Owner: a}, nil
}

// place is where other systems say that the memory is.
func (b *block) place() interchange.Device {
	if b.far == nil {
		return interchange.Device{Type: interchange.CPU}
	}
	switch b.far.driver.Name() {
	case "cuda":
		return interchange.Device{Type: interchange.CUDA, ID: int32(b.far.number)}
	case "hip":
		return interchange.Device{Type: interchange.ROCm, ID: int32(b.far.number)}
	}
	return interchange.Device{Type: interchange.CPU}
}
