//go:build amd64 && !race

package mem

import (
	"fmt"
	"testing"
)

// variants runs check with all that this CPU may copy with: from Go's copy only to
// the widest registers and REP MOVSB.
func variants(t *testing.T, check func(t *testing.T)) {
	best := level
	t.Cleanup(func() { level = best })
	done := map[uint8]bool{}
	for _, bits := range []uint8{0, avx2, avx2 | repMovs, avx2 | avx512, avx2 | avx512 | repMovs, repMovs} {
		if level = bits & best; !done[level] {
			done[level] = true
			t.Run(fmt.Sprintf("level %d", level), check)
		}
	}
}

var edges = []int{1 << 10, putRep, getRep, 64 << 10}

// TestLevels: on any CPU Go's copy is among the variants, and what there is.
func TestLevels(t *testing.T) {
	best, seen := level, map[uint8]bool{}
	variants(t, func(*testing.T) { seen[level] = true })
	if !seen[0] || !seen[best] {
		t.Errorf("copied at levels %v; want 0 and %d among them", seen, best)
	}
}

// TestBit: a CPU without a feature has a level without its bit.
func TestBit(t *testing.T) {
	if bit(avx512, false) != 0 || bit(avx512, true) != avx512 {
		t.Error("a level has not the bits that its CPU has")
	}
}

// TestPieces: what is longer than a piece and does not overlap is cut, and nothing is
// lost at the cuts; what the assembly leaves to Go is copied at every level.
func TestPieces(t *testing.T) {
	variants(t, func(t *testing.T) {
		for name, move := range map[string]mover{"put": Put, "get": Get, "rest": rest} {
			for _, n := range []int{0, 100, putRep, piece - 1, piece, piece + 1, 2 * piece, 2*piece + 77} {
				copied(t, name, move, n, 3, 8)
			}
		}
	})
}
