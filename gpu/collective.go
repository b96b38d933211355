package gpu

import "github.com/goshmem/goshmem/internal/ccl"

// CollectiveBuffer describes the slice in b, as a buffer of package nccl.
func (x Slice[T]) CollectiveBuffer(b *ccl.Buffer) {
	if b.Err = x.b.alive(); b.Err != nil {
		return
	}
	b.Type, b.Elem = ccl.TypeOf[T]()
	b.Addr, b.Count = uintptr(x.ptr()), x.n
	b.Platform, b.Device = x.b.d.p.name, x.b.d.index
	if x.b.kind == PinnedMemory {
		b.Device = -1
	}
}
