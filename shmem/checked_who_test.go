package shmem_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// soon is a context that ends soon.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// TestCheckedLastWriter: a wait that ends without its value names who wrote there last:
// the number is the world's, whatever the writer called itself and its target.
func TestCheckedLastWriter(t *testing.T) {
	checkedWorld(t, 3, checkedOptions(), func(t *testing.T, ctx context.Context, w *shmem.World) {
		a := must1(shmem.Alloc[uint64](ctx, w, 2))(t)
		team := must1(w.Team().SplitStrided(ctx, 1, 1, 2, shmem.TeamConfig{}))(t)
		v, quiet := a, w.Quiet
		if team != nil {
			c := must1(team.NewContext(shmem.ContextOptions{}))(t)
			v, quiet = must1(a.Via(c))(t), c.Quiet
		}
		low, sig := must1(v.Slice(0, 1))(t), must1(shmem.SignalAt(v, 1))(t)
		for _, write := range []struct {
			what, line string
			do         func() error
		}{
			{"put of 8 bytes", here(0), func() error { return v.P(1, 3, 1) }},
			{"put of 16 bytes", here(0), func() error { return v.PutSlice([]uint64{4, 3}, 1) }},
			{"atomic of 8 bytes", here(0), func() error { return shmem.AtomicSet(v, 1, 3, 1) }},
			{"atomic of 8 bytes", here(0), func() error { return second(shmem.AtomicCompareSwap(v, 1, 3, 3, 1)) }},
			{"atomic of 8 bytes", here(0), func() error { return sig.Set(3, 1) }},
			{"signal of 8 bytes", here(0), func() error { return low.PutSliceSignal([]uint64{4}, 1, sig, shmem.SignalSet, 3) }},
		} {
			if w.MyPE() == 1 {
				must(t, write.do())
				must(t, quiet(ctx))
				must(t, second(shmem.AtomicFetch(v, 1, 1)))               // only looks
				must(t, second(shmem.AtomicCompareSwap(v, 1, 77, 78, 1))) // finds something else
				must(t, low.PutSlice([]uint64{9}, 1))                     // beside it
				must(t, v.P(1, 3, 0))                                     // on another PE
				must(t, quiet(ctx))
			}
			must(t, w.Barrier(ctx))
			if w.MyPE() == 2 {
				text := "for a value == 5, the last value was 3 (last written by PE 1: " + write.what + ", " + write.line + "): timed out"
				wrong{is: shmem.ErrTimeout, op: "signal wait until", peer: -1, text: text}.in(w).check(t, second(sig.WaitUntil(soon(t), shmem.EQ, 5)))
				wrong{is: shmem.ErrTimeout, op: "wait until", peer: -1, text: "element 1: " + text}.in(w).check(t, shmem.WaitUntil(soon(t), v, 1, shmem.EQ, 5))
			}
			must(t, w.Barrier(ctx))
		}
		must(t, a.Free(ctx))
		b := must1(shmem.Alloc[uint64](ctx, w, 2))(t) // in the same place: what was there before is nothing to it
		text := "element 1: for a value == 5, the last value was 0 (in the last 64 operations of any PE nobody has written there): timed out"
		wrong{is: shmem.ErrTimeout, op: "wait until", peer: -1, text: text}.in(w).check(t, shmem.WaitUntil(soon(t), b, 1, shmem.EQ, 5))
		must(t, w.Barrier(ctx))
	})
}

// TestCheckedAbsent: a barrier that times out says what the absent PE has done last, and
// PEs in different calls are told with both lines.
func TestCheckedAbsent(t *testing.T) {
	o := checkedOptions()
	done, released := make(chan struct{}), make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Add(2)
	go func() { waiting.Wait(); close(released) }()
	err := shmem.RunLocal(t.Context(), 3, o, func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[int64](ctx, w, 4))(t)
		must(t, w.Barrier(ctx))
		if w.MyPE() == 1 {
			must(t, a.P(1, 3, 2))
			close(done)
			<-released
			return errBoom
		}
		defer waiting.Done()
		<-done
		err := w.Barrier(soon(t))
		if text := fmt.Sprint(err); !strings.Contains(text, "PE 1 is absent: in no call since barrier #1 (checked_who_test.go:") || !strings.Contains(text, "latest operation: put of 8 bytes for PE 2 (checked_who_test.go:") {
			t.Errorf("PE %d: %v: does not say where PE 1 was", w.MyPE(), err)
		}
		return nil
	})
	if err == nil {
		t.Error("the world ended well")
	}
	barrier, sync := here(4), here(6)
	err = shmem.RunLocal(t.Context(), 3, o, func(ctx context.Context, w *shmem.World) error {
		var err error
		if w.MyPE() == 0 {
			err = w.Barrier(ctx)
		} else {
			err = w.Sync(ctx)
		}
		for _, part := range []string{barrier, sync} {
			if !strings.Contains(fmt.Sprint(err), part) {
				t.Errorf("PE %d: %v: does not say %s", w.MyPE(), err, part)
			}
		}
		return err
	})
	if err == nil {
		t.Error("a barrier has met a sync")
	}
}

// TestCheckedLines: every error of a call names its line, once.
func TestCheckedLines(t *testing.T) {
	checkedWorld(t, 1, checkedOptions(), func(t *testing.T, ctx context.Context, w *shmem.World) {
		a, b, sig := twoArrays(t, w)
		line := here(1)
		exactly(t, a.Put(b, 7), "shmem: put: PE 7 out of range: this world has 1 PE ("+line+")")
		line = here(1)
		exactly(t, second(a.G(8, 0)), "shmem: g: element 8 of an array of 8 ("+line+")")
		line = here(1)
		exactly(t, second(shmem.AtomicFetchInc(a, -1, 0)), "shmem: atomic fetch inc: element -1 of an array of 8 ("+line+")")
		line = here(1)
		exactly(t, sig.Set(1, -1), "shmem: signal set: PE -1 out of range: this world has 1 PE ("+line+")")
		line = here(1)
		exactly(t, second(shmem.Alloc[int](ctx, w, 0)), "shmem: alloc: 0 elements: at least one is needed ("+line+")")
		freed := here(1)
		freeAll(t, a, b, sig)
		line = here(1)
		err := a.P(0, 1, 0)
		if text := fmt.Sprint(err); !strings.HasPrefix(text, "shmem: p: the array was freed at badinput_array_test.go:") || !strings.HasSuffix(text, " ("+line+")") {
			t.Errorf("%q: freed by way of %s, used at %s", text, freed, line)
		}
		if e := err.(*shmem.Error); e.Site != line {
			t.Errorf("the line is %q, want %q", e.Site, line)
		}
	})
}

// TestLeftReport: finalize tells the contexts and teams that are left, and their lines.
func TestLeftReport(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	o := roomy
	o.Logf = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, fmt.Sprintf(format, args...))
	}
	var want []string
	must(t, shmem.RunLocal(t.Context(), 1, o, func(ctx context.Context, w *shmem.World) error {
		line := here(1)
		must(t, second(w.NewContext(shmem.ContextOptions{})))
		want = append(want, "shmem: finalize: context made at "+line+" was not destroyed")
		gone := must1(w.NewContext(shmem.ContextOptions{}))(t)
		must(t, gone.Destroy(ctx))
		line = here(1)
		team := must1(w.Team().SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{}))(t)
		want = append(want, "shmem: finalize: team of 1 PEs made at "+line+" was not destroyed")
		must(t, must1(w.Team().SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{}))(t).Destroy(ctx))
		return team.Sync(ctx)
	}))
	if !slices.Equal(lines, want) {
		t.Errorf("finalize has told %q, want %q", lines, want)
	}
}
