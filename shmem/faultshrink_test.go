//go:build !race

package shmem_test

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/faulty"
	"github.com/goshmem/goshmem/internal/fault"
	"github.com/goshmem/goshmem/shmem"
)

// forgiving is a mutant: it takes a put that has failed for one that has not. Nothing
// shows of that as long as no put fails.
type forgiving struct{ engine.Heap }

func (h forgiving) Distant() {}

func (h forgiving) Put(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	return forgive(h.Heap.Put(pe, dst, src, n))
}

func (h forgiving) PutNBI(pe int, dst engine.Offset, src unsafe.Pointer, n uintptr) error {
	return forgive(h.Heap.PutNBI(pe, dst, src, n))
}

func forgive(err error) error {
	if errors.Is(err, fault.ErrFault) {
		return nil
	}
	return err
}

// mutated are options for worlds of the mutant with a fault, "" for none.
func mutated(t *testing.T, text string) shmem.Options {
	return shmem.WithHeap(brief, func(h engine.Heap) engine.Heap {
		if text == "" {
			return forgiving{h}
		}
		faults, err := fault.Parse(text)
		if err == nil {
			faults, err = fault.Settle(faults, h.NPEs(), 0)
		}
		if err != nil {
			t.Error(err)
		}
		return forgiving{faulty.Wrap(h, faults, 0, func(string) {})}
	})
}

// shortest is how rapid ended that looked for a program which fails.
type shortest struct {
	program conformance.Program
	fault   string
	found   bool
}

// shorten looks for a program and a seed of a fault with which the mutant fails, and
// makes both as small as it can. Not under the race detector, where that takes minutes.
func shorten(t *testing.T, n int, text func(seed uint64) string) (s shortest) {
	t.Helper()
	over := make(chan struct{})
	go func() { // which the recorder ends when a program has failed
		defer close(over)
		rapid.Check(&recorder{TB: t}, func(rt *rapid.T) {
			program, with := drawn(rt, n, 40), text(rapid.Uint64Range(0, 99).Draw(rt, "seed"))
			if err := recorded(t, n, mutated(t, with), program.Run); err != nil {
				s = shortest{program, with, true} // the last one is the one that rapid ends with
				rt.Fatal("the program failed")
			}
		})
	}()
	<-over
	return s
}

// TestFaultShrinks: the mutant passes without a fault. With a fault that a seed picks
// random programs find it out, and what is shown of them is short.
func TestFaultShrinks(t *testing.T) {
	if jobSize(t) > 0 {
		return // every rank would do the same
	}
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.checks": "60", "rapid.shrinktime": "3m", "rapid.seed": "11"} {
		f := flag.Lookup(name)
		before := f.Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Value.Set(before) }) // what it was is valid
	}
	if s := shorten(t, 3, func(uint64) string { return "" }); s.found {
		t.Fatalf("the mutant fails without a fault:\n%v", s.program)
	}
	s := shorten(t, 3, func(seed uint64) string { return fmt.Sprintf("seed=%d fail op=put upto=4", seed) })
	if !s.found {
		t.Fatal("no program finds the mutant out")
	}
	const few = 6
	if lines := strings.Count(s.program.String(), "\n") - 1; lines > few {
		t.Errorf("the shortest program has %d operations, more than %d:", lines, few)
	}
	t.Logf("GOSHMEM_FAULT='%s', %v", s.fault, s.program)
}
