package ucx

import (
	"fmt"
	"unsafe"
)

// Sizes of what is kept for C to read and write while operations are under way.
const (
	chunkSize = 64 << 10 // a part of Go memory on its way, or a message
	cellSize  = 64       // operands and result of an atomic
)

// pool has pieces of one size that are not Go memory: a request of UCX's may write to one
// long after whoever had started it is gone. The pieces are never given back to the
// system while the process lives.
type pool struct {
	size uintptr
	free []unsafe.Pointer
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
	n := max(p.size, 4096) * 4
	memory, err := mapMemory(int(n))
	if err != nil { // Go itself ends the program when there is no memory
		panic(fmt.Sprintf("ucx: no memory for operations: map %d bytes: %v", n, err))
	}
	for at := uintptr(0); at+p.size <= n; at += p.size {
		p.free = append(p.free, unsafe.Pointer(&memory[at]))
	}
}
