package dl

import (
	"runtime"
	"unsafe"
)

// Pin gives the address of data, which neither moves nor goes away until release is
// called: for what is too large for a Scratch, the image of a module or a compiler's
// log. T has no pointers. It allocates. The address of no elements is 0.
func Pin[T any](data []T) (addr uintptr, release func()) {
	if len(data) == 0 {
		return 0, func() {}
	}
	pin := new(runtime.Pinner)
	pin.Pin(&data[0])
	return uintptr(unsafe.Pointer(&data[0])), pin.Unpin
}

// PinText gives the address of a copy of text that ends with a zero byte, until
// release is called. A zero byte in it ends it for C.
func PinText(text string) (addr uintptr, release func()) {
	return Pin(append([]byte(text), 0))
}

// Memory is the n bytes at addr, which C or a device gave us and which Go can reach.
// They are valid as long as whoever owns them says.
func Memory(addr uintptr, n int) []byte {
	return unsafe.Slice((*byte)(pointer(addr)), n)
}

// Text copies the string at addr that ends with a zero byte. It is "" for the address
// 0, and ends at limit bytes if no zero byte comes before.
func Text(addr uintptr, limit int) string {
	if addr == 0 {
		return ""
	}
	n := 0
	for n < limit && *(*byte)(unsafe.Add(pointer(addr), n)) != 0 {
		n++
	}
	return string(Memory(addr, n))
}

// pointer turns the address of what is not Go memory into a pointer. The detour tells
// vet so, which otherwise takes it for a mistake about Go memory.
func pointer(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

// Word is the word at an address of C's.
func Word(addr uintptr) uintptr { return *(*uintptr)(pointer(addr)) }
