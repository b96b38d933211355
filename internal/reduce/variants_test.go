//go:build amd64 && !race

package reduce

import (
	"fmt"
	"testing"
)

// variants runs check with all that this CPU may combine with: from plain Go to the
// widest registers.
func variants(t *testing.T, check func(t *testing.T)) {
	had := level
	t.Cleanup(func() { level = had })
	for level = none; level <= had; level++ {
		t.Run(fmt.Sprintf("level %d", level), check)
	}
}

// TestTables: at all levels there are vectors for what plain Go can do, except for
// products of complex numbers, and for nothing else.
func TestTables(t *testing.T) {
	for level, table := range map[string][types][ops]vector{"AVX2": tableAVX2, "AVX-512": tableAVX512} {
		for what := range types {
			for op := range ops {
				want := Has(what, op) && !(op == Prod && (what == Complex64 || what == Complex128))
				if v := table[what][op]; (v.fold != nil) != want || want != (v.unit >= 8) {
					t.Errorf("%s, %s of type %d: unit %d; plain Go can do it: %v", level, op, what, v.unit, want)
				}
			}
		}
	}
}

// TestNoAllocations: whatever is combined, nothing is allocated.
func TestNoAllocations(t *testing.T) {
	each(t, func(t *testing.T, s *Scratch, what Type, op Op) {
		const n = 100
		list := vectorsOf(what, n, 4)
		dsts, sources := addresses(list[:2]), addresses(list)
		if got := testing.AllocsPerRun(10, func() {
			Combine(what, op, dsts[0], sources[0], sources[1], n)
			Fold(what, op, dsts[0], sources, n, s)
			FoldTo(what, op, dsts, sources, n, s)
		}); got != 0 {
			t.Errorf("%v allocations", got)
		}
	})
}
