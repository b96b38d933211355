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
	r.p.w.mu.Lock()
	defer r.p.w.mu.Unlock()
	switch {
	case r.p.w.soft:
		return r.askFetch(offset, op, width, operand, compare)
	case r.direct != nil:
		return r.do(offset, op, width, operand, compare)
	}
	return r.fetch(offset, op, width, operand, compare)
}

// fetch does an atomic and waits for its answer. The lock is held, and given up on the way.
func (r *Remote) fetch(offset uintptr, op AtomicOp, width int, operand, compare uint64) (old uint64, err error) {
	w, c := r.p.w, r.p.w.cell
	c.in, c.reply = operand, 0
	if op == CompareSwap {
		c.in, c.reply = compare, operand
	}
	result, err := r.post(offset, op, width, true)
	if result != 0 {
		w.cell = (*cell)(w.cells.take()) // the other is this operation's until it is over
		err = r.p.finish("atomic", result, true, 0)
		if !r.p.stuck {
			w.cells.give(unsafe.Pointer(c))
		}
	}
	if width == 4 {
		return c.reply & (1<<32 - 1), err
	}
	return c.reply, err
}

// AtomicNBI does op, which is not Swap nor CompareSwap, without an answer: it is done
// when a Flush says so.
func (r *Remote) AtomicNBI(offset uintptr, op AtomicOp, width int, operand uint64) error {
	if op == Swap || op == CompareSwap {
		return fmt.Errorf("ucx: %w: a swap has an answer: use Atomic", ErrArgument)
	}
	r.p.w.mu.Lock()
	defer r.p.w.mu.Unlock()
	switch {
	case r.p.w.soft:
		return r.askAtomic(offset, op, width, operand, 0, nil)
	case r.direct != nil:
		_, err := r.do(offset, op, width, operand, 0)
		return err
	}
	r.p.w.cell.in = operand // which the library copies
	result, err := r.post(offset, op, width, false)
	if err != nil {
		return err
	}
	return r.p.finish("atomic", result, false, cellSize)
}

// word is an error if there is no word of width bytes at offset that can be used. The lock
// is held.
func (r *Remote) word(offset uintptr, width int) error {
	if width != 4 && width != 8 || (uintptr(r.base)+offset)%uintptr(width) != 0 {
		return fmt.Errorf("ucx: %w: an atomic of %d bytes at offset %d: words of 4 or 8 bytes, aligned to them", ErrArgument, width, offset)
	}
	if err := r.inside(offset, uintptr(width)); err != nil {
		return err
	}
	return r.ready()
}

// post starts an atomic whose operands are in the cell. The lock is held.
func (r *Remote) post(offset uintptr, op AtomicOp, width int, answer bool) (result uintptr, err error) {
	if err := r.word(offset, width); err != nil {
		return 0, err
	}
	w := r.p.w
	block := w.atomic
	block.OpAttrMask = ucx.UCP_OP_ATTR_FIELD_DATATYPE
	block.Datatype = ucx.Contig(uint64(width))
	if answer {
		block.OpAttrMask |= ucx.UCP_OP_ATTR_FIELD_REPLY_BUFFER
		block.ReplyBuffer = dl.Addr(&w.cell.reply)
	}
	r.p.posted++
	return w.line.Call7(w.lib.atomic, r.p.ep, uintptr(op), dl.Addr(&w.cell.in), 1, uintptr(r.base)+offset, r.rkey, dl.Addr(block)), nil
}
