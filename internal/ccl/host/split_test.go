package host

import (
	"strings"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/internal/ccl"
)

// works has a communicator add up its ranks' numbers.
func (r *rank) works(c ccl.Comm, size int) {
	r.t.Helper()
	n, err := c.Size()
	r.must(err)
	me, err := c.Rank()
	r.must(err)
	if n != size {
		r.t.Errorf("rank %d: it has %d ranks, want %d", r.me, n, size)
	}
	x := []int32{int32(me + 1)}
	sub := &rank{Comm: c.(*Comm), t: r.t, d: r.d, me: r.me, size: n}
	r.must(sub.do(on(ccl.Call{Kind: ccl.AllReduce, Type: ccl.Int32, Count: 1}, x, x)))
	if x[0] != int32(n*(n+1)/2) {
		r.t.Errorf("rank %d: the sum over %d ranks is %d", r.me, n, x[0])
	}
	r.must(c.Destroy())
}

func TestSplit(t *testing.T) {
	d := newDriver(t, 4)
	each(t, newLibrary(t, patience), d, 4, func(r *rank) {
		odd, err := r.Split(r.me%2, -r.me, nil)
		r.must(err)
		if place, _ := odd.Rank(); place != 1-r.me/2 {
			t.Errorf("rank %d is %d of its color", r.me, place)
		}
		r.works(odd, 2)
		color := 7
		if r.me == 3 {
			color = ccl.NoColor
		}
		three, err := r.Split(color, 0, nil)
		r.must(err)
		if r.me < 3 {
			r.works(three, 3)
		} else if three != nil {
			t.Error("a rank without color has a communicator")
		}
	})
}

// TestShrink leaves out a rank that has gone.
func TestShrink(t *testing.T) {
	d := newDriver(t, 3)
	each(t, newLibrary(t, patience), d, 3, func(r *rank) {
		if r.me == 1 {
			return
		}
		r.must(r.Do(r.buffer(ccl.Call{Count: 5000}))) // waits for rank 1
		rest, err := r.Shrink([]int{1}, true, nil)
		r.must(err)
		r.works(rest, 2)
	})
}

// TestRevoke ends what is under way; what is left can be split and shrunk.
func TestRevoke(t *testing.T) {
	d := newDriver(t, 2)
	each(t, newLibrary(t, patience), d, 2, func(r *rank) {
		if r.me == 0 {
			r.must(r.Do(r.buffer(ccl.Call{Count: 5000})))
		}
		r.must(r.Revoke())
		if err := r.Revoke(); !is(err, ccl.ErrInvalidArgument) {
			t.Errorf("twice: %v", err)
		}
		if err := r.Do(r.buffer(ccl.Call{Count: 1})); err == nil {
			t.Error("a revoked communicator works")
		}
		if err := r.Finalize(); err == nil {
			t.Error("a revoked communicator is finalized")
		}
		all, err := r.Split(0, 0, nil)
		r.must(err)
		r.works(all, 2)
		one, err := r.Shrink([]int{1 - r.me}, false, nil)
		r.must(err)
		r.works(one, 1)
	})
}

// TestGrow takes a third rank in, which all but rank 1 know of only as a size.
func TestGrow(t *testing.T) {
	l, d := newLibrary(t, patience), newDriver(t, 3)
	ids := make(chan ccl.ID, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		c, err := l.Init(ccl.Init{Device: ccl.Device{Driver: d, Index: 2}, Rank: 2, Size: 3, IDs: []ccl.ID{<-ids}, Grow: true})
		if err != nil {
			t.Error(err)
			return
		}
		(&rank{Comm: c.(*Comm), t: t, d: d, me: 2}).works(c, 3)
	})
	each(t, l, d, 2, func(r *rank) {
		var id *ccl.ID
		if r.me == 1 {
			made, err := r.GrowID()
			r.must(err)
			id = &made
			ids <- made
		}
		c, err := r.Grow(3, id, nil)
		r.must(err)
		r.works(c, 3)
	})
	wg.Wait()
}

// TestNonBlocking tells by AsyncError when a communicator is there.
func TestNonBlocking(t *testing.T) {
	l, d, no := newLibrary(t, patience), newDriver(t, 2), false
	id, err := l.UniqueID()
	if err != nil {
		t.Fatal(err)
	}
	start := func(i int) *rank {
		c, err := l.Init(ccl.Init{Device: ccl.Device{Driver: d, Index: i}, Rank: i, Size: 2, IDs: []ccl.ID{id}, Config: &ccl.Config{Blocking: &no}})
		if err != nil {
			t.Fatal(err)
		}
		return &rank{Comm: c.(*Comm), t: t, d: d, me: i, size: 2}
	}
	first := start(0)
	if err := first.AsyncError(); !is(err, ccl.ErrInProgress) {
		t.Errorf("alone it is %v", err)
	}
	if err := first.Do(ccl.Call{}); !is(err, ccl.ErrInProgress) {
		t.Errorf("alone it answers %v", err)
	}
	second := start(1)
	ready := func(r *rank) {
		for is(r.AsyncError(), ccl.ErrInProgress) {
			<-r.ready
		}
		r.must(r.AsyncError())
	}
	ready(first)
	ready(second)
	r, err := first.Split(0, 0, nil)
	first.must(err)
	other, err := second.Split(0, 0, nil)
	first.must(err)
	for _, c := range []ccl.Comm{r, other} {
		<-c.(*Comm).ready
	}
	var wg sync.WaitGroup
	wg.Go(func() { second.works(other, 2) })
	first.works(r, 2)
	wg.Wait()
	first.must(first.Finalize())
	first.must(first.Destroy())
	second.must(second.Destroy())
}

// TestAbortInit gives up a communicator whose other rank never comes.
func TestAbortInit(t *testing.T) {
	l, d, no := newLibrary(t, patience), newDriver(t, 1), false
	id, err := l.UniqueID()
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Init(ccl.Init{Device: ccl.Device{Driver: d}, Size: 2, IDs: []ccl.ID{id}, Config: &ccl.Config{Blocking: &no}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Abort(); err != nil {
		t.Error(err)
	}
	if err := c.AsyncError(); err == nil || is(err, ccl.ErrInProgress) {
		t.Errorf("aborted it is %v", err)
	}
}

// TestHundred has many communicators at once.
func TestHundred(t *testing.T) {
	l, d := newLibrary(t, patience), newDriver(t, 2)
	var comms [2][]ccl.Comm
	each(t, l, d, 2, func(r *rank) {
		for range 100 {
			c, err := r.Split(0, r.me, nil)
			if err != nil {
				t.Error(err)
				return
			}
			comms[r.me] = append(comms[r.me], c)
		}
		for _, c := range comms[r.me] {
			r.works(c, 2)
		}
	})
}

// TestForeignID refuses what other libraries and machines have made.
func TestForeignID(t *testing.T) {
	l, d := newLibrary(t, patience), newDriver(t, 1)
	id, err := l.UniqueID()
	if err != nil {
		t.Fatal(err)
	}
	id[whereAt]++
	_, err = l.Init(ccl.Init{Device: ccl.Device{Driver: d}, Size: 1, IDs: []ccl.ID{id}})
	if !is(err, ccl.ErrInvalidUsage) || !strings.Contains(err.Error(), "another machine") {
		t.Errorf("an id of another machine: %v", err)
	}
	if _, err := l.Init(ccl.Init{Device: ccl.Device{Driver: d}, Size: 1, IDs: []ccl.ID{{}}}); !is(err, ccl.ErrInvalidArgument) {
		t.Errorf("no id: %v", err)
	}
}
