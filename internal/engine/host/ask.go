package host

import (
	"time"
	"unsafe"
)

// askLimit is how long it may take to ask PEs of other nodes where they are.
const askLimit = 500 * time.Millisecond

// What a PE shows beside its gates.
const (
	boardAt    = unsafe.Offsetof(control{}.call)
	boardSize  = unsafe.Offsetof(control{}.slots) - boardAt
	recordedAt = unsafe.Offsetof(control{}.recorded)
	recordsLen = unsafe.Sizeof(control{}) - recordedAt
)

// refresh asks those of the PEs that are of other nodes what their boards show. A PE that
// does not answer in time, or has ended, stays with what it has told by itself.
func (f *far) refresh(pes ...int) {
	asked := false
	for _, pe := range pes {
		if f == nil || !f.is(pe) || f.h.ctl[pe].fate.Load() != 0 || f.wire.lost(pe) != nil {
			continue
		}
		c := unsafe.Pointer(f.h.ctl[pe])
		asked = true
		_ = f.wire.ask(pe, boardAt, unsafe.Add(c, boardAt), boardSize)
		_ = f.wire.ask(pe, recordedAt, unsafe.Add(c, recordedAt), recordsLen)
	}
	if !asked {
		return
	}
	f.drainWithin(askLimit)
}
