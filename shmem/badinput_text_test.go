package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// TestErrorTexts holds whole messages, as the PEs of a world of four read them. The
// death of a PE is in the tests that kill, the other words of a wait in package engine.
func TestErrorTexts(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 4, badOptions(), func(ctx context.Context, w *shmem.World) error {
		n := 64
		if w.MyPE() == 3 {
			n = 128
		}
		line := here(1)
		_, err := shmem.AllocAligned[byte](ctx, w, n, 64*n/64)
		exactly(t, err, "shmem: alloc: PE 3 asked 128 bytes aligned 128, PEs 0-2 asked 64 bytes aligned 64 (alloc #1, "+line+")")
		a := must1(shmem.Alloc[float32](ctx, w, 8))(t)
		sameOnAll(t, ctx, w, a)
		differentOnOne(t, ctx, w, a)
		return nil
	}))
}

// exactly fails the test if err does not read as want.
func exactly(t *testing.T, err error, want string) {
	t.Helper()
	if got := fmt.Sprint(err); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// sameOnAll makes mistakes that all PEs make together.
func sameOnAll(t *testing.T, ctx context.Context, w *shmem.World, a shmem.Array[float32]) {
	t.Helper()
	for want, err := range map[string]error{
		"shmem: put: PE 7 out of range: this world has 4 PEs":                                                                                                   a.Put(a, 7),
		"shmem: atomic fetch add: PE -1 out of range: this world has 4 PEs":                                                                                     second(shmem.AtomicFetchAdd(a, 0, 1, -1)),
		"shmem: get: the destination has 3 elements, the source 8: slice the longer one":                                                                        must1(a.Slice(0, 3))(t).Get(a, 0),
		"shmem: g: element 8 of an array of 8":                                                                                                                  second(a.G(8, 0)),
		"shmem: slice: [5:4] of an array of 8 elements":                                                                                                         second(a.Slice(5, 4)),
		"shmem: put: the zero value has no memory: use Alloc or AllocSignal":                                                                                    shmem.Array[float32]{}.Put(a, 1),
		"shmem: wait until: comparison 9: use EQ, NE, GT, GE, LT or LE":                                                                                         shmem.WaitUntil(ctx, a, 0, 9, 0),
		"shmem: test some: the array has 8 elements, the mask 2: it needs one for each, or must be nil":                                                         second(shmem.TestSome(a, nil, make([]bool, 2), shmem.EQ, 0)),
		"shmem: wait until all vector: the array has 8 elements, but 0 values were given: one for each is needed":                                               shmem.WaitUntilAllVector(ctx, a, nil, shmem.EQ, nil),
		"shmem: lock clear: the lock is nil: use AllocLock":                                                                                                     (*shmem.Lock)(nil).Clear(ctx),
		"shmem: alloc: -3 elements: at least one is needed":                                                                                                     second(shmem.Alloc[int](ctx, w, -3)),
		"shmem: alloc: 9223372036854775807 elements of 8 bytes: no heap is that large":                                                                          second(shmem.Alloc[int](ctx, w, math.MaxInt)),
		"shmem: alloc: alignment 24: must be a power of two from 8 to 4096":                                                                                     second(shmem.AllocAligned[int](ctx, w, 1, 24)),
		"shmem: alloc: struct {} has no size":                                                                                                                   second(shmem.Alloc[struct{}](ctx, w, 1)),
		"shmem: alloc: shmem_test.nested holds a pointer (B: C: D: map), which means nothing to another PE":                                                     second(shmem.Alloc[nested](ctx, w, 1)),
		"shmem: split strided: start 9: the parent team has 4 PEs":                                                                                              second(w.Team().SplitStrided(ctx, 9, 1, 1, shmem.TeamConfig{})),
		"shmem: split strided: start 1, stride 2, size 3: the last PE would be 5, the parent team has 4":                                                        second(w.Team().SplitStrided(ctx, 1, 2, 3, shmem.TeamConfig{})),
		"shmem: split strided: this PE is not a member of the team":                                                                                             second((*shmem.Team)(nil).SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{})),
		"shmem: alloc: symmetric heap exhausted: asked 2097152 bytes, largest hole 1048448, 128 of 1048576 in use: raise GOSHMEM_HEAP_SIZE or Options.HeapSize": second(shmem.Alloc[byte](ctx, w, 2<<20)),
	} {
		exactly(t, err, want)
	}
}

// differentOnOne makes mistakes that PE 2 makes alone.
func differentOnOne(t *testing.T, ctx context.Context, w *shmem.World, a shmem.Array[float32]) {
	t.Helper()
	alone := w.MyPE() == 2
	n := 8
	if alone {
		n = -1
	}
	line := here(1)
	_, err := shmem.Alloc[int](ctx, w, n)
	if alone {
		exactly(t, err, "shmem: alloc: -1 elements: at least one is needed")
	} else {
		exactly(t, err, "shmem: alloc: PE 2 refused alloc #9 ("+line+"): -1 elements: at least one is needed")
	}
	if alone {
		_, err = shmem.Alloc[float64](ctx, w, 2)
	} else {
		_, err = shmem.Alloc[int64](ctx, w, 2)
		line = here(-1)
	}
	if !alone {
		exactly(t, err, "shmem: alloc: PE 2 asked 16 bytes aligned 128, PEs 0, 1, 3 asked 16 bytes aligned 128 of another element type (alloc #10, "+line+")")
	}
	must(t, w.Barrier(ctx))
	freeLine := here(1)
	must(t, a.Free(ctx))
	if err := a.Put(a, 0); !errors.Is(err, shmem.ErrFreed) {
		t.Errorf("after %s: %v", freeLine, err)
	}
}

// TestCheckedTexts: in checked mode errors tell the lines of others.
func TestCheckedTexts(t *testing.T) {
	o := badOptions()
	o.Check = shmem.CheckOn
	var setLine, putLine string
	must(t, shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
		l := must1(shmem.AllocLock(ctx, w))(t)
		a := must1(shmem.Alloc[uint32](ctx, w, 6))(t)
		over, cancel := context.WithCancel(ctx)
		cancel()
		if w.MyPE() == 1 {
			setLine, putLine = here(1), here(2)
			must(t, l.Set(ctx))
			must(t, a.P(4, 7, 0))
		}
		must(t, w.Barrier(ctx))
		if w.MyPE() == 0 {
			begins(t, l.Set(over), "shmem: lock set: PE 1 holds the lock, since its lock #1 ("+setLine+"): context canceled after ")
			err := shmem.WaitUntilAll(over, a, []bool{true, true, true, true, false, false}, shmem.GE, 8)
			begins(t, err, "shmem: wait until all: elements 4, 5 missing: 4 was 7, wanted >= 8 (last written by PE 1: put of 4 bytes, "+putLine+
				"); 5 was 0, wanted >= 8 (in the last 64 operations of any PE nobody has written there): context canceled after ")
		}
		return w.Barrier(ctx)
	}))
}

// begins fails the test if err does not begin as want says.
func begins(t *testing.T, err error, want string) {
	t.Helper()
	if !strings.HasPrefix(fmt.Sprint(err), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestLongLists: an error stays a line that can be read, however many elements miss.
func TestLongLists(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 1, badOptions(), func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[uint32](ctx, w, 2000))(t)
		over, cancel := context.WithCancel(ctx)
		cancel()
		except := make([]bool, a.Len())
		for i := range except {
			except[i] = i%2 == 0
		}
		err := shmem.WaitUntilAll(over, a, except, shmem.EQ, 8)
		begins(t, err, "shmem: wait until all: elements 1, 3, 5, 7, ")
		for _, part := range []string{", ... missing: 1 was 0, wanted == 8; ", "; and 997 more: context canceled after "} {
			if text := fmt.Sprint(err); !strings.Contains(text, part) || len(text) > 500 {
				t.Errorf("%s: no %q in it, or too long", text, part)
			}
		}
		return nil
	}))
}

// TestNotEqualText: what is there and what was asked for are told apart, also where it was
// asked for not to be there.
func TestNotEqualText(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 1, badOptions(), func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[uint32](ctx, w, 1))(t)
		over, cancel := context.WithCancel(ctx)
		cancel()
		begins(t, shmem.WaitUntilAll(over, a, nil, shmem.NE, 0), "shmem: wait until all: element 0 missing: 0 was 0, wanted != 0: context canceled after ")
		return nil
	}))
}

// TestEngineText is the message of an engine that cannot run.
func TestEngineText(t *testing.T) {
	alone(t)
	_, err := shmem.Init(t.Context(), shmem.Options{Engine: "teleport"})
	exactly(t, err, "shmem: init: engine teleport was asked for but cannot run: there is no such engine; engines that can: host")
}
