package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/weak"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// badOptions make a hang a quick failure.
func badOptions() shmem.Options {
	return shmem.Options{HeapSize: 1 << 20, Timeout: 5 * time.Second, Check: shmem.CheckOff}
}

// badTables are the bodies that leave their world usable: they all run one after
// the other on the same world, and each is a collective that needs the others.
func badTables() []struct {
	name string
	body shmemtest.Body
} {
	return []struct {
		name string
		body shmemtest.Body
	}{
		{"PE out of range", badPE},
		{"zero values", badZero},
		{"what ObjectAt did not find", badAbsent},
		{"freed", badFreed},
		{"foreign", badForeign},
		{"bounds", badBounds},
		{"lengths", badLengths},
		{"masks and values of several elements", badSeveral},
		{"comparisons and signal operations", badOperations},
		{"tensors", badTensors},
		{"locks", badLocks},
		{"a lock is held when it is freed", badLockFree},
		{"sizes", badSizes},
		{"alignments", badAlignments},
		{"element types", badTypes},
		{"heap exhausted", badExhausted},
		{"free twice", badFreeTwice},
		{"alloc disagrees", badAllocDiffers},
		{"free disagrees", badFreeDiffers},
		{"one PE is refused", badAllocRefusedOnOne},
		{"split arguments", badSplit},
		{"split refused on one PE", badSplitOnOne},
		{"split disagrees", badSplitDiffers},
		{"out of teams", badTooManyTeams},
		{"nil team", badNilTeam},
		{"destroyed team", badDestroyed},
		{"collectives of no team", badNilTeamCollectives},
		{"nil world and context", badNil},
		{"concurrent collectives", badConcurrent},
		{"closed world", badClosed}, // last: it finalizes
	}
}

// TestBadInputGoroutines runs every table on goroutine PEs, over the host engine
// and over one that reaches no peer by load and store.
func TestBadInputGoroutines(t *testing.T) {
	weaker := shmem.WithHeap(badOptions(), func(h engine.Heap) engine.Heap { return weak.Wrap(h, 1) })
	for _, n := range []int{1, 2, 4} {
		for _, table := range badTables() {
			t.Run(fmt.Sprintf("%s/%d", table.name, n), func(t *testing.T) {
				shmemtest.RunWith(t, n, badOptions(), badUsable(table.body))
				shmemtest.RunWith(t, n, weaker, badUsable(table.body))
			})
		}
	}
}

// TestBadInputProcesses runs all tables on the same worlds of processes.
func TestBadInputProcesses(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		shmemtest.RunProcessesWith(t, n, badOptions(), func(t testing.TB, w *shmem.World) {
			for _, table := range badTables() {
				badUsable(table.body)(t, w)
			}
		})
	}
}

// badUsable runs a table and then uses the world: wrong calls must not have hurt it.
func badUsable(table shmemtest.Body) shmemtest.Body {
	return func(t testing.TB, w *shmem.World) {
		before := w.HeapStats()
		table(t, w)
		if w.Fence() != nil { // the table has closed the world
			return
		}
		if after := w.HeapStats(); after != before {
			t.Errorf("the heap was %+v and is %+v", before, after)
		}
		ring := must1(shmem.Alloc[int64](t.Context(), w, 1))(t)
		must(t, ring.P(0, int64(w.MyPE()+1), (w.MyPE()+1)%w.NPEs()))
		must(t, w.Barrier(t.Context()))
		if got, want := must1(ring.At(0))(t), int64((w.MyPE()+w.NPEs()-1)%w.NPEs()+1); got != want {
			t.Errorf("after the wrong calls PE %d holds %d, want %d", w.MyPE(), got, want)
		}
		must(t, ring.Free(t.Context()))
	}
}

// must ends the PE if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must1 is must for calls that return a value.
func must1[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// wrong is what an error must be.
type wrong struct {
	is   error
	op   string
	peer int    // -1: none
	text string // part of the message
	pe   int    // of the PE that got it, -1: no world was known
}

// in returns the expectation for the errors of a PE of w.
func (x wrong) in(w *shmem.World) wrong {
	x.pe = w.MyPE()
	return x
}

// check fails the test if err is not what x says.
func (x wrong) check(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want %v", x.op, x.is)
		return
	}
	if !errors.Is(err, x.is) {
		t.Errorf("%s: %v: is not %v", x.op, err, x.is)
	}
	var e *shmem.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: %v: no *shmem.Error", x.op, err)
		return
	}
	name := "host"
	if x.pe < 0 {
		name = ""
	}
	if e.Op != x.op || e.PE != x.pe || e.Peer != x.peer || e.Engine != name {
		t.Errorf("%v: has Op %q, PE %d, Peer %d, Engine %q; want %q, %d, %d, %q", err, e.Op, e.PE, e.Peer, e.Engine, x.op, x.pe, x.peer, name)
	}
	if text := err.Error(); !strings.HasPrefix(text, "shmem: "+x.op+": ") || !strings.Contains(text, x.text) || strings.ContainsAny(text, "\n") {
		t.Errorf("%q: want one line, %q and %q", text, "shmem: "+x.op+": ", x.text)
	}
}

// use is a call that takes an array a, perhaps a source, a signal and a PE.
type use struct {
	op  string
	do  func(a, src shmem.Array[int64], sig shmem.Signal, pe int) error
	get bool // a is what is written; the array on the other PE is src
}

// peerUses are the calls that take a PE, but for the atomics.
func peerUses() []use {
	type A = shmem.Array[int64]
	slice := func(n int) []int64 { return make([]int64, n) }
	return []use{
		{op: "put", do: func(a, src A, _ shmem.Signal, pe int) error { return a.Put(src, pe) }},
		{op: "put nbi", do: func(a, src A, _ shmem.Signal, pe int) error { return a.PutNBI(src, pe) }},
		{op: "put slice", do: func(a, src A, _ shmem.Signal, pe int) error { return a.PutSlice(slice(src.Len()), pe) }},
		{op: "put slice nbi", do: func(a, src A, _ shmem.Signal, pe int) error { return a.PutSliceNBI(slice(src.Len()), pe) }},
		{op: "get", get: true, do: func(a, src A, _ shmem.Signal, pe int) error { return a.Get(src, pe) }},
		{op: "get nbi", get: true, do: func(a, src A, _ shmem.Signal, pe int) error { return a.GetNBI(src, pe) }},
		{op: "get slice", do: func(a, src A, _ shmem.Signal, pe int) error { return a.GetSlice(slice(src.Len()), pe) }},
		{op: "get slice nbi", do: func(a, src A, _ shmem.Signal, pe int) error { return a.GetSliceNBI(slice(src.Len()), pe) }},
		{op: "p", do: func(a, _ A, _ shmem.Signal, pe int) error { return a.P(0, 1, pe) }},
		{op: "g", do: func(a, _ A, _ shmem.Signal, pe int) error { return second(a.G(0, pe)) }},
		{op: "peer", do: func(a, _ A, _ shmem.Signal, pe int) error { return second(a.Peer(pe)) }},
		{op: "put signal", do: func(a, src A, sig shmem.Signal, pe int) error { return a.PutSignal(src, pe, sig, shmem.SignalSet, 1) }},
		{op: "put signal nbi", do: func(a, src A, sig shmem.Signal, pe int) error {
			return a.PutSignalNBI(src, pe, sig, shmem.SignalSet, 1)
		}},
		{op: "put slice signal", do: func(a, src A, sig shmem.Signal, pe int) error {
			return a.PutSliceSignal(slice(src.Len()), pe, sig, shmem.SignalSet, 1)
		}},
	}
}

// signalUses are the calls of a signal that take a PE.
func signalUses() []use {
	type A = shmem.Array[int64]
	return []use{
		{op: "signal set", do: func(_, _ A, sig shmem.Signal, pe int) error { return sig.Set(1, pe) }},
		{op: "signal add", do: func(_, _ A, sig shmem.Signal, pe int) error { return sig.Add(1, pe) }},
	}
}

// atomicUses are the atomics, over a type that has them all.
func atomicUses() []use {
	type A = shmem.Array[int64]
	plain := func(op string, f func(A, int, int64, int) error) use {
		return use{op: op, do: func(a, _ A, _ shmem.Signal, pe int) error { return f(a, 0, 1, pe) }}
	}
	fetch := func(op string, f func(A, int, int64, int) (int64, error)) use {
		return use{op: op, do: func(a, _ A, _ shmem.Signal, pe int) error { return second(f(a, 0, 1, pe)) }}
	}
	return []use{
		{op: "atomic fetch", do: func(a, _ A, _ shmem.Signal, pe int) error { return second(shmem.AtomicFetch(a, 0, pe)) }},
		plain("atomic set", shmem.AtomicSet[int64]),
		fetch("atomic swap", shmem.AtomicSwap[int64]),
		{op: "atomic compare swap", do: func(a, _ A, _ shmem.Signal, pe int) error {
			return second(shmem.AtomicCompareSwap(a, 0, 0, 1, pe))
		}},
		fetch("atomic fetch add", shmem.AtomicFetchAdd[int64]),
		plain("atomic add", shmem.AtomicAdd[int64]),
		{op: "atomic fetch inc", do: func(a, _ A, _ shmem.Signal, pe int) error { return second(shmem.AtomicFetchInc(a, 0, pe)) }},
		{op: "atomic inc", do: func(a, _ A, _ shmem.Signal, pe int) error { return shmem.AtomicInc(a, 0, pe) }},
		fetch("atomic fetch and", shmem.AtomicFetchAnd[int64]),
		fetch("atomic fetch or", shmem.AtomicFetchOr[int64]),
		fetch("atomic fetch xor", shmem.AtomicFetchXor[int64]),
		plain("atomic and", shmem.AtomicAnd[int64]),
		plain("atomic or", shmem.AtomicOr[int64]),
		plain("atomic xor", shmem.AtomicXor[int64]),
	}
}

// localUses are the calls on this PE's own copy that do not wait.
func localUses() []use {
	type A = shmem.Array[int64]
	return []use{
		{op: "interchange", do: func(a, _ A, _ shmem.Signal, _ int) error { return second(a.Interchange()) }},
		{op: "local", do: func(a, _ A, _ shmem.Signal, _ int) error { return second(a.Local()) }},
		{op: "at", do: func(a, _ A, _ shmem.Signal, _ int) error { return second(a.At(0)) }},
		{op: "set", do: func(a, _ A, _ shmem.Signal, _ int) error { return a.Set(0, 1) }},
		{op: "fill", do: func(a, _ A, _ shmem.Signal, _ int) error { return a.Fill(1) }},
		{op: "copy to", do: func(a, _ A, _ shmem.Signal, _ int) error { return a.CopyTo(make([]int64, a.Len())) }},
		{op: "copy from", do: func(a, _ A, _ shmem.Signal, _ int) error { return a.CopyFrom(make([]int64, a.Len())) }},
		{op: "slice", do: func(a, _ A, _ shmem.Signal, _ int) error { return second(a.Slice(0, 0)) }},
		{op: "test", do: func(a, _ A, _ shmem.Signal, _ int) error { return second(shmem.Test(a, 0, shmem.EQ, 0)) }},
		{op: "wait until", do: func(a, _ A, _ shmem.Signal, _ int) error {
			return shmem.WaitUntil(context.Background(), a, 0, shmem.GE, math.MinInt64)
		}},
	}
}

// localSignalUses are the calls on this PE's own signal.
func localSignalUses() []use {
	type A = shmem.Array[int64]
	return []use{
		{op: "signal fetch", do: func(_, _ A, sig shmem.Signal, _ int) error { return second(sig.Fetch()) }},
		{op: "signal test", do: func(_, _ A, sig shmem.Signal, _ int) error { return second(sig.Test(shmem.EQ, 0)) }},
		{op: "signal wait until", do: func(_, _ A, sig shmem.Signal, _ int) error {
			return second(sig.WaitUntil(context.Background(), shmem.GE, 0))
		}},
	}
}

// second drops the value of a call.
func second[T any](_ T, err error) error { return err }

// here is a line below the caller's, as error messages write it.
func here(linesBelow int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line+linesBelow)
}
