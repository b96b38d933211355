package ucx

import (
	"fmt"
	"unsafe"
)

// Sizes of what is kept for C to read and write while operations are under way.
const (
	chunkSize = 64 << 10 // a part of Go memory on its way, or a message; a head has room beside it
	cellSize  = 64       // operands and result of an atomic
)

// pool has pieces of one size that are not Go memory: a request of UCX's may write to one
// long after whoever had started it is gone. The pieces are never given back to the
// system while the process lives.
type pool struct {
	size uintptr
	free []unsafe.Pointer
	all  []uintptr // where what it was made of begins
}

// take gives a piece that nobody else has.
func (p *pool) take() unsafe.Pointer {
	if len(p.free) == 0 {
		p.grow()
	}
	last := len(p.free) - 1
	piece := p.free[last]
	p.free = p.free[:last]
	return piece
}

func (p *pool) give(piece unsafe.Pointer) { p.free = append(p.free, piece) }

func (p *pool) grow() {
	n := p.portion()
	memory, err := mapMemory(int(n))
	if err != nil { // Go itself ends the program when there is no memory
		panic(fmt.Sprintf("ucx: no memory for operations: map %d bytes: %v", n, err))
	}
	p.all = append(p.all, uintptr(unsafe.Pointer(&memory[0])))
	for at := uintptr(0); at+p.size <= n; at += p.size {
		p.free = append(p.free, unsafe.Pointer(&memory[at]))
	}
}

// portion is how much it grows by.
func (p *pool) portion() uintptr { return max(p.size, 4096) * 4 }

// has says whether n bytes are of its pieces.
func (p *pool) has(at, n uintptr) bool {
	for _, from := range p.all {
		if at >= from && at-from <= p.portion() && n <= p.portion()-(at-from) {
			return true
		}
	}
	return false
}
