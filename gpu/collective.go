package gpu

import "github.com/goshmem/goshmem/internal/ccl"

// CollectiveBuffer makes the slice a buffer of package nccl.
func (x Slice[T]) CollectiveBuffer() ccl.Buffer {
	if err := x.b.alive(); err != nil {
		return ccl.Unusable(err)
	}
	t, elem := ccl.TypeOf[T]()
	b := ccl.Buffer{Addr: uintptr(x.ptr()), Count: x.n, Type: t, Elem: elem, Platform: x.b.d.p.name, Device: x.b.d.index}
	if x.b.kind == PinnedMemory {
		b.Device = -1
	}
	return b
}
