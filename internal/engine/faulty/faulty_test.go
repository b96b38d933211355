package faulty

import (
	"slices"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/host"
	"github.com/goshmem/goshmem/internal/fault"
)

// TestKindsHaveOperations: a fault can be for every call that an engine knows.
func TestKindsHaveOperations(t *testing.T) {
	for k := engine.KindInit; k <= engine.KindFinalize; k++ {
		if k != engine.KindStop && !slices.Contains(fault.Ops(), opOf(k)) {
			t.Errorf("no fault can be for %v: %q is no operation", k, opOf(k))
		}
	}
}

// TestOnlyWhoIsConcerned: the heaps of PEs that no fault is for stay as they are.
func TestOnlyWhoIsConcerned(t *testing.T) {
	heaps, err := host.Engine{}.OpenLocal(6, engine.Config{HeapSize: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int{
		"kill pe=2 op=put":                      {2},
		"slow link=0-4 by=1ms":                  {0, 4},
		"lose node=1 op=put":                    {2, 3},
		"exhaust pe=5; delay pe=1 op=get by=1s": {1, 5},
	} {
		faults, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for pe, h := range heaps {
			w := Wrap(h, faults, 2, func(string) {})
			if _, distant := w.(engine.Distant); distant != (w != h) {
				t.Errorf("%s: PE %d is distant: %v", text, pe, distant)
			}
			if w != h {
				got = append(got, pe)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is in front of PEs %v, want %v", text, got, want)
		}
	}
}
