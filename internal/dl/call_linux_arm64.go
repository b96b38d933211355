//go:build !goshmem_static

package dl

import "unsafe"

// registers is how many integer arguments the ABI of Arm (AAPCS64) passes in registers.
const registers = 8

// big passes the struct of n words in f.value: C gets the address of this copy, and
// may change it. The frame is on the heap, where nothing moves.
func (f *frame) big(int) {
	f.words([]uintptr{uintptr(unsafe.Pointer(&f.value))})
}

// seventh passes an argument behind six in registers.
func (f *frame) seventh(word uintptr) { f.regs[6] = word }
