package ucx

import (
	"fmt"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// AtomicOp is what an atomic does.
type AtomicOp int

// The atomics.
const (
	Add  AtomicOp = ucx.UCP_ATOMIC_OP_ADD
	Swap AtomicOp = ucx.UCP_ATOMIC_OP_SWAP
	// CompareSwap stores the operand where compare is.
	CompareSwap AtomicOp = ucx.UCP_ATOMIC_OP_CSWAP
	And         AtomicOp = ucx.UCP_ATOMIC_OP_AND
	Or          AtomicOp = ucx.UCP_ATOMIC_OP_OR
	Xor         AtomicOp = ucx.UCP_ATOMIC_OP_XOR
)

// cell is what an atomic needs that is neither Go memory nor in registers.
type cell struct{ in, reply uint64 }

// Atomic does op on the word of width bytes (4 or 8, aligned to them) at offset, and
// returns what was there before. compare is for CompareSwap alone. It waits for the answer.
func (r *Remote) Atomic(offset uintptr, op AtomicOp, width int, operand, compare uint64) (old uint64, err error) {
	w := r.p.w
	w.mu.Lock()
	defer w.mu.Unlock()
	c := (*cell)(w.cells.take())
	c.in, c.reply = operand, 0
	if op == CompareSwap {
		c.in, c.reply = compare, operand
	}
	err = r.post(offset, op, width, c, true)
	old = c.reply
	w.cells.give(unsafe.Pointer(c))
	if width == 4 {
		old &= 1<<32 - 1
	}
	return old, err
}

// AtomicNBI does op, which is not Swap nor CompareSwap, without an answer: it is done
// when a Flush says so.
func (r *Remote) AtomicNBI(offset uintptr, op AtomicOp, width int, operand uint64) error {
	if op == Swap || op == CompareSwap {
		return fmt.Errorf("ucx: %w: a swap has an answer: use Atomic", ErrArgument)
	}
	w := r.p.w
	w.mu.Lock()
	defer w.mu.Unlock()
	c := (*cell)(w.cells.take())
	c.in = operand
	err := r.post(offset, op, width, c, false)
	w.cells.give(unsafe.Pointer(c)) // the library has copied the operand
	return err
}

// post starts an atomic, and waits for it if it has an answer. The lock is held.
func (r *Remote) post(offset uintptr, op AtomicOp, width int, c *cell, fetch bool) error {
	if width != 4 && width != 8 || (uintptr(r.base)+offset)%uintptr(width) != 0 {
		return fmt.Errorf("ucx: %w: an atomic of %d bytes at offset %d: words of 4 or 8 bytes, aligned to them", ErrArgument, width, offset)
	}
	if err := r.ready(); err != nil {
		return err
	}
	p := r.p
	block := p.w.atomic
	block.OpAttrMask = ucx.UCP_OP_ATTR_FIELD_DATATYPE
	block.Datatype = ucx.Contig(uint64(width))
	if fetch {
		block.OpAttrMask |= ucx.UCP_OP_ATTR_FIELD_REPLY_BUFFER
		block.ReplyBuffer = dl.Addr(&c.reply)
	}
	p.posted++
	result := dl.Call(p.w.lib.atomic, p.ep, uintptr(op), dl.Addr(&c.in), 1, uintptr(r.base)+offset, r.rkey, dl.Addr(block))
	return p.finish("atomic", result, fetch)
}
