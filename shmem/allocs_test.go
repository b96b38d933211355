//go:build !race

package shmem_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// TestAllocations: the data path allocates nothing, neither do barriers. The race
// detector allocates for itself.
func TestAllocations(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		shmemtest.RunWith(t, n, badOptions(), countAllocations)
	}
	far := badOptions()
	far.NodeSize = 1
	shmemtest.RunWith(t, 3, far, countMeetings)
	for _, n := range []int{1, 2} {
		shmemtest.RunProcessesWith(t, n, badOptions(), countAllocations)
	}
}

// How often a call is made, and a meeting: if others keep the cores busy each may
// take the time of a scheduler.
const (
	allocRuns = 200
	meetRuns  = 40
)

// countAllocations counts on PE 0 what calls allocate, while the others do nothing,
// and then what meetings allocate on all PEs together.
func countAllocations(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	d := allocData{
		to:     must1(shmem.Alloc[int64](ctx, w, 64))(t),
		from:   must1(shmem.Alloc[int64](ctx, w, 64))(t),
		floats: must1(shmem.Alloc[float64](ctx, w, 1))(t),
		sig:    must1(shmem.AllocSignal(ctx, w))(t),
		lock:   must1(shmem.AllocLock(ctx, w))(t),
		w:      w, peer: w.NPEs() - 1,
	}
	if w.MyPE() == 0 {
		for _, calls := range []map[string]func() error{d.calls(t), d.severalCalls(t), d.lockCalls(t), d.tensorCalls(t)} {
			for name, call := range calls {
				expectNone(t, name, call)
			}
		}
	}
	countMeetings(t, w)
}

// countMeetings counts what meetings and collectives allocate.
func countMeetings(t testing.TB, w *shmem.World) {
	ctx := t.Context()
	must(t, w.Barrier(ctx))
	team := must1(w.Team().SplitStrided(ctx, 0, 1, w.NPEs(), shmem.TeamConfig{}))(t)
	for i, meet := range []func() error{
		func() error { return w.Barrier(ctx) },
		func() error { return w.Sync(ctx) },
		func() error { return team.Barrier(ctx) },
	} {
		expectMeeting(t, w, []string{"barrier", "sync", "team barrier"}[i], meet)
	}
	for _, n := range []int{1, 500, 2000, mostInSlices} { // with slips, over stages, from heaps; slices in chunks
		list := ofSlices(n)
		if n < mostInSlices {
			list = append(list, requests(n)...)
		}
		for _, r := range list {
			x := must1(newWords(ctx, w, team, n*w.NPEs()))(t)
			expectMeeting(t, w, fmt.Sprintf("%s of %d words", r.name, n), func() error { return r.call(ctx, x) })
			must(t, errors.Join(x.src.Free(ctx), x.dst.Free(ctx)))
			for i := range 2 {
				must(t, errors.Join(x.narrow[i].Free(ctx), x.unsigned[i].Free(ctx)))
			}
		}
	}
}

// expectMeeting is expectNone for a call that all PEs make together.
func expectMeeting(t testing.TB, w *shmem.World, name string, meet func() error) {
	t.Helper()
	must(t, meet()) // the first may make what others use again
	must(t, w.Barrier(t.Context()))
	if w.MyPE() != 0 {
		for range attempts * (meetRuns + 1) {
			must(t, meet())
		}
	} else if got := fewest(t, attempts, meetRuns, meet); got != 0 {
		t.Errorf("%s: %v allocations", name, got)
	}
}

// attempts to measure a meeting: a PE that is delayed sleeps, which may allocate.
const attempts = 20

// fewest makes a call in rounds and returns the least allocations per call of a
// round. It never stops early: others make the same number of calls.
func fewest(t testing.TB, rounds, runs int, call func() error) float64 {
	t.Helper()
	least := testing.AllocsPerRun(runs, func() { must(t, call()) })
	for range rounds - 1 {
		least = min(least, testing.AllocsPerRun(runs, func() { must(t, call()) }))
	}
	return least
}

// expectNone fails the test if a call allocates each time. The garbage collector
// and the test's own goroutines may do so now and then.
func expectNone(t testing.TB, name string, call func() error) {
	t.Helper()
	runtime.GC()
	if got := fewest(t, 2, allocRuns, call); got != 0 {
		t.Errorf("%s: %v allocations", name, got)
	}
}

// allocData is what the calls work on.
type allocData struct {
	w        *shmem.World
	to, from shmem.Array[int64]
	floats   shmem.Array[float64]
	sig      shmem.Signal
	lock     *shmem.Lock
	peer     int
}

// calls are those that must not allocate and need no other PE.
func (d allocData) calls(t testing.TB) map[string]func() error {
	ctx, pe := t.Context(), d.peer
	long, short := make([]int64, 64), make([]int64, 1)
	one := must1(d.to.Slice(3, 4))(t)
	oneFrom := must1(d.from.Slice(5, 6))(t)
	return map[string]func() error{
		"put":             func() error { return d.to.Put(d.from, pe) },
		"put 8 bytes":     func() error { return one.Put(oneFrom, pe) },
		"put nbi":         func() error { return d.to.PutNBI(d.from, pe) },
		"put slice":       func() error { return d.to.PutSlice(long, pe) },
		"put slice nbi":   func() error { return d.to.PutSliceNBI(long, pe) },
		"put own array":   func() error { local := [1]int64{7}; return one.PutSlice(local[:], pe) },
		"get":             func() error { return d.to.Get(d.from, pe) },
		"get nbi":         func() error { return d.to.GetNBI(d.from, pe) },
		"get slice":       func() error { return d.from.GetSlice(long, pe) },
		"get slice nbi":   func() error { return d.from.GetSliceNBI(long, pe) },
		"get own array":   func() error { var local [1]int64; return one.GetSlice(local[:], pe) },
		"p":               func() error { return d.to.P(1, 2, pe) },
		"g":               func() error { return second(d.to.G(1, pe)) },
		"at and set":      func() error { v, err := d.to.At(2); _ = d.to.Set(2, v); return err },
		"local":           func() error { return second(d.to.Local()) },
		"peer":            func() error { return second(d.to.Peer(pe)) },
		"slice":           func() error { return second(d.to.Slice(1, 5)) },
		"fill":            func() error { return d.to.Fill(3) },
		"copy to":         func() error { return d.to.CopyTo(long) },
		"copy from":       func() error { return d.to.CopyFrom(long) },
		"atomic fetch":    func() error { return second(shmem.AtomicFetch(d.to, 0, pe)) },
		"atomic set":      func() error { return shmem.AtomicSet(d.to, 0, 1, pe) },
		"atomic swap":     func() error { return second(shmem.AtomicSwap(d.to, 0, 1, pe)) },
		"atomic cswap":    func() error { return second(shmem.AtomicCompareSwap(d.to, 0, 1, 2, pe)) },
		"atomic add":      func() error { return shmem.AtomicAdd(d.to, 0, 1, pe) },
		"atomic fadd":     func() error { return second(shmem.AtomicFetchAdd(d.to, 0, 1, pe)) },
		"atomic float":    func() error { return shmem.AtomicAdd(d.floats, 0, 0.5, pe) },
		"atomic inc":      func() error { return shmem.AtomicInc(d.to, 0, pe) },
		"atomic finc":     func() error { return second(shmem.AtomicFetchInc(d.to, 0, pe)) },
		"atomic and":      func() error { return shmem.AtomicAnd(d.to, 0, 1, pe) },
		"atomic or":       func() error { return shmem.AtomicOr(d.to, 0, 1, pe) },
		"atomic xor":      func() error { return shmem.AtomicXor(d.to, 0, 1, pe) },
		"signal set":      func() error { return d.sig.Set(1, pe) },
		"signal add":      func() error { return d.sig.Add(1, pe) },
		"signal fetch":    func() error { return second(d.sig.Fetch()) },
		"signal test":     func() error { return second(d.sig.Test(shmem.GE, 0)) },
		"signal wait":     func() error { return second(d.sig.WaitUntil(ctx, shmem.GE, 0)) },
		"put signal":      func() error { return d.to.PutSignal(d.from, pe, d.sig, shmem.SignalSet, 1) },
		"put signal nbi":  func() error { return d.to.PutSignalNBI(d.from, pe, d.sig, shmem.SignalAdd, 1) },
		"put slice, sig.": func() error { return one.PutSliceSignal(short, pe, d.sig, shmem.SignalAdd, 1) },
		"test":            func() error { return second(shmem.Test(d.to, 0, shmem.NE, 5)) },
		"wait until":      func() error { return shmem.WaitUntil(ctx, d.to, 0, shmem.GE, -1<<63) },
		"fence":           d.w.Fence,
		"quiet":           func() error { return d.w.Quiet(ctx) },
	}
}

// tensorCalls are those of tensors.
func (d allocData) tensorCalls(t testing.TB) map[string]func() error {
	pe := d.peer
	to, from := must1(shmem.TensorOf(d.to, 4, 4, 4))(t), must1(shmem.TensorOf(d.from, 4, 4, 4))(t)
	column, turned := must1(to.Slice(2, 1, 2))(t), from.Transpose()
	columnFrom := must1(from.Slice(2, 3, 4))(t)
	long := make([]int64, 64)
	return map[string]func() error{
		"tensor put":            func() error { return to.Put(from, pe) },
		"tensor put column":     func() error { return column.Put(columnFrom, pe) },
		"tensor put transposed": func() error { return to.Put(turned, pe) },
		"tensor get":            func() error { return to.Get(turned, pe) },
		"tensor put slice":      func() error { return turned.PutSlice(long, pe) },
		"tensor put own array":  func() error { local := [16]int64{7}; return column.PutSlice(local[:], pe) },
		"tensor get slice":      func() error { return turned.GetSlice(long, pe) },
		"tensor get own array":  func() error { var local [16]int64; return column.GetSlice(local[:], pe) },
		"tensor at and set":     func() error { v, err := turned.At(1, 2, 3); _ = to.Set(v, 3, 2, 1); return err },
		"tensor fill":           func() error { return column.Fill(3) },
		"tensor copy to":        func() error { return turned.CopyTo(long) },
		"tensor copy from":      func() error { return turned.CopyFrom(long) },
		"tensor local":          func() error { return second(to.Local()) },
		"tensor array":          func() error { return second(to.Array()) },
		"tensor of":             func() error { return second(shmem.TensorOf(d.to, 8, -1)) },
		"tensor index":          func() error { return second(to.Index(1, 2)) },
		"tensor slice":          func() error { return second(to.Slice(1, 2, 3)) },
		"tensor step":           func() error { return second(to.Step(1, 2)) },
		"tensor permute":        func() error { return second(to.Permute(1, 2, 0)) },
		"tensor reshape":        func() error { return second(to.Reshape(16, -1)) },
	}
}

// severalCalls look at several elements; those that wait find what they wait for.
func (d allocData) severalCalls(t testing.TB) map[string]func() error {
	ctx, indices, except, least := t.Context(), make([]int, 0, 64), make([]bool, 64), int64(-1<<63)
	vs := make([]int64, 64)
	for i := range vs {
		vs[i] = least
	}
	return map[string]func() error{
		"wait any":         func() error { return second(shmem.WaitUntilAny(ctx, d.to, except, shmem.GE, least)) },
		"wait all":         func() error { return shmem.WaitUntilAll(ctx, d.to, except, shmem.GE, least) },
		"wait some":        func() error { return second(shmem.WaitUntilSome(ctx, d.to, indices, except, shmem.GE, least)) },
		"wait any vector":  func() error { return second(shmem.WaitUntilAnyVector(ctx, d.to, except, shmem.GE, vs)) },
		"wait all vector":  func() error { return shmem.WaitUntilAllVector(ctx, d.to, except, shmem.GE, vs) },
		"wait some vector": func() error { return second(shmem.WaitUntilSomeVector(ctx, d.to, indices, except, shmem.GE, vs)) },
		"test any":         func() error { return second(shmem.TestAny(d.to, except, shmem.NE, 5)) },
		"test all":         func() error { return second(shmem.TestAll(d.to, except, shmem.NE, 5)) },
		"test some":        func() error { return second(shmem.TestSome(d.to, indices, except, shmem.NE, 5)) },
		"test any vector":  func() error { return second(shmem.TestAnyVector(d.to, except, shmem.EQ, vs)) },
		"test all vector":  func() error { return second(shmem.TestAllVector(d.to, except, shmem.EQ, vs)) },
		"test some vector": func() error { return second(shmem.TestSomeVector(d.to, indices, except, shmem.GT, vs)) },
	}
}

// lockCalls find the lock free.
func (d allocData) lockCalls(t testing.TB) map[string]func() error {
	ctx := t.Context()
	return map[string]func() error{
		"lock set, clear":  func() error { return errors.Join(d.lock.Set(ctx), d.lock.Clear(ctx)) },
		"lock test, clear": func() error { return errors.Join(second(d.lock.Test()), d.lock.Clear(ctx)) },
	}
}
