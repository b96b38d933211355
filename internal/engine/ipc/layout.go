package ipc

import (
	"github.com/goshmem/goshmem/internal/engine"
)

const (
	maxPEs   = 256 // all members of a team are threads of one block
	maxTeams = 64
	word     = 8
	line     = 256  // what allocations of devices are aligned to
	page     = 4096 // what heaps are aligned to
)

// The words of the head, which is at the beginning of what lies behind the heap. Entered
// and left count blocks of kernels that wait.
const (
	headAbort   = 0 // not 0: what waits gives up
	headEntered = 128
	headLeft    = 256
	headTag     = 384 // a number by which the memory is known
	headSize    = 512
)

// layout says what lies behind the heap of every PE, as offsets. Words for a pair of PEs
// have the number of the other one. They count the meetings of the two in a team slot,
// and go on counting when the slot is used by another team: what a PE has sent another
// and what that one awaits are always the same number.
type layout struct {
	pes    uintptr
	blocks uintptr // of a kernel that meets others, at most
	stage  uintptr // bytes in which each slot passes data

	head  engine.Offset
	bases engine.Offset // the address of every PE's memory, as this PE's device has it
	flags engine.Offset // per slot and PE: barriers to which that PE has come
	came  engine.Offset // per slot, block and PE: meetings of kernels to which it has come
	sent  engine.Offset // likewise, those to which this PE has come
	room  engine.Offset // of stages
	end   engine.Offset
}

// newLayout lays out what follows a heap of some bytes.
func newLayout(size uintptr, pes int, blocks, stage uintptr) layout {
	l := layout{pes: uintptr(pes), blocks: blocks, stage: stage}
	at := up(size)
	take := func(n uintptr) engine.Offset {
		begin := at
		at = up(at + n)
		return begin
	}
	l.head = take(headSize)
	l.bases = take(l.pes * word)
	l.flags = take(maxTeams * l.pes * word)
	l.came = take(maxTeams * blocks * l.pes * word)
	l.sent = take(maxTeams * blocks * l.pes * word)
	l.room = take(maxTeams * stage)
	l.end = at
	return l
}

func up(n uintptr) uintptr { return (n + line - 1) &^ (line - 1) }

// flag is the word for barriers that PE pe writes in a slot of another's memory.
func (l *layout) flag(slot, pe int) engine.Offset {
	return l.flags + (uintptr(slot)*l.pes+uintptr(pe))*word
}
