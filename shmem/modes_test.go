package shmem_test

import (
	"context"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/faulty"
	"github.com/goshmem/goshmem/internal/engine/weak"
	"github.com/goshmem/goshmem/shmem"
)

// TestNothingInTheWay: what a world without modes gets is the heap itself, so that its
// operations are those of a program that knows no modes; and so does a PE that no fault
// concerns.
func TestNothingInTheWay(t *testing.T) {
	t.Setenv("GOSHMEM_WEAK", "")
	t.Setenv("GOSHMEM_FAULT", "")
	heaps := make([]engine.Heap, 3)
	keep := shmem.WithHeap(weakly(0), func(h engine.Heap) engine.Heap { heaps[h.Rank()] = h; return h })
	must(t, shmem.RunLocal(t.Context(), len(heaps), keep, func(context.Context, *shmem.World) error { return nil }))
	for _, o := range []shmem.Options{{}, {Race: shmem.RaceOn}, {Fault: "slow link=1-2 by=1ms; kill pe=1 op=put n=1"}} {
		if got := must1(shmem.InModes(o, heaps[0]))(t); got != heaps[0] {
			t.Errorf("%+v: PE 0 gets a %T in place of a %T", o, got, heaps[0])
		}
	}
	if got, ok := must1(shmem.InModes(weakly(1), heaps[0]))(t).(*weak.Heap); !ok {
		t.Errorf("in weak mode PE 0 gets a %T", got)
	}
	if got, ok := must1(shmem.InModes(shmem.Options{Fault: "kill pe=0 op=put n=1"}, heaps[0]))(t).(*faulty.Heap); !ok {
		t.Errorf("with a fault PE 0 gets a %T", got)
	}
}
