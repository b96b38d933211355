package ucx

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/mem"
)

// Memory of the same node that UCX has mapped here needs no UCX to be used: a put is a copy
// and an atomic an instruction, as they are inside UCX, for less than a call of it costs.
// They are over when they return. The lock keeps the memory mapped meanwhile, and orders
// them: a processor has what comes before the lock is given up seen before what comes after
// it is taken again.

// mapped is where memory of the peer is in this process, nil if it is not. Where UCX sees to
// it that a dead peer is noticed, all goes through it. The lock is held.
func (p *Peer) mapped(rkey uintptr, at uint64, s *dl.Scratch) unsafe.Pointer {
	if p.w.errors != ucx.UCP_ERR_HANDLING_MODE_NONE {
		return nil
	}
	here := dl.Out[uintptr](s)
	if st := status(dl.Call(p.w.lib.rkeyPtr, rkey, uintptr(at), dl.Addr(here))); st != ucx.UCS_OK {
		return nil
	}
	p.direct = true
	return mem.Pointer(*here)
}

// copy is move for mapped memory. The lock is held.
func (r *Remote) copy(put bool, offset uintptr, local unsafe.Pointer, n uintptr) error {
	if err := r.ready(); err != nil {
		return err
	}
	if there := r.place(offset); put {
		mem.Put(there, local, n)
	} else {
		mem.Get(local, there, n)
	}
	return nil
}

// place is where an offset of mapped memory is, which is about to be used: from then on we
// have to do with the peer. The lock is held.
func (r *Remote) place(offset uintptr) unsafe.Pointer {
	r.p.posted = max(r.p.posted, 1)
	return unsafe.Add(r.direct, uint64(offset)-r.from)
}

// do is fetch for mapped memory. The lock is held.
func (r *Remote) do(offset uintptr, op AtomicOp, width int, operand, compare uint64) (old uint64, err error) {
	if err := r.word(offset, width); err != nil {
		return 0, err
	}
	if width == 4 {
		return uint64(atomic32(r.place(offset), op, uint32(operand), uint32(compare))), nil
	}
	return atomic64(r.place(offset), op, operand, compare), nil
}
