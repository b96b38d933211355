package dlpack

import (
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/interchange"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/mem"
)

// A slot is memory of one exported record: a managed or versioned, the word that the
// deleter sets, shape and strides. It is not Go memory, and is never given back: a late
// store of C hits a slot, not what came there after it.
const (
	flagAt    = 80 // the deleters in assembly know it
	shapeAt   = flagAt + 8
	stridesAt = shapeAt + 8*interchange.MaxDims
	slotSize  = (stridesAt + 8*interchange.MaxDims + 63) &^ 63
)

// deleterAt is the address of the deleter of all exports, an assembly function: it
// stores 1 to the word at flagAt and never enters Go. It is 0 where no C is called.
var deleterAt uintptr

// records are the slots: those that nobody uses, the one that waited longest first, and
// the exports that consumers may hold.
var records struct {
	sync.Mutex
	free []uintptr
	out  map[*Exported]struct{}
}

// take gives a slot. The lock is held.
func take() uintptr {
	if len(records.free) == 0 {
		memory := dl.OutSlice[byte](dl.Borrow(), dl.ScratchSize) // and not returned
		start := dl.Addr(&memory[0])
		for at := uintptr(0); at+slotSize <= dl.ScratchSize; at += slotSize {
			records.free = append(records.free, start+at)
		}
	}
	at := records.free[0]
	records.free = records.free[1:]
	clear(mem.At[byte](at, slotSize))
	return at
}

// flag is the word that the deleter sets.
func flag(at uintptr) *uint64 { return &mem.At[uint64](at+flagAt, 1)[0] }

// settle lets go of e if its consumer has. The lock is held.
func (e *Exported) settle() bool {
	if e.at != 0 && atomic.LoadUint64(flag(e.at)) != 0 {
		records.free = append(records.free, e.at)
		delete(records.out, e)
		e.at, e.owner = 0, nil
	}
	return e.at == 0
}

// sweep lets go of all that consumers have let go of. The lock is held.
func sweep() {
	for e := range records.out {
		e.settle()
	}
}
