package shmem

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/ccl"
)

// CollectiveBuffer describes this PE's own copy of the array in b, as a buffer of package nccl. Arrays
// in the memory of a device are used where they are; those of the heap can be used with
// the host library. Local.
func (a Array[T]) CollectiveBuffer(b *ccl.Buffer) {
	if b.Err = a.usable(); b.Err != nil {
		return
	}
	b.Type, b.Elem = ccl.TypeOf[T]()
	p := unsafe.Add(a.b.own, a.off)
	b.Addr, b.Count = uintptr(p), a.n
	if far := a.b.far; far != nil {
		b.Platform, b.Device = far.driver.Name(), far.number
	} else {
		b.Held = p
	}
}
