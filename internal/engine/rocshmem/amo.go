package rocshmem

import (
	"fmt"
	"math"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/engine"
)

// Atomic calls the library's additions and comparisons, which are implemented everywhere,
// and makes all else of them.
func (m *memory) Atomic(pe int, at engine.Offset, op engine.AMO) (uint64, error) {
	w, err := m.wordAt(pe, at, uintptr(op.Width))
	if err != nil {
		return 0, err
	}
	if m.narrow && op.Width != 8 {
		return 0, refused("atomics of %d bits do not work over GDA, of 64 bits they do", 8*op.Width)
	}
	a := atom{word: w, pe: rocshmem.PE(pe), wide: op.Width == 8}
	var old uint64
	var failure error
	err = m.lib.do(func(l *rocshmem.Library) { old, failure = a.apply(l, op) })
	if err != nil {
		return 0, err
	}
	return old, failure
}

// atom is a word of a PE.
type atom struct {
	word rocshmem.Symmetric
	pe   rocshmem.PE
	wide bool
}

func (a atom) fetch(l *rocshmem.Library) uint64 {
	if a.wide {
		return l.Uint64AtomicFetch(a.word, a.pe)
	}
	return uint64(l.Uint32AtomicFetch(a.word, a.pe))
}

func (a atom) add(l *rocshmem.Library, v uint64) uint64 {
	if a.wide {
		return l.Uint64AtomicFetchAdd(a.word, v, a.pe)
	}
	return uint64(l.Uint32AtomicFetchAdd(a.word, uint32(v), a.pe))
}

// swap exchanges an expected value and returns what was there.
func (a atom) swap(l *rocshmem.Library, cond, v uint64) uint64 {
	if a.wide {
		return l.Uint64AtomicCompareSwap(a.word, cond, v, a.pe)
	}
	return uint64(l.Uint32AtomicCompareSwap(a.word, uint32(cond), uint32(v), a.pe))
}

func (a atom) apply(l *rocshmem.Library, op engine.AMO) (uint64, error) {
	switch {
	case op.Kind == engine.AMOFetch:
		return a.fetch(l), nil
	case op.Kind == engine.AMOCompareSwap:
		return a.swap(l, op.Cond, op.Value), nil
	case op.Kind == engine.AMOAdd && !op.Float:
		return a.add(l, op.Value), nil
	}
	return a.change(l, func(old uint64) uint64 { return changed(op, old, a.wide) })
}

// attempts is how often an exchange may come too late. A library that cut what it returns
// to 32 bits, as old ones do, would never be in time.
const attempts = 1 << 20

// change exchanges the word for what becomes of it until nobody was in between.
func (a atom) change(l *rocshmem.Library, become func(old uint64) uint64) (uint64, error) {
	old := a.fetch(l)
	for range attempts {
		v := a.swap(l, old, become(old))
		if v == old {
			return old, nil
		}
		old = v
	}
	return 0, fmt.Errorf("rocshmem: a word of PE %d has changed %d times while it was to be exchanged: is what the library returns of it complete (%#x)?", a.pe, attempts, old)
}

// changed is what an operation makes of a word.
func changed(op engine.AMO, old uint64, wide bool) uint64 {
	switch op.Kind {
	case engine.AMOAnd:
		return old & op.Value
	case engine.AMOOr:
		return old | op.Value
	case engine.AMOXor:
		return old ^ op.Value
	case engine.AMOAdd: // of floating-point numbers
		if wide {
			return math.Float64bits(math.Float64frombits(old) + math.Float64frombits(op.Value))
		}
		return uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(op.Value))))
	}
	return op.Value // set and swap
}
