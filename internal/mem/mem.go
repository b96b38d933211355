// Package mem is the only place that knows which machine store a put is.
//
// On amd64 a plain move of 1, 2, 4 or 8 aligned bytes is single-copy atomic and
// stores become visible in program order, so a put is a plain move there: an
// atomic store would cost 6 ns instead of 2. Under the race detector, where
// words that other PEs wait on must not look like data races, and on other
// machines, which may reorder stores, words of 4 and 8 bytes are moved with
// sync/atomic, and shorter ones, which it does not have, between fences. Files:
// plain.go has the one, ordered.go the other. Larger blocks go with plain moves as
// wide as the CPU has them (block.go), and elsewhere with Go's copy.
package mem

//go:generate go run -C ../../tools ./copygen ../internal/mem/copy_gen_amd64.s

import (
	"sync/atomic"
	"unsafe"
)

// Load64 reads the 8-byte word at p, ordered before later accesses.
func Load64(p unsafe.Pointer) uint64 { return atomic.LoadUint64((*uint64)(p)) }

// Load32 reads the 4-byte word at p, ordered before later accesses.
func Load32(p unsafe.Pointer) uint32 { return atomic.LoadUint32((*uint32)(p)) }

// Store writes v to shared memory at p: in one piece if it has 1, 2, 4 or 8 bytes.
func Store[T any](p unsafe.Pointer, v T) {
	switch unsafe.Sizeof(v) {
	case 8:
		store64(p, *(*uint64)(unsafe.Pointer(&v)))
	case 4:
		store32(p, *(*uint32)(unsafe.Pointer(&v)))
	case 2:
		store16(p, *(*uint16)(unsafe.Pointer(&v)))
	case 1:
		store8(p, *(*uint8)(unsafe.Pointer(&v)))
	default:
		*(*T)(p) = v
	}
}

// Load reads a T from shared memory at p: in one piece if it has 1, 2, 4 or 8 bytes.
func Load[T any](p unsafe.Pointer) (v T) {
	switch unsafe.Sizeof(v) {
	case 8:
		*(*uint64)(unsafe.Pointer(&v)) = Load64(p)
	case 4:
		*(*uint32)(unsafe.Pointer(&v)) = Load32(p)
	case 2:
		*(*uint16)(unsafe.Pointer(&v)) = load16(p)
	case 1:
		*(*uint8)(unsafe.Pointer(&v)) = load8(p)
	default:
		v = *(*T)(p)
	}
	return v
}

// move copies n bytes with Go's copy; the ranges may overlap.
func move(dst, src unsafe.Pointer, n uintptr) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}

// Zero clears n bytes.
func Zero(p unsafe.Pointer, n uintptr) { clear(unsafe.Slice((*byte)(p), n)) }

// Hide returns p in a way that keeps the compiler from moving what it points to
// to the heap. Only for callees that never store p in the heap, not even for a
// moment: what p points to may be in a stack, and stacks move.
//
//go:nosplit
func Hide(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p) // escape analysis does not follow a pointer through an integer
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}

func aligned(a, b unsafe.Pointer, mask uintptr) bool { return (uintptr(a)|uintptr(b))&mask == 0 }
