package host

import (
	"maps"
	"slices"
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
	recordsLen = unsafe.Offsetof(control{}.end) - recordedAt
)

// refresh asks those of the PEs that are of other nodes what their boards show. One that
// does not answer in time, or has ended, stays with what it has told by itself. For one
// that is stopped another one of its node answers, who sees its board.
func (f *far) refresh(pes ...int) {
	if f == nil {
		return
	}
	asked := map[int]uint32{}
	for _, pe := range pes {
		if !f.is(pe) || f.h.ctl[pe].fate.Load() != 0 || f.wire.lost(pe) != nil {
			continue
		}
		asked[pe] = f.answers[pe].Load()
		go f.ask(pe)
		if mates := f.members[f.node[pe]]; len(mates) > 1 {
			_ = f.wire.send(mates[(slices.Index(mates, pe)+1)%len(mates)], askMessage(f.h.rank, pe))
		}
	}
	for end := time.Now().Add(askLimit); len(asked) > 0 && time.Now().Before(end); time.Sleep(lingerTick) {
		f.wire.progress()
		maps.DeleteFunc(asked, func(pe int, before uint32) bool { return f.answers[pe].Load() != before })
	}
}

// ask copies what a PE shows to its shadow. It waits, but not for a PE that was given up.
func (f *far) ask(pe int) {
	c := unsafe.Pointer(f.h.ctl[pe])
	err := f.wire.get(pe, boardAt, unsafe.Add(c, boardAt), boardSize, false)
	if err == nil {
		err = f.wire.get(pe, recordedAt, unsafe.Add(c, recordedAt), recordsLen, false)
	}
	if err == nil {
		f.answers[pe].Add(1)
	}
}
