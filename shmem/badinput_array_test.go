package shmem_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// twoArrays allocates what most tables need.
func twoArrays(t testing.TB, w *shmem.World) (a, b shmem.Array[int64], sig shmem.Signal) {
	t.Helper()
	a = must1(shmem.Alloc[int64](t.Context(), w, 8))(t)
	b = must1(shmem.Alloc[int64](t.Context(), w, 8))(t)
	sig = must1(shmem.AllocSignal(t.Context(), w))(t)
	return a, b, sig
}

// freeAll frees what twoArrays has allocated.
func freeAll(t testing.TB, a, b shmem.Array[int64], sig shmem.Signal) {
	t.Helper()
	must(t, a.Free(t.Context()))
	must(t, b.Free(t.Context()))
	must(t, sig.Free(t.Context()))
}

// badPE gives every call that takes a PE one that does not exist, also for arrays
// without elements.
func badPE(t testing.TB, w *shmem.World) {
	a, b, sig := twoArrays(t, w)
	noA, noB := must1(a.Slice(4, 4))(t), must1(b.Slice(8, 8))(t)
	uses := slices.Concat(peerUses(), signalUses(), atomicUses())
	for _, pe := range []int{-1, w.NPEs(), w.NPEs() + 1, 1 << 20, 1 << 32, math.MaxInt, math.MinInt} {
		noun := "PEs"
		if w.NPEs() == 1 {
			noun = "PE"
		}
		text := fmt.Sprintf("PE %d out of range: this world has %d %s", pe, w.NPEs(), noun)
		for _, u := range uses {
			x := wrong{is: shmem.ErrPE, op: u.op, peer: pe, text: text}.in(w)
			x.check(t, u.do(a, b, sig, pe))
			x.check(t, u.do(noA, noB, sig, pe))
		}
		if got := w.Team().Translate(pe, w.Team()); got != -1 {
			t.Errorf("Translate(%d) is %d, want -1", pe, got)
		}
	}
	for i, v := range must1(a.Local())(t) {
		if v != 0 {
			t.Errorf("a refused call has written %d to element %d", v, i)
		}
	}
	freeAll(t, a, b, sig)
}

// badZero uses the zero values of Array and Signal in every place.
func badZero(t testing.TB, w *shmem.World) {
	a, b, sig := twoArrays(t, w)
	var zero shmem.Array[int64]
	var none shmem.Signal
	array := wrong{is: shmem.ErrArgument, text: "the zero value has no memory: use Alloc or AllocSignal", pe: -1}
	for _, u := range slices.Concat(peerUses(), atomicUses()) {
		array.op, array.peer = u.op, 0
		array.checkLoose(t, w, u.do(zero, b, sig, 0))
	}
	for _, u := range slices.Concat(localUses(), severalUses(shmem.EQ)) {
		array.op, array.peer = u.op, -1
		array.check(t, u.do(zero, b, sig, 0))
	}
	for _, u := range slices.Concat(signalUses(), localSignalUses()) {
		err := u.do(a, b, none, 0)
		wrong{is: shmem.ErrArgument, op: u.op, peer: peerOf(err), text: "the zero value has no memory", pe: -1}.check(t, err)
	}
	for _, u := range peerUses() {
		x := wrong{is: shmem.ErrArgument, op: u.op, peer: 0, text: "the zero value has no memory", pe: w.MyPE()}
		if takesSource(u) {
			x.checkLoose(t, w, u.do(a, zero, sig, 0))
		}
		if takesSignal(u) {
			x.checkLoose(t, w, u.do(a, b, none, 0))
		}
	}
	free := wrong{is: shmem.ErrArgument, op: "free", peer: -1, text: "the zero value has no memory", pe: -1}
	free.check(t, zero.Free(t.Context()))
	free.check(t, none.Free(t.Context()))
	if zero.World() != nil || zero.Len() != 0 {
		t.Error("the zero Array has a world or elements")
	}
	freeAll(t, a, b, sig)
}

// checkLoose is check for errors that know their world only by one of two arrays.
func (x wrong) checkLoose(t testing.TB, w *shmem.World, err error) {
	t.Helper()
	x.pe = -1
	if e, ok := err.(*shmem.Error); ok && e.PE >= 0 {
		x.pe = w.MyPE()
	}
	x.check(t, err)
}

// peerOf is the Peer of an error; a table says elsewhere whether it is right.
func peerOf(err error) int {
	if e, ok := err.(*shmem.Error); ok {
		return e.Peer
	}
	return -1
}

// takesSource says whether a use reads a second Array.
func takesSource(u use) bool {
	return slices.Contains([]string{"put", "put nbi", "get", "get nbi", "put signal", "put signal nbi"}, u.op)
}

// takesSignal says whether a use has a signal besides its arrays.
func takesSignal(u use) bool {
	return slices.Contains([]string{"put signal", "put signal nbi", "put slice signal"}, u.op)
}

// badFreed uses freed arrays and signals in every place.
func badFreed(t testing.TB, w *shmem.World) {
	a, b, sig := twoArrays(t, w)
	gone := must1(shmem.Alloc[int64](t.Context(), w, 8))(t)
	part := must1(gone.Slice(2, 2))(t)
	late := must1(shmem.AllocSignal(t.Context(), w))(t)
	must(t, part.Free(t.Context())) // a part frees the whole
	must(t, late.Free(t.Context()))
	text := "the array was freed at badinput_array_test.go:"
	for _, u := range slices.Concat(peerUses(), atomicUses()) {
		x := wrong{is: shmem.ErrFreed, op: u.op, peer: 0, text: text}.in(w)
		x.check(t, u.do(gone, b, sig, 0))
		x.check(t, u.do(part, must1(b.Slice(0, 0))(t), sig, 0))
		if takesSource(u) {
			x.check(t, u.do(a, gone, sig, 0))
		}
		if takesSignal(u) {
			x.check(t, u.do(a, b, late, 0))
		}
	}
	for _, u := range slices.Concat(localUses(), severalUses(shmem.EQ)) {
		x := wrong{is: shmem.ErrFreed, op: u.op, peer: -1, text: text}.in(w)
		x.check(t, u.do(gone, b, sig, 0))
		x.check(t, u.do(part, b, sig, 0))
	}
	for _, u := range slices.Concat(signalUses(), localSignalUses()) {
		err := u.do(a, b, late, 0)
		wrong{is: shmem.ErrFreed, op: u.op, peer: peerOf(err), text: text}.in(w).check(t, err)
	}
	freeAll(t, a, b, sig)
}

// badForeign mixes arrays and signals of two worlds.
func badForeign(t testing.TB, w *shmem.World) {
	a, b, sig := twoArrays(t, w)
	err := shmem.RunLocal(t.Context(), 1, badOptions(), func(ctx context.Context, other *shmem.World) error {
		c, d, strange := twoArrays(t, other)
		for _, u := range peerUses() {
			x := wrong{is: shmem.ErrForeign, op: u.op, peer: 0, text: "world"}
			if takesSource(u) {
				x.checkEither(t, u.do(a, d, sig, 0), w, other)
				x.checkEither(t, u.do(c, b, strange, 0), w, other)
			}
			if takesSignal(u) {
				x.checkEither(t, u.do(a, b, strange, 0), w, other)
			}
		}
		for _, v := range slices.Concat(must1(a.Local())(t), must1(c.Local())(t)) {
			if v != 0 {
				t.Errorf("a refused call has written %d", v)
			}
		}
		return nil
	})
	must(t, err)
	freeAll(t, a, b, sig)
}

// checkEither is check for errors that may belong to either of two worlds.
func (x wrong) checkEither(t testing.TB, err error, worlds ...*shmem.World) {
	t.Helper()
	x.pe = worlds[0].MyPE()
	if e, ok := err.(*shmem.Error); ok && e.PE != x.pe {
		x.pe = worlds[1].MyPE()
	}
	x.check(t, err)
}

// badBounds indexes and slices beyond the ends.
func badBounds(t testing.TB, w *shmem.World) {
	a, b, sig := twoArrays(t, w)
	none, words := must1(a.Slice(8, 8))(t), must1(shmem.Alloc[uint64](t.Context(), w, 8))(t)
	for _, i := range []int{-1, 8, 9, 1 << 40, math.MaxInt, math.MinInt} {
		for _, c := range indexed() {
			x := wrong{is: shmem.ErrBounds, op: c.op, peer: c.peer, text: fmt.Sprintf("element %d of an array of 8", i)}.in(w)
			x.check(t, c.do(a, i))
			x.text = fmt.Sprintf("element %d of an array of 0", i)
			x.check(t, c.do(none, i))
		}
		_, err := shmem.SignalAt(words, i)
		wrong{is: shmem.ErrBounds, op: "signal at", peer: -1, text: fmt.Sprintf("element %d of an array of 8", i)}.in(w).check(t, err)
	}
	for _, r := range [][2]int{{-1, 3}, {0, 9}, {5, 4}, {9, 9}, {math.MinInt, math.MaxInt}, {math.MaxInt, math.MaxInt}, {0, math.MaxInt}} {
		_, err := a.Slice(r[0], r[1])
		wrong{is: shmem.ErrBounds, op: "slice", peer: -1, text: fmt.Sprintf("[%d:%d] of an array of 8 elements", r[0], r[1])}.in(w).check(t, err)
	}
	if part := must1(a.Slice(2, 5))(t); second(part.Slice(0, 4)) == nil || second(part.At(3)) == nil {
		t.Error("a slice reaches beyond its end")
	}
	must(t, words.Free(t.Context()))
	freeAll(t, a, b, sig)
}

// indexedUse is a call that takes an element number.
type indexedUse struct {
	op   string
	peer int
	do   func(a shmem.Array[int64], i int) error
}

func indexed() []indexedUse {
	type A = shmem.Array[int64]
	ctx := context.Background()
	return []indexedUse{
		{"at", -1, func(a A, i int) error { return second(a.At(i)) }},
		{"set", -1, func(a A, i int) error { return a.Set(i, 1) }},
		{"p", 0, func(a A, i int) error { return a.P(i, 1, 0) }},
		{"g", 0, func(a A, i int) error { return second(a.G(i, 0)) }},
		{"test", -1, func(a A, i int) error { return second(shmem.Test(a, i, shmem.EQ, 0)) }},
		{"wait until", -1, func(a A, i int) error { return shmem.WaitUntil(ctx, a, i, shmem.EQ, 0) }},
		{"atomic fetch", 0, func(a A, i int) error { return second(shmem.AtomicFetch(a, i, 0)) }},
		{"atomic set", 0, func(a A, i int) error { return shmem.AtomicSet(a, i, 1, 0) }},
		{"atomic swap", 0, func(a A, i int) error { return second(shmem.AtomicSwap(a, i, 1, 0)) }},
		{"atomic compare swap", 0, func(a A, i int) error { return second(shmem.AtomicCompareSwap(a, i, 0, 1, 0)) }},
		{"atomic fetch add", 0, func(a A, i int) error { return second(shmem.AtomicFetchAdd(a, i, 1, 0)) }},
		{"atomic add", 0, func(a A, i int) error { return shmem.AtomicAdd(a, i, 1, 0) }},
		{"atomic fetch inc", 0, func(a A, i int) error { return second(shmem.AtomicFetchInc(a, i, 0)) }},
		{"atomic inc", 0, func(a A, i int) error { return shmem.AtomicInc(a, i, 0) }},
		{"atomic fetch and", 0, func(a A, i int) error { return second(shmem.AtomicFetchAnd(a, i, 1, 0)) }},
		{"atomic fetch or", 0, func(a A, i int) error { return second(shmem.AtomicFetchOr(a, i, 1, 0)) }},
		{"atomic fetch xor", 0, func(a A, i int) error { return second(shmem.AtomicFetchXor(a, i, 1, 0)) }},
		{"atomic and", 0, func(a A, i int) error { return shmem.AtomicAnd(a, i, 1, 0) }},
		{"atomic or", 0, func(a A, i int) error { return shmem.AtomicOr(a, i, 1, 0) }},
		{"atomic xor", 0, func(a A, i int) error { return shmem.AtomicXor(a, i, 1, 0) }},
	}
}

// badLengths gives both sides of a transfer different lengths.
func badLengths(t testing.TB, w *shmem.World) {
	a, b, sig := twoArrays(t, w)
	short, none := must1(b.Slice(0, 7))(t), must1(b.Slice(0, 0))(t)
	for _, u := range peerUses() {
		if !strings.HasPrefix(u.op, "put") && !strings.HasPrefix(u.op, "get") {
			continue
		}
		for _, src := range []shmem.Array[int64]{short, none} {
			dst, from := 8, src.Len()
			if u.op == "get slice" || u.op == "get slice nbi" { // the slice is what is written
				dst, from = from, dst
			}
			x := wrong{is: shmem.ErrLength, op: u.op, peer: 0}.in(w)
			x.text = fmt.Sprintf("the destination has %d elements, the source %d: slice the longer one", dst, from)
			x.check(t, u.do(a, src, sig, 0))
		}
	}
	for _, n := range []int{0, 7, 9} {
		x := wrong{is: shmem.ErrLength, op: "copy to", peer: -1, text: fmt.Sprintf("the destination has %d elements, the source 8", n)}.in(w)
		x.check(t, a.CopyTo(make([]int64, n)))
		x.op, x.text = "copy from", fmt.Sprintf("the destination has 8 elements, the source %d", n)
		x.check(t, a.CopyFrom(make([]int64, n)))
	}
	freeAll(t, a, b, sig)
}

// badOperations passes comparisons and signal operations that do not exist.
func badOperations(t testing.TB, w *shmem.World) {
	a, b, sig := twoArrays(t, w)
	for _, n := range []int{-1, 6, 7, math.MaxInt, math.MinInt} {
		cmp, text := shmem.Cmp(n), fmt.Sprintf("comparison %d: use EQ, NE, GT, GE, LT or LE", n)
		for op, err := range map[string]error{
			"wait until":        shmem.WaitUntil(t.Context(), a, 0, cmp, 0),
			"test":              second(shmem.Test(a, 0, cmp, 0)),
			"signal wait until": second(sig.WaitUntil(t.Context(), cmp, 0)),
			"signal test":       second(sig.Test(cmp, 0)),
		} {
			wrong{is: shmem.ErrArgument, op: op, peer: -1, text: text}.in(w).check(t, err)
		}
		for _, u := range severalUses(cmp) {
			wrong{is: shmem.ErrArgument, op: u.op, peer: -1, text: text}.in(w).check(t, u.do(a, b, sig, 0))
		}
		if got := cmp.String(); got != fmt.Sprintf("Cmp(%d)", n) {
			t.Errorf("Cmp(%d) is called %q", n, got)
		}
	}
	for _, n := range []int{-1, 2, math.MaxInt, math.MinInt} {
		op := shmem.SignalOp(n)
		for name, err := range map[string]error{
			"put signal":       a.PutSignal(b, 0, sig, op, 1),
			"put signal nbi":   a.PutSignalNBI(b, 0, sig, op, 1),
			"put slice signal": a.PutSliceSignal(make([]int64, 8), 0, sig, op, 1),
		} {
			wrong{is: shmem.ErrArgument, op: name, peer: 0, text: fmt.Sprintf("signal operation %d: use SignalSet or SignalAdd", n)}.in(w).check(t, err)
		}
	}
	freeAll(t, a, b, sig)
}

// badAbsent uses what ObjectAt returns with an error in every place.
func badAbsent(t testing.TB, w *shmem.World) {
	a, b, sig := twoArrays(t, w)
	absent, err := shmem.ObjectAt[int64](w, 16, 1)
	const text = "address 0x10 is not in this PE's symmetric heap"
	x := wrong{is: shmem.ErrBounds, op: "object at", peer: -1, text: text}.in(w)
	x.checkLoose(t, w, err)
	for _, u := range slices.Concat(peerUses(), atomicUses()) {
		x.op, x.peer = u.op, 0
		x.checkLoose(t, w, u.do(absent, b, sig, 0))
		if takesSource(u) {
			x.checkLoose(t, w, u.do(a, absent, sig, 0))
		}
	}
	for _, u := range slices.Concat(localUses(), severalUses(shmem.EQ)) {
		x.op, x.peer = u.op, -1
		x.checkLoose(t, w, u.do(absent, b, sig, 0))
	}
	for _, op := range []struct {
		name string
		err  error
	}{{"release", absent.Release()}, {"free", absent.Free(t.Context())}, {"slice", second(absent.Slice(0, 0))}} {
		x.op, x.peer = op.name, -1
		x.checkLoose(t, w, op.err)
	}
	if absent.World() != w || absent.Len() != 0 {
		t.Error("an absent array has another world, or elements")
	}
	freeAll(t, a, b, sig)
}
