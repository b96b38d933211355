package reduce

import (
	"runtime"
	"unsafe"

	"github.com/goshmem/goshmem/internal/mem"
)

// vector combines elements of one type by one operation.
type vector struct {
	// fold sets n bytes at dst to the n bytes that are off bytes into the k sources,
	// combined. There must be two sources and a unit of bytes at least.
	fold func(dst unsafe.Pointer, sources *unsafe.Pointer, k, off, n uintptr)
	unit uintptr // bytes
}

// piece is about the most that is read in one go: assembly cannot be preempted.
const piece = 1 << 20

// pieces is fold of any number of bytes from a unit on. The last two pieces share what
// is left, so that none is too short.
func (v vector) pieces(dst unsafe.Pointer, sources []unsafe.Pointer, off, n uintptr) {
	k := uintptr(len(sources))
	first := (*unsafe.Pointer)(mem.Hide(unsafe.Pointer(unsafe.SliceData(sources))))
	step := max(piece/k&^63, 64)
	for n >= 2*step {
		v.fold(dst, first, k, off, step)
		dst, off, n = unsafe.Add(dst, step), off+step, n-step
	}
	v.fold(dst, first, k, off, n)
	runtime.KeepAlive(sources)
}
