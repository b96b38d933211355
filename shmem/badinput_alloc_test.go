package shmem_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/shmem"
)

// badSizes asks for no, negative and overflowing numbers of elements.
func badSizes(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	few := wrong{is: shmem.ErrArgument, op: "alloc", peer: -1}.in(w)
	for _, n := range []int{0, -1, math.MinInt} {
		few.text = fmt.Sprintf("%d elements: at least one is needed", n)
		few.check(t, second(shmem.Alloc[int64](ctx, w, n)))
		few.check(t, second(shmem.AllocAligned[byte](ctx, w, n, 64)))
	}
	few.text = "elements: at least one is needed"
	few.check(t, second(shmem.AllocSignals(ctx, w, 0)))
	few.text = "-3 elements: at least one is needed"
	few.check(t, second(shmem.AllocSignals(ctx, w, -3)))
	huge := wrong{is: shmem.ErrNoMemory, op: "alloc", peer: -1, text: "no heap is that large"}.in(w)
	for _, n := range []int{math.MaxInt, math.MaxInt / 8, 1 << 61, 1<<61 + 1, 1 << 60, 1 << 44} {
		huge.check(t, second(shmem.Alloc[int64](ctx, w, n)))
	}
	huge.check(t, second(shmem.Alloc[[1 << 16]byte](ctx, w, 1<<48))) // times 64 KiB is a round 0
	huge.check(t, second(shmem.AllocSignals(ctx, w, math.MaxInt)))
	huge.check(t, second(shmem.AllocSignals(ctx, w, 1<<58))) // times 128 bytes is a round 0
}

// badAlignments asks for alignments that are none, and checks those that are.
func badAlignments(t testing.TB, w *shmem.World) {
	x := wrong{is: shmem.ErrArgument, op: "alloc", peer: -1}.in(w)
	for _, align := range []int{0, 1, 2, 3, 4, 24, 100, 129, -1, -8, -128, math.MinInt, math.MaxInt, 1 << 40, 1 << 62} {
		x.text = fmt.Sprintf("alignment %d: must be a power of two from 8 to 4096", align)
		x.check(t, second(shmem.AllocAligned[int64](t.Context(), w, 1, align)))
	}
	for align := 8; align <= 4096; align *= 2 {
		pad := must1(shmem.Alloc[byte](t.Context(), w, 1))(t) // so that the next place is no round one
		a := must1(shmem.AllocAligned[byte](t.Context(), w, 1, align))(t)
		own := must1(a.Local())(t)
		if at := uintptr(unsafe.Pointer(&own[0])); at%uintptr(align) != 0 {
			t.Errorf("alignment %d: memory at %#x", align, at)
		}
		must(t, a.Free(t.Context()))
		must(t, pad.Free(t.Context()))
	}
}

// The element types that a symmetric heap cannot hold.
type (
	withPointer struct{ P *int }
	withSlice   struct{ S []byte }
	nested      struct {
		A int
		B struct {
			C [2]struct {
				D map[string]int
			}
		}
	}
	named    string
	handler  func()
	anything interface{ M() }
	nothing  struct{}
	noneOf   struct {
		A [0]int64
		B struct{}
	}
)

// badTypes allocates element types with pointers and without size.
func badTypes(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	for text, err := range map[string]error{
		"*int holds a pointer (ptr)":                                 second(shmem.Alloc[*int](ctx, w, 1)),
		"[]int holds a pointer (slice)":                              second(shmem.Alloc[[]int](ctx, w, 1)),
		"string holds a pointer (string)":                            second(shmem.Alloc[string](ctx, w, 1)),
		"map[int]int holds a pointer (map)":                          second(shmem.Alloc[map[int]int](ctx, w, 1)),
		"chan int holds a pointer (chan)":                            second(shmem.Alloc[chan int](ctx, w, 1)),
		"func() holds a pointer (func)":                              second(shmem.Alloc[func()](ctx, w, 1)),
		"interface {} holds a pointer (interface)":                   second(shmem.Alloc[any](ctx, w, 1)),
		"unsafe.Pointer holds a pointer (unsafe.Pointer)":            second(shmem.Alloc[unsafe.Pointer](ctx, w, 1)),
		"shmem_test.named holds a pointer (string)":                  second(shmem.Alloc[named](ctx, w, 1)),
		"shmem_test.handler holds a pointer (func)":                  second(shmem.Alloc[handler](ctx, w, 1)),
		"shmem_test.anything holds a pointer (interface)":            second(shmem.Alloc[anything](ctx, w, 1)),
		"shmem_test.withPointer holds a pointer (P: ptr)":            second(shmem.Alloc[withPointer](ctx, w, 1)),
		"shmem_test.withSlice holds a pointer (S: slice)":            second(shmem.Alloc[withSlice](ctx, w, 1)),
		"[3]shmem_test.withSlice holds a pointer (S: slice)":         second(shmem.AllocAligned[[3]withSlice](ctx, w, 1, 64)),
		"[2][2]*int holds a pointer (ptr)":                           second(shmem.Alloc[[2][2]*int](ctx, w, 1)),
		"shmem_test.nested holds a pointer (B: C: D: map)":           second(shmem.Alloc[nested](ctx, w, 1)),
		"struct {} has no size":                                      second(shmem.Alloc[struct{}](ctx, w, 1)),
		"shmem_test.nothing has no size":                             second(shmem.Alloc[nothing](ctx, w, 1)),
		"shmem_test.noneOf has no size":                              second(shmem.Alloc[noneOf](ctx, w, 1)),
		"[0]int64 has no size":                                       second(shmem.Alloc[[0]int64](ctx, w, 1)),
		"shmem_test.withPointer holds a pointer (P: ptr), which mea": second(shmem.Alloc[withPointer](ctx, w, -1)),
	} {
		wrong{is: shmem.ErrArgument, op: "alloc", peer: -1, text: text}.in(w).check(t, err)
	}
	fine := must1(shmem.Alloc[struct {
		A [3]float32
		B struct{ C uintptr }
	}](ctx, w, 3))(t)
	must(t, fine.Free(ctx))
}

// badExhausted asks for more than there is, whole and in pieces.
func badExhausted(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	empty := w.HeapStats()
	x := wrong{is: shmem.ErrNoMemory, op: "alloc", peer: -1}.in(w)
	full := func(asked int) string {
		s := w.HeapStats()
		return fmt.Sprintf("symmetric heap exhausted: asked %d bytes, largest hole %d, %d of %d in use: raise GOSHMEM_HEAP_SIZE or Options.HeapSize",
			asked, s.Largest, s.Used, s.Size)
	}
	x.text = full(empty.Largest + 1)
	x.check(t, second(shmem.Alloc[byte](ctx, w, empty.Largest+1)))
	x.text = full(1 << 40)
	x.check(t, second(shmem.Alloc[int64](ctx, w, 1<<37)))
	var kept []shmem.Array[byte]
	for { // leave two holes, of which no block of their sum fits into either
		a, err := shmem.Alloc[byte](ctx, w, empty.Size/8)
		if err != nil {
			x.text = full(empty.Size / 8)
			x.check(t, err)
			break
		}
		kept = append(kept, a)
	}
	must(t, kept[1].Free(ctx))
	must(t, kept[3].Free(ctx))
	x.text = full(empty.Size / 4)
	x.check(t, second(shmem.Alloc[byte](ctx, w, empty.Size/4)))
	again := must1(shmem.Alloc[byte](ctx, w, w.HeapStats().Largest))(t)
	must(t, again.Free(ctx))
	for i, a := range kept {
		if i != 1 && i != 3 {
			must(t, a.Free(ctx))
		}
	}
	whole := must1(shmem.Alloc[byte](ctx, w, empty.Largest))(t)
	must(t, whole.Free(ctx))
}

// badFreeTwice frees twice: by the same handle, by a part, and a signal.
func badFreeTwice(t testing.TB, w *shmem.World) {
	site := here(1)
	a := must1(shmem.Alloc[int64](t.Context(), w, 8))(t)
	part := must1(a.Slice(1, 3))(t)
	sigs := must1(shmem.AllocSignals(t.Context(), w, 2))(t)
	must(t, a.Free(t.Context()))
	must(t, sigs[1].Free(t.Context()))
	x := wrong{is: shmem.ErrFreed, op: "free", peer: -1, text: "freed twice, first at badinput_alloc_test.go:"}.in(w)
	for range 2 {
		err := a.Free(t.Context())
		x.check(t, err)
		if !strings.Contains(err.Error(), site) {
			t.Errorf("%v: does not say %s", err, site)
		}
	}
	x.check(t, part.Free(t.Context()))
	x.check(t, sigs[0].Free(t.Context()))
}

// last is the PE that behaves differently, alone whom the others name. With one
// PE there is nobody to disagree with.
func last(w *shmem.World) (pe int, isLast, alone bool) {
	return w.NPEs() - 1, w.MyPE() == w.NPEs()-1, w.NPEs() == 1
}

// others names all PEs but the last as errors do.
func others(w *shmem.World) string {
	switch w.NPEs() {
	case 2:
		return "PE 0"
	case 3:
		return "PEs 0, 1"
	}
	return fmt.Sprintf("PEs 0-%d", w.NPEs()-2)
}

// badAllocDiffers lets the last PE ask for something else than the others.
func badAllocDiffers(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	pe, isLast, alone := last(w)
	if alone {
		return
	}
	pick := func(mine, theirs func() error) error {
		if isLast {
			return mine()
		}
		return theirs()
	}
	alloc := func(n, align int) func() error {
		return func() error { return second(shmem.AllocAligned[byte](ctx, w, n, align)) }
	}
	line := here(-2) // of the AllocAligned above
	for text, err := range map[string]error{
		"%s asked 128 bytes aligned 128, %s asked 64 bytes aligned 128":  pick(alloc(128, 128), alloc(64, 128)),
		"%s asked 64 bytes aligned 1024, %s asked 64 bytes aligned 128":  pick(alloc(64, 1024), alloc(64, 128)),
		"%s asked 5000 bytes aligned 4096, %s asked 1 bytes aligned 128": pick(alloc(5000, 4096), alloc(1, 128)),
	} {
		one, rest := fmt.Sprintf("PE %d", pe), others(w)
		x := wrong{is: shmem.ErrMismatch, op: "alloc", peer: -1, text: fmt.Sprintf(text, one, rest)}.in(w)
		if w.NPEs() == 2 && !strings.Contains(err.Error(), x.text) { // one against one: either may come first
			x.text = ""
		}
		x.check(t, err)
		for _, part := range []string{one, rest, "(alloc #", line} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v: does not say %s", err, part)
			}
		}
	}
	err := pick(
		func() error { return second(shmem.Alloc[float64](ctx, w, 4)) },
		func() error { return second(shmem.Alloc[int64](ctx, w, 4)) })
	wrong{is: shmem.ErrMismatch, op: "alloc", peer: -1, text: "asked 32 bytes aligned 128 of another element type (alloc #"}.in(w).check(t, err)
}

// badFreeDiffers lets the last PE free another block than the others.
func badFreeDiffers(t testing.TB, w *shmem.World) {
	pe, isLast, alone := last(w)
	if alone {
		return
	}
	a, b, sig := twoArrays(t, w)
	which := a
	if isLast {
		which = b
	}
	err := which.Free(t.Context())
	wrong{is: shmem.ErrMismatch, op: "free", peer: -1, text: "(64 bytes)"}.in(w).check(t, err)
	for _, part := range []string{fmt.Sprintf("PE %d asked alloc #", pe), others(w) + " asked alloc #", "(free #", "badinput_alloc_test.go:"} {
		if err != nil && !strings.Contains(err.Error(), part) {
			t.Errorf("%v: does not say %s", err, part)
		}
	}
	must(t, a.Set(0, 1)) // nothing was freed
	must(t, b.Set(0, 1))
	gone := must1(shmem.Alloc[int64](t.Context(), w, 1))(t)
	must(t, gone.Free(t.Context()))
	if isLast { // frees twice while the others free something for the first time
		err = gone.Free(t.Context())
		wrong{is: shmem.ErrFreed, op: "free", peer: -1, text: "freed twice"}.in(w).check(t, err)
	} else {
		err = a.Free(t.Context())
		wrong{is: shmem.ErrMismatch, op: "free", peer: -1, text: fmt.Sprintf("PE %d refused free #", pe)}.in(w).check(t, err)
		if err != nil && !strings.Contains(err.Error(), "freed twice, first at badinput_alloc_test.go:") {
			t.Errorf("%v: does not give the reason", err)
		}
	}
	must(t, w.Barrier(t.Context())) // a refusal may be read until the next meeting
	freeAll(t, a, b, sig)
}

// badAllocRefusedOnOne lets the last PE alone ask for what nobody can have. The
// others learn who and why, each time the reason of that time.
func badAllocRefusedOnOne(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	pe, isLast, alone := last(w)
	if alone {
		return
	}
	type ask struct {
		is   error
		text string
		do   func(context.Context, *shmem.World) error
	}
	asks := []ask{
		{shmem.ErrArgument, "-2 elements: at least one is needed", func(ctx context.Context, w *shmem.World) error { return second(shmem.Alloc[int64](ctx, w, -2)) }},
		{shmem.ErrArgument, "alignment 24: must be a power of two", func(ctx context.Context, w *shmem.World) error {
			return second(shmem.AllocAligned[int64](ctx, w, 1, 24))
		}},
		{shmem.ErrArgument, "string holds a pointer (string)", func(ctx context.Context, w *shmem.World) error { return second(shmem.Alloc[string](ctx, w, 1)) }},
		{shmem.ErrNoMemory, "symmetric heap exhausted: asked 1099511627776 bytes", func(ctx context.Context, w *shmem.World) error {
			return second(shmem.Alloc[byte](ctx, w, 1<<40))
		}},
	}
	for _, a := range asks {
		if isLast {
			wrong{is: a.is, op: "alloc", peer: -1, text: a.text}.in(w).check(t, a.do(ctx, w))
			continue
		}
		err := second(shmem.Alloc[int64](ctx, w, 3))
		wrong{is: shmem.ErrMismatch, op: "alloc", peer: -1, text: fmt.Sprintf("PE %d refused alloc #", pe)}.in(w).check(t, err)
		if err != nil && !strings.Contains(err.Error(), a.text) {
			t.Errorf("%v: does not give the reason %q", err, a.text)
		}
	}
}

// TestOddOneOutFirst: of PEs that ask for different things the fewest are named first.
func TestOddOneOutFirst(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 6, badOptions(), func(ctx context.Context, w *shmem.World) error {
		n := []int{1, 1, 1, 2, 2, 3}[w.MyPE()]
		text := "PE 5 asked 24 bytes aligned 128, PEs 3, 4 asked 16 bytes aligned 128, PEs 0-2 asked 8 bytes aligned 128 (alloc #1, "
		wrong{is: shmem.ErrMismatch, op: "alloc", peer: -1, text: text}.in(w).check(t, second(shmem.Alloc[int64](ctx, w, n)))
		return nil
	}))
}
