//go:build (amd64 || arm64) && !goshmem_static

package dl

import (
	"fmt"
	"sync"
	"unsafe"
)

// frame is one call: what the trampoline loads, and the result that it stores.
//
// Frames are on the heap. C code may call back into Go on its own thread (UCX does),
// which may move the goroutine's stack, and then the result would be stored to where
// the stack used to be.
type frame struct {
	fn     uintptr
	result uintptr
	second uintptr // the other word of a struct of 16 bytes or less that is returned
	regs   [registers]uintptr
	nstack int
	stack  [MaxWords]uintptr
	nregs  int
	out    uintptr           // what CallOut returns
	value  [MaxWords]uintptr // a copy of the struct that is passed by value
}

// frames keeps frames for the next calls.
var frames = sync.Pool{New: func() any { return new(frame) }}

// trampolineAt is the address of the assembly function that C calls go through.
var trampolineAt uintptr

// cgocall hands the thread to C. The runtime lets purego reach it by this name, and
// purego has the C library initialised in programs that have no cgo.
//
//go:linkname cgocall runtime.cgocall
func cgocall(fn uintptr, arg unsafe.Pointer) int32

// Call calls the C function at fn with words as its arguments, and returns the word
// that it returns; see Status for an int. Integers and pointers can be passed, floats
// cannot. It does not allocate, and takes as long as the function does; other
// goroutines go on meanwhile.
//
// A word is only a number: it neither keeps Go memory alive nor follows a stack that
// moves. What C reads or writes has to be in Scratch, pinned, or not Go memory at all.
//
// More than MaxWords arguments and an address of 0 are mistakes in the program: it panics.
func Call(fn uintptr, args ...uintptr) uintptr {
	f := newFrame(fn, len(args))
	f.words(args)
	return f.call()
}

// CallOut calls a C function whose first argument says where it stores one word, a
// handle, an address or an int, of which the lower half is defined then. It returns that
// word, which is 0 if C stores nothing, and what the function returns. It is for what is
// called often: there is no Scratch to borrow. All else is as for Call.
func CallOut(fn uintptr, args ...uintptr) (word, result uintptr) {
	f := newFrame(fn, 1+len(args))
	f.out = 0
	f.words([]uintptr{uintptr(unsafe.Pointer(&f.out))})
	f.words(args)
	cgocall(trampolineAt, unsafe.Pointer(f))
	word, result = f.out, f.result
	frames.Put(f)
	return word, result
}

// CallPair calls a C function that returns a struct of 9 to 16 bytes without floats: its
// two words. Such a struct is passed to C as two words too. All else is as for Call.
func CallPair(fn uintptr, args ...uintptr) (first, second uintptr) {
	f := newFrame(fn, len(args))
	f.words(args)
	cgocall(trampolineAt, unsafe.Pointer(f))
	first, second = f.result, f.second
	frames.Put(f)
	return first, second
}

// CallByValue calls a C function that takes a struct by value between the words before
// and after: an ncclUniqueId of 128 bytes, an IPC handle of 64. It is for structs of
// more than 16 bytes that have no floats and are aligned to 8 bytes at most: on amd64
// they are copied to the stack while the words around them still go into registers,
// on arm64 C gets a pointer to a copy. Smaller ones are passed otherwise: it panics.
// All else is as for Call.
func CallByValue(fn uintptr, before []uintptr, value []byte, after ...uintptr) uintptr {
	n := (len(value) + 7) / 8
	if len(value) <= 16 {
		panic(fmt.Sprintf("dl: a struct of %d bytes is not passed like those of more than 16", len(value)))
	}
	f := newFrame(fn, len(before)+n+len(after))
	f.words(before)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&f.value)), len(value)), value)
	f.big(n)
	f.words(after)
	return f.call()
}

func newFrame(fn uintptr, words int) *frame {
	if fn == 0 {
		panic("dl: call of a function that the library lacks")
	}
	if words > MaxWords {
		panic(fmt.Sprintf("dl: a call with %d words, more than %d", words, MaxWords))
	}
	f := frames.Get().(*frame)
	f.fn, f.nregs, f.nstack = fn, 0, 0
	return f
}

// words adds arguments: to the registers while there are some, then to the stack.
func (f *frame) words(args []uintptr) {
	n := copy(f.regs[f.nregs:], args)
	f.nregs += n
	f.nstack += copy(f.stack[f.nstack:], args[n:])
}

func (f *frame) call() uintptr {
	cgocall(trampolineAt, unsafe.Pointer(f))
	result := f.result
	frames.Put(f)
	return result
}
