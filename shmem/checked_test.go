package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/shmem"
)

// checkedOptions are badOptions in checked mode.
func checkedOptions() shmem.Options {
	o := badOptions()
	o.Check = shmem.CheckOn
	return o
}

// misusing are checkedOptions for tests that change what is being put, which race mode
// reports as well.
func misusing() shmem.Options {
	o := checkedOptions()
	o.Race = shmem.RaceOff
	return o
}

// checkedWorld runs body on goroutine PEs in checked mode.
func checkedWorld(t *testing.T, n int, o shmem.Options, body func(t *testing.T, ctx context.Context, w *shmem.World)) {
	t.Helper()
	must(t, shmem.RunLocal(t.Context(), n, o, func(ctx context.Context, w *shmem.World) error {
		body(t, ctx, w)
		return nil
	}))
}

// TestCheckedSource: the source of a non-blocking put that changes before the quiet, and
// only then.
func TestCheckedSource(t *testing.T) {
	checkedWorld(t, 2, misusing(), func(t *testing.T, ctx context.Context, w *shmem.World) {
		a, b, sig := twoArrays(t, w)
		c := must1(w.NewContext(shmem.ContextOptions{}))(t)
		v := must1(a.Via(c))(t)
		slice, other := make([]int64, 8), 1-w.MyPE()
		quiets := map[string]func(context.Context) error{"quiet": w.Quiet, "context quiet": c.Quiet}
		for op, puts := range map[string][]func() error{
			"quiet": {
				func() error { return a.PutNBI(b, other) },
				func() error { return a.PutSliceNBI(slice, other) },
				func() error { return a.PutSignalNBI(b, other, sig, shmem.SignalAdd, 1) },
			},
			"context quiet": {func() error { return v.PutNBI(b, other) }},
		} {
			for _, put := range puts {
				must(t, put())
				must(t, quiets[op](ctx))
				must(t, b.Fill(1)) // after the quiet it may
				clear(slice)
				must(t, put())
				must(t, b.Set(7, 99))
				slice[3] = 5
				line := here(1)
				err := quiets[op](ctx)
				wrong{is: shmem.ErrMisuse, op: op, peer: -1, text: "the source of the non-blocking put at checked_test.go:"}.in(w).check(t, err)
				wrong{is: shmem.ErrMisuse, op: op, peer: -1, text: "was changed before this quiet (" + line + ")"}.in(w).check(t, err)
				must(t, quiets[op](ctx)) // told once
			}
		}
		must(t, c.Destroy(ctx))
		must(t, a.PutNBI(b, other))
		must(t, a.Put(b, other)) // a blocking put and a fence promise nothing about it
		must(t, w.Fence())
		freeAll(t, a, b, sig)
	})
}

// TestCheckedBarrier: a barrier that finds a misuse on one PE ends on all.
func TestCheckedBarrier(t *testing.T) {
	var others sync.WaitGroup
	others.Add(2)
	err := shmem.RunLocal(t.Context(), 3, misusing(), func(ctx context.Context, w *shmem.World) error {
		a, b, _ := twoArrays(t, w)
		if w.MyPE() != 1 {
			err := w.Barrier(ctx)
			others.Done()
			others.Wait() // a PE that fails would be named for that
			wrong{is: shmem.ErrMismatch, op: "barrier", peer: -1, text: "PE 1 gave this team up: the source of the non-blocking put at checked_test.go:"}.in(w).check(t, err)
			return err
		}
		must(t, a.PutNBI(b, 0))
		must(t, b.Set(0, 1))
		err := w.Barrier(ctx)
		wrong{is: shmem.ErrMisuse, op: "barrier", peer: -1, text: "was changed before this quiet"}.in(w).check(t, err)
		others.Wait()
		return err
	})
	if !errors.Is(err, shmem.ErrMisuse) {
		t.Errorf("the world ended with %v", err)
	}
}

// TestCheckedQuiets has goroutines change their sources as soon as their own quiet has
// ended, while those of the others go on: nobody is accused.
func TestCheckedQuiets(t *testing.T) {
	checkedWorld(t, 2, checkedOptions(), func(t *testing.T, ctx context.Context, w *shmem.World) {
		a := must1(shmem.Alloc[int64](ctx, w, 4*512))(t)
		var wg sync.WaitGroup
		for i := range 4 {
			mine := must1(a.Slice(i*512, i*512+512))(t)
			wg.Go(func() {
				src := make([]int64, 512)
				for round := range 300 {
					err := mine.PutSliceNBI(src, 1-w.MyPE())
					if err == nil {
						err = w.Quiet(ctx)
					}
					if err != nil {
						t.Error(err)
						return
					}
					src[round] = 1
				}
			})
		}
		wg.Wait()
		must(t, a.Free(ctx))
	})
}

// TestQuietOfOther has one goroutine's quiet complete what another has issued, who changes
// its source after a quiet of its own. The race detector hears nothing of them but the quiets.
func TestQuietOfOther(t *testing.T) {
	checkedWorld(t, 2, badOptions(), func(t *testing.T, ctx context.Context, w *shmem.World) {
		a := must1(shmem.Alloc[int64](ctx, w, 8))(t)
		src := make([]int64, 8)
		issued, completed := make(chan struct{}), make(chan error)
		go func() {
			mem.Untrack()
			<-issued
			mem.Track()
			err := w.Quiet(ctx)
			mem.Untrack()
			completed <- err
		}()
		must(t, a.PutSliceNBI(src, 1-w.MyPE()))
		mem.Untrack()
		close(issued)
		err := <-completed
		mem.Track()
		must(t, err)
		must(t, w.Quiet(ctx))
		src[0] = 1
		must(t, a.Free(ctx))
	})
}

// TestCheckedTransfers: what no put or get may do.
func TestCheckedTransfers(t *testing.T) {
	checkedWorld(t, 2, checkedOptions(), func(t *testing.T, ctx context.Context, w *shmem.World) {
		a, b, sig := twoArrays(t, w)
		me, other := w.MyPE(), 1-w.MyPE()
		low, high := must1(a.Slice(0, 5))(t), must1(a.Slice(3, 8))(t)
		words := must1(shmem.Alloc[uint64](ctx, w, 8))(t)
		inside := must1(shmem.SignalAt(words, 3))(t)
		for text, err := range map[string]error{
			"put: source and target overlap in part":                             high.Put(low, me),
			"get: source and target overlap in part":                             low.Get(high, me),
			"get nbi: source and target overlap in part":                         low.GetNBI(high, me),
			"put signal: the signal lies inside the data that it announces":      words.PutSignal(words, other, inside, shmem.SignalSet, 1),
			"put slice signal: the signal lies inside the data that it announce": words.PutSliceSignal(make([]uint64, 8), other, inside, shmem.SignalSet, 1),
		} {
			checkMisuse(t, err, text)
		}
		must(t, w.Barrier(ctx))
		if me == 0 { // the same lines of both PEs at once would be a race
			must(t, low.Put(low, me)) // the same place changes nothing
			must(t, w.Quiet(ctx))
			must(t, high.Put(low, other))
			must(t, must1(words.Slice(4, 8))(t).PutSignal(must1(words.Slice(4, 8))(t), other, inside, shmem.SignalSet, 1))
			must(t, w.Quiet(ctx))
			line := here(1)
			must(t, b.GetNBI(a, other))
			for op, err := range map[string]error{"put": a.Put(b, other), "put nbi": a.PutNBI(must1(b.Slice(0, 8))(t), other), "put signal": a.PutSignal(b, other, sig, shmem.SignalAdd, 1)} {
				checkMisuse(t, err, op+": the source is what the non-blocking get at "+line+" brings: it is there after a quiet")
			}
			must(t, words.P(0, 1, other))
			must(t, w.Quiet(ctx))
			must(t, a.Put(b, other))
		}
		must(t, words.Free(ctx))
		freeAll(t, a, b, sig)
	})
}

// checkMisuse holds err to being a misuse with this text.
func checkMisuse(t *testing.T, err error, text string) {
	t.Helper()
	op, rest, _ := strings.Cut(text, ": ")
	e, ok := err.(*shmem.Error)
	if !ok {
		t.Errorf("%s: %v is no *shmem.Error", text, err)
		return
	}
	wrong{is: shmem.ErrMisuse, op: op, peer: e.Peer, pe: e.PE, text: rest}.check(t, err)
	if e.Site == "" {
		t.Errorf("%v: has no line", err)
	}
}

// slowLane is a lane whose puts wait.
type slowLane struct {
	engine.Lane
	inside, leave chan struct{}
}

func (l slowLane) Put(int, engine.Offset, unsafe.Pointer, uintptr) error {
	l.inside <- struct{}{}
	<-l.leave
	return nil
}

type slowHeap struct {
	engine.Heap
	lane slowLane
}

func (h slowHeap) NewLane() engine.Lane {
	h.lane.Lane = h.Heap
	return h.lane
}

// TestCheckedContexts: a serialized context is for one goroutine at a time, a private one
// for one only.
func TestCheckedContexts(t *testing.T) {
	lane := slowLane{inside: make(chan struct{}), leave: make(chan struct{})}
	o := shmem.WithHeap(checkedOptions(), func(h engine.Heap) engine.Heap { return slowHeap{h, lane} })
	checkedWorld(t, 1, o, func(t *testing.T, ctx context.Context, w *shmem.World) {
		a := must1(shmem.Alloc[int64](ctx, w, 1))(t)
		for _, serialized := range []bool{true, false} {
			c := must1(w.NewContext(shmem.ContextOptions{Serialized: serialized}))(t)
			v := must1(a.Via(c))(t)
			first := make(chan error)
			go func() { first <- v.P(0, 1, 0) }()
			<-lane.inside
			errs := map[string]error{"atomic fetch": second(shmem.AtomicFetch(v, 0, 0)), "g": second(v.G(0, 0)), "context fence": c.Fence(), "context quiet": c.Quiet(ctx)}
			for op, err := range errs {
				if serialized {
					checkMisuse(t, err, op+": two goroutines use a serialized or private context at the same time")
				} else {
					must(t, err)
				}
			}
			must(t, w.Quiet(ctx)) // not through the context
			lane.leave <- struct{}{}
			must(t, <-first)
			must(t, c.Quiet(ctx))
			must(t, c.Destroy(ctx))
		}
		private := must1(w.NewContext(shmem.ContextOptions{Private: true}))(t)
		v := must1(a.Via(private))(t)
		must(t, shmem.AtomicInc(v, 0, 0))
		done := make(chan error)
		go func() { done <- shmem.AtomicInc(v, 0, 0) }()
		checkMisuse(t, <-done, "atomic inc: another goroutine uses a private context than the one that made it")
		must(t, private.Quiet(ctx))
		must(t, a.Free(ctx)) // completes all contexts, whose ever they are
		must(t, private.Destroy(ctx))
	})
}

// TestCheckedFreed: a store to a freed array, through a slice that was kept, is found
// when the memory is allocated again, by all PEs.
func TestCheckedFreed(t *testing.T) {
	checkedWorld(t, 3, checkedOptions(), func(t *testing.T, ctx context.Context, w *shmem.World) {
		line := here(1)
		a := must1(shmem.Alloc[byte](ctx, w, 5000))(t)
		kept := must1(a.Local())(t)
		freed := here(1)
		must(t, a.Free(ctx))
		if w.MyPE() == 1 {
			kept[4200] = 1
		}
		must(t, w.Sync(ctx))
		err := second(shmem.Alloc[uint64](ctx, w, 1000))
		text := "somebody has written to byte 4200 of an array of PE 1 after it was freed at " + freed + " (allocated in alloc #1, " + line + "): through a slice from Local or Peer"
		if w.MyPE() == 1 {
			checkMisuse(t, err, "alloc: "+text)
		} else {
			wrong{is: shmem.ErrMismatch, op: "alloc", peer: -1, text: "PE 1 refused alloc #2"}.in(w).check(t, err)
			wrong{is: shmem.ErrMismatch, op: "alloc", peer: -1, text: text}.in(w).check(t, err)
		}
		must(t, w.Barrier(ctx))
		b := must1(shmem.Alloc[uint64](ctx, w, 1000))(t) // it is zero again
		for i, v := range must1(b.Local())(t) {
			if v != 0 {
				t.Fatalf("element %d is %d", i, v)
			}
		}
		own := must1(b.Local())(t)
		beyond := unsafe.Slice(&own[0], 1009)
		beyond[1008] = 1 // nobody's memory
		err = second(shmem.Alloc[uint64](ctx, w, 1000))
		checkMisuse(t, err, fmt.Sprintf("alloc: somebody has written to free memory of PE %d, at offset 8064 of its symmetric heap", w.MyPE()))
		must(t, b.Free(ctx))
	})
}
