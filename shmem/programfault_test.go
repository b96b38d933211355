package shmem_test

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync"
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

func (h forgiving) Watches() {}

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
// makes both as small as it can.
func shorten(t *testing.T, n int, text func(seed uint64) string) (s shortest) {
	t.Helper()
	over := make(chan struct{})
	go func() { // which the recorder ends when a program has failed
		defer close(over)
		rapid.Check(&recorder{TB: t}, func(rt *rapid.T) {
			program, with := drawn(rt, n), text(rapid.Uint64Range(0, 99).Draw(rt, "seed"))
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
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.checks": "60"} {
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

// TestProgramsFault runs random programs with a random fault: those that are only late
// are right, all others end before their time is over, with an error that names the fault.
func TestProgramsFault(t *testing.T) {
	if jobSize(t) > 0 {
		return // every rank would do the same
	}
	happened := 0
	for seed := range uint64(40) {
		for _, verb := range []string{"delay by=1ms", "slow by=100us", "kill", "fail", "exhaust upto=4", "lose"} {
			text := fmt.Sprintf("seed=%d %s", seed, verb)
			program := seeded(4, seed)
			told, err := withFault(t, text, program)
			struck := strings.Contains(told, ", at ")
			if struck {
				happened++
			}
			fatal := struck && !strings.Contains(verb, "by=")
			if fatal != (err != nil) || fatal && !strings.Contains(err.Error(), "fault") || fatal && strings.Contains(err.Error(), "timed out") {
				t.Errorf("GOSHMEM_FAULT='%s' (%s): %v\n%v", text, told, err, program)
			}
		}
	}
	if happened < 120 {
		t.Errorf("only %d of 240 faults have happened", happened)
	}
}

// withFault runs a program with a fault and returns also what was told of it.
func withFault(t *testing.T, text string, p conformance.Program) (told string, err error) {
	t.Helper()
	var mu sync.Mutex
	o := brief
	o.Fault, o.NodeSize = text, 2
	o.Logf = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(format, "goshmem: fault: ") {
			told = fmt.Sprintf(format, args...)
		}
	}
	err = recorded(t, p.PEs, o, p.Run)
	return told, err
}
