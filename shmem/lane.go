package shmem

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// lane is a way for operations to travel: the world's own, or that of a context,
// which may number its PEs in its own way.
type lane struct {
	moves  engine.Lane
	bases  []unsafe.Pointer // of the PEs' heaps, in the lane's numbering; nil: only moves gets there
	pes    []int            // numbers in the world of the lane's PEs; nil: the same
	group  string           // what the PEs belong to, for errors
	check  *checker         // in checked mode: what moves is
	closed atomic.Bool      // its context was destroyed
}

// newLane is a lane of the world for all PEs, or for those in pes. In checked mode
// every operation goes through moves, which checks it; so it does in weak mode and over
// a distant heap.
func (w *World) newLane(moves engine.Lane, pes []int, group string, o ContextOptions) *lane {
	l := &lane{moves: moves, pes: pes, group: group, bases: make([]unsafe.Pointer, len(w.bases))}
	if pes != nil {
		l.bases = l.bases[:len(pes)]
	}
	if d, ok := moves.(engine.Domained); ok {
		d.Domain(pes)
	}
	if w.info.Checked {
		l.check = newChecker(w, moves, o)
		l.moves = l.check
		return l
	}
	if _, distant := w.heap.(engine.Distant); distant || w.info.Weak != 0 || w.device != nil { // in weak mode a put to this PE itself is late as well
		return l
	}
	for i := range l.bases {
		l.bases[i] = w.bases[l.world(i)]
	}
	return l
}

// world returns the number in the world of the lane's pe.
func (l *lane) world(pe int) int {
	if l.pes == nil {
		return pe
	}
	return l.pes[pe]
}

// name is what errors call the lane's pe.
func (l *lane) name(pe int) string {
	if l.pes == nil {
		return fmt.Sprintf("PE %d", pe)
	}
	return fmt.Sprintf("PE %d of the team (PE %d of the world)", pe, l.pes[pe])
}

// checkPE returns an error if the lane has no such PE.
func (l *lane) checkPE(pe int) error {
	if uint(pe) < uint(len(l.bases)) {
		return nil
	}
	return problem(ErrPE, "PE %d out of range: this %s has %d %s", pe, l.group, len(l.bases), nouns(len(l.bases), "PE"))
}
