package dl

import (
	"fmt"
	"sync"
	"unsafe"
)

// ScratchSize is how many bytes one Scratch has.
const ScratchSize = 16 << 10

// Scratch is memory for what C reads or writes during a call: out-parameters, arrays
// of arguments, short strings. It is not Go memory, so that it never moves.
//
// The trap that it is there for: with "var n int32" on a goroutine's stack, an address
// in a word is only a number. Should the call, or one before it in the same statement,
// grow the stack, then n moves, C stores to where it was, the status says success, and
// n is still 0. Go's rules for cgo do not catch that, nor does the race detector.
//
//	s := dl.Borrow()
//	defer s.Return()
//	n := dl.Out[int32](s)
//	status := dl.Status(dl.Call(fn, dl.Addr(n)))
//
// A Scratch serves one goroutine at a time.
type Scratch struct {
	memory   []byte
	used     uintptr
	borrowed bool
	next     *Scratch
}

// scratches are those that nobody has borrowed. Memory is never unmapped: a late store
// of C hits a Scratch, not what came there after it.
var scratches struct {
	sync.Mutex
	first *Scratch
}

// Borrow returns a Scratch that nobody else has, with nothing in it. It allocates only
// when all that were ever made are in use.
func Borrow() *Scratch {
	scratches.Lock()
	s := scratches.first
	if s != nil {
		scratches.first = s.next
	}
	scratches.Unlock()
	if s == nil {
		return newScratch()
	}
	s.used, s.borrowed, s.next = 0, true, nil
	return s
}

func newScratch() *Scratch {
	memory, err := mapMemory(ScratchSize)
	if err != nil { // Go itself ends the program when there is no memory
		panic(fmt.Sprintf("dl: no memory for a call: map %d bytes: %v", ScratchSize, err))
	}
	return &Scratch{memory: memory, borrowed: true}
}

// Return gives it back. What Out and the like gave out of it is not to be used any
// more, by C neither. Once: with the second time two would borrow the same, so it panics.
func (s *Scratch) Return() {
	scratches.Lock()
	defer scratches.Unlock()
	if !s.borrowed {
		panic("dl: a Scratch was returned twice")
	}
	s.borrowed, s.next, scratches.first = false, scratches.first, s
}

// take gives n zeroed bytes at a multiple of 16, which suits every C type.
func (s *Scratch) take(n uintptr) unsafe.Pointer {
	size := (n + 15) &^ 15
	if n > ScratchSize || s.used+size > ScratchSize {
		panic(fmt.Sprintf("dl: a call needs %d bytes more where %d of %d are in use", n, s.used, ScratchSize))
	}
	part := s.memory[s.used : s.used+size]
	clear(part)
	s.used += size
	return unsafe.Pointer(unsafe.SliceData(part))
}

// Out gives a zeroed T in s, for C to write: a number, an array, a struct laid out like
// C's. T has no Go pointers: the garbage collector does not look here. It panics when s is full.
func Out[T any](s *Scratch) *T {
	var zero T
	return (*T)(s.take(unsafe.Sizeof(zero)))
}

// OutSlice gives n zeroed elements in s; see Out.
func OutSlice[T any](s *Scratch, n int) []T {
	var zero T
	return unsafe.Slice((*T)(s.take(uintptr(n)*unsafe.Sizeof(zero))), n)
}

// In gives a copy of v in s, for C to read; see Out.
func In[T any](s *Scratch, v T) *T {
	p := Out[T](s)
	*p = v
	return p
}

// Text gives the address of a copy of text in s that ends with a zero byte. A zero byte
// in it ends it for C.
func (s *Scratch) Text(text string) uintptr {
	p := OutSlice[byte](s, len(text)+1)
	copy(p, text)
	return Addr(&p[0])
}

// Addr is the address of p as a word for Call. It is for what Out, OutSlice and In
// gave, and for pinned memory: p must not point to a Go variable.
func Addr[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
