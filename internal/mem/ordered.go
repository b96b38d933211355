//go:build !amd64 || race

package mem

import (
	"sync/atomic"
	"unsafe"
)

func store64(p unsafe.Pointer, v uint64) { atomic.StoreUint64((*uint64)(p), v) }

func store32(p unsafe.Pointer, v uint32) { atomic.StoreUint32((*uint32)(p), v) }

// Go has no atomic moves of 2 bytes and 1. A plain move is in one piece, a fence
// gives it its order. The race detector is told of the order only, not of the
// move: widened to an atomic of 4 bytes it would collide with plain accesses to
// the bytes around it, which is no race.

//go:norace
func store16(p unsafe.Pointer, v uint16) {
	release(p)
	*(*uint16)(p) = v
}

//go:norace
func store8(p unsafe.Pointer, v uint8) {
	release(p)
	*(*uint8)(p) = v
}

//go:norace
func load16(p unsafe.Pointer) uint16 {
	v := *(*uint16)(p)
	acquire(p)
	return v
}

//go:norace
func load8(p unsafe.Pointer) uint8 {
	v := *(*uint8)(p)
	acquire(p)
	return v
}

// put8 moves a word to shared memory if it can be moved in one piece.
func put8(dst, src unsafe.Pointer) bool {
	if !aligned(dst, src, 7) {
		return false
	}
	store64(dst, *(*uint64)(src))
	return true
}

// get8 moves a word from shared memory if it can be moved in one piece.
func get8(dst, src unsafe.Pointer) bool {
	if !aligned(dst, src, 7) {
		return false
	}
	*(*uint64)(dst) = Load64(src)
	return true
}

// Release orders earlier stores before later ones: a store-release followed by a
// load-acquire of the same word orders everything across the pair.
func Release() { Full() }

// Put copies n bytes to shared memory at dst; the ranges may overlap. Aligned blocks
// of 2, 4 and 8 bytes go in one piece, which Go's copy does not promise.
func Put(dst, src unsafe.Pointer, n uintptr) {
	if n != 8 || !put8(dst, src) {
		putOther(dst, src, n)
	}
}

func putOther(dst, src unsafe.Pointer, n uintptr) {
	switch {
	case n == 4 && aligned(dst, src, 3):
		store32(dst, *(*uint32)(src))
	case n == 2 && aligned(dst, src, 1):
		store16(dst, *(*uint16)(src))
	case n == 1:
		store8(dst, *(*uint8)(src))
	default:
		move(dst, src, n)
	}
}

// Get copies n bytes from shared memory at src, as Put does.
func Get(dst, src unsafe.Pointer, n uintptr) {
	if n != 8 || !get8(dst, src) {
		getOther(dst, src, n)
	}
}

func getOther(dst, src unsafe.Pointer, n uintptr) {
	switch {
	case n == 4 && aligned(dst, src, 3):
		*(*uint32)(dst) = Load32(src)
	case n == 2 && aligned(dst, src, 1):
		*(*uint16)(dst) = load16(src)
	case n == 1:
		*(*uint8)(dst) = load8(src)
	default:
		move(dst, src, n)
	}
}
