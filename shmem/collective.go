package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/ccl"
)

// CollectiveBuffer makes this PE's own copy of the array a buffer of package nccl. Arrays
// in the memory of a device are used where they are; those of the heap can be used with
// the host library. Local.
func (a Array[T]) CollectiveBuffer() ccl.Buffer {
	if err := a.usable(); err != nil {
		return ccl.Unusable(err)
	}
	t, elem := ccl.TypeOf[T]()
	p := unsafe.Add(a.b.own, a.off)
	b := ccl.Buffer{Addr: uintptr(p), Count: a.n, Type: t, Elem: elem}
	if far := a.b.far; far != nil {
		b.Platform, b.Device = far.driver.Name(), far.number
	} else {
		b.Held = p
	}
	return b
}
