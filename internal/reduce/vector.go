package reduce

import (
	"runtime"
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// vector combines elements of one type by one operation.
type vector struct {
	// fold combines the n bytes that are off bytes into the k sources and puts them as
	// far into the d destinations. There must be two sources and a unit at least.
	fold func(dsts *unsafe.Pointer, d uintptr, sources *unsafe.Pointer, k, off, n uintptr)
	unit uintptr // bytes
}

// piece is how many bytes of all vectors together are about the most that is touched
// in one go: assembly cannot be preempted.
const piece = 4 << 20

// pieces is fold of any number of bytes from a unit on. What is left in the end is not
// cut any more, so that nothing is too short.
func (v vector) pieces(dsts, sources []unsafe.Pointer, n uintptr) {
	d, k := uintptr(len(dsts)), uintptr(len(sources))
	to, from := first(dsts), first(sources)
	step, off := max(piece/(d+k)&^63, 64), uintptr(0)
	for ; n-off >= 2*step; off += step {
		v.fold(to, d, from, k, off, step)
	}
	v.fold(to, d, from, k, off, n-off)
	runtime.KeepAlive(dsts)
	runtime.KeepAlive(sources)
}

// first is the address of the first of a list that its owner must keep alive.
func first(list []unsafe.Pointer) *unsafe.Pointer {
	return (*unsafe.Pointer)(mem.Hide(unsafe.Pointer(unsafe.SliceData(list))))
}
