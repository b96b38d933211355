//go:build race

package network

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
)

// kinds is what the detector cannot know of atomics: that only those of one type and width, and
// through contexts of one team, are atomic to each other. For each kind that a word has seen there is a
// cell, memory of ours to which an atomic of the kind stores atomically, and which all
// others read: so two kinds that are not ordered are a race, and two of a kind are not.
// The cells order nothing, since nobody loads them atomically. As in queue.go, the
// detector sees neither the lock nor what it guards.
type kinds struct {
	mu    sync.Mutex
	words [4096]*word
}

// word is one aligned word of 8 bytes in some PE's heap, on which there were atomics.
type word struct {
	at   unsafe.Pointer
	next *word
	seen []seen
}

// seen is a kind of atomics and its cell.
type seen struct {
	kind
	cell *uint64
}

// kind is what two atomics must have in common.
type kind struct {
	width  uint8
	float  bool
	half   bool   // of 4 bytes, in the upper half of the word
	domain string // the team of the context
}

// apart says whether atomics of the two kinds are on different bytes.
func (k kind) apart(other kind) bool {
	return k.width == 4 && other.width == 4 && k.half != other.half
}

// mixedAtomics tells the detector of an atomic at p.
func (k *kinds) mixedAtomics(p unsafe.Pointer, op engine.AMO, domain string) {
	own, others := k.cells(p, kind{op.Width, op.Float, op.Width == 4 && uintptr(p)&4 != 0, domain})
	if op.Kind != engine.AMOFetch {
		atomic.StoreUint64(own, 1)
	}
	for _, cell := range others {
		runtime.RaceRead(unsafe.Pointer(cell))
	}
}

// cells returns the cell of a kind for the word at p, and those of kinds that conflict.
//
//go:norace
func (k *kinds) cells(p unsafe.Pointer, of kind) (own *uint64, others []*uint64) {
	mem.Untrack()
	defer mem.Track()
	k.mu.Lock()
	defer k.mu.Unlock()
	w := k.word(unsafe.Add(p, -int(uintptr(p)&7)))
	for i := range w.seen {
		switch s := &w.seen[i]; {
		case s.kind == of:
			own = s.cell
		case !s.apart(of):
			others = append(others, s.cell)
		}
	}
	if own == nil {
		own = new(uint64)
		w.seen = append(w.seen, seen{of, own})
	}
	return own, others
}

//go:norace
func (k *kinds) word(at unsafe.Pointer) *word {
	first := &k.words[uintptr(at)>>3%uintptr(len(k.words))]
	for w := *first; w != nil; w = w.next {
		if w.at == at {
			return w
		}
	}
	w := &word{at: at, next: *first}
	*first = w
	return w
}
