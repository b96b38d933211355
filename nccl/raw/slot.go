package raw

import (
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/dl"
)

// Slot is where a library stores a communicator or a window, which it may do after the
// call has returned: at the end of a group, or when a communicator that does not block is
// no longer in progress. It is memory that never moves and is never unmapped.
type Slot struct {
	memory *dl.Scratch
	at     *uintptr
}

// NewSlot makes a slot with nothing in it.
func NewSlot() *Slot {
	s := dl.Borrow()
	return &Slot{s, dl.Out[uintptr](s)}
}

// Value is what is in the slot, 0 for nothing.
func (s *Slot) Value() uintptr { return atomic.LoadUintptr(s.at) }

// Address is where the library stores to.
func (s *Slot) Address() uintptr { return dl.Addr(s.at) }

// Free gives the slot back. The library must be done with it.
func (s *Slot) Free() {
	if s.memory != nil {
		s.memory.Return()
		s.memory = nil
	}
}

// WaitSignalDesc is ncclWaitSignalDesc_t: how many signals of which peer to wait for.
type WaitSignalDesc struct {
	OpCount int32 // at least 1
	Peer    int32
	SigIdx  int32
	Context int32
}

// Descs are descriptors that a library reads during WaitSignal, or, in a group, until its end.
type Descs struct {
	memory *dl.Scratch
	list   []WaitSignalDesc
}

// NewDescs copies descriptors: at most 1024.
func NewDescs(list []WaitSignalDesc) *Descs {
	s := dl.Borrow()
	d := &Descs{s, dl.OutSlice[WaitSignalDesc](s, len(list))}
	copy(d.list, list)
	return d
}

// Free gives the memory back. The library must be done with it.
func (d *Descs) Free() {
	if d.memory != nil {
		d.memory.Return()
		d.memory = nil
	}
}
