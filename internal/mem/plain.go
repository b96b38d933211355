//go:build amd64 && !race

package mem

import "unsafe"

func store64(p unsafe.Pointer, v uint64) { *(*uint64)(p) = v }

func store32(p unsafe.Pointer, v uint32) { *(*uint32)(p) = v }

func store16(p unsafe.Pointer, v uint16) { *(*uint16)(p) = v }

func store8(p unsafe.Pointer, v uint8) { *(*uint8)(p) = v }

func load16(p unsafe.Pointer) uint16 { return *(*uint16)(p) }

func load8(p unsafe.Pointer) uint8 { return *(*uint8)(p) }

// Put copies n bytes to shared memory at dst; the ranges may overlap. Aligned blocks
// of 2, 4 and 8 bytes go in one piece, which Go's copy does not promise.
func Put(dst, src unsafe.Pointer, n uintptr) {
	if n == 8 { // in the caller: half of its time would be the call
		*(*uint64)(dst) = *(*uint64)(src)
		return
	}
	put(dst, src, n)
}

// Get copies n bytes from shared memory at src, as Put does.
func Get(dst, src unsafe.Pointer, n uintptr) {
	if n == 8 {
		*(*uint64)(dst) = *(*uint64)(src)
		return
	}
	get(dst, src, n)
}

// Release orders earlier stores before later ones. amd64 keeps that order by itself.
func Release() {}
