//go:build amd64 && !race

package mem

import "unsafe"

func store64(p unsafe.Pointer, v uint64) { *(*uint64)(p) = v }

func store32(p unsafe.Pointer, v uint32) { *(*uint32)(p) = v }

func store16(p unsafe.Pointer, v uint16) { *(*uint16)(p) = v }

func store8(p unsafe.Pointer, v uint8) { *(*uint8)(p) = v }

func load16(p unsafe.Pointer) uint16 { return *(*uint16)(p) }

func load8(p unsafe.Pointer) uint8 { return *(*uint8)(p) }

// put8 and get8 move a word if it can be moved in one piece. A plain move may be
// unaligned; leaving that test out lets the compiler put Put and Get into the caller.
func put8(dst, src unsafe.Pointer) bool {
	*(*uint64)(dst) = *(*uint64)(src)
	return true
}

func get8(dst, src unsafe.Pointer) bool {
	*(*uint64)(dst) = *(*uint64)(src)
	return true
}

// Release orders earlier stores before later ones. amd64 keeps that order by itself.
func Release() {}
