package host

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/device"
)

// outcome is the error of a call on this rank, wherever it comes: at once, from the stream,
// or later from the communicator.
func (r *rank) outcome(call ccl.Call) error {
	if err := r.do(call); err != nil {
		return err
	}
	for until := time.Now().Add(patience); time.Now().Before(until); {
		if err := r.AsyncError(); err != nil {
			return err
		}
		runtime.Gosched()
	}
	return nil
}

// buffer has room for every call of these tests.
func (r *rank) buffer(call ccl.Call) ccl.Call {
	return on(call, make([]float64, 20000), make([]float64, 20000))
}

// TestDisagree has one of three ranks ask for something else: all get a typed error.
func TestDisagree(t *testing.T) {
	base := ccl.Call{Kind: ccl.AllReduce, Type: ccl.Float32, Count: 1}
	for _, c := range []struct {
		name   string
		usual  ccl.Call
		change func(*ccl.Call)
		want   string
	}{
		{"count", base, func(c *ccl.Call) { c.Count = 2 }, "all-reduce of 2 float32, sum"},
		{"large count", base, func(c *ccl.Call) { c.Count = 5000 }, "all-reduce of 5000 float32, sum"},
		{"type", base, func(c *ccl.Call) { c.Type = ccl.Int32 }, "all-reduce of 1 int32, sum"},
		{"op", base, func(c *ccl.Call) { c.Op = ccl.Max }, "all-reduce of 1 float32, maximum"},
		{"kind", base, func(c *ccl.Call) { c.Kind = ccl.AllGather }, "rank 1"},
		{"root", ccl.Call{Kind: ccl.Reduce, Type: ccl.Float32, Count: 5000}, func(c *ccl.Call) { c.Peer = 1 }, "root 1"},
		{"root of what is short", ccl.Call{Kind: ccl.Broadcast, Type: ccl.Float32, Count: 1}, func(c *ccl.Call) { c.Peer = 2 }, "root 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDriver(t, 3)
			each(t, newLibrary(t, patience), d, 3, func(r *rank) {
				call := c.usual
				if r.me == 1 {
					c.change(&call)
				}
				err := r.outcome(r.buffer(call))
				if !is(err, ccl.ErrInvalidUsage) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "PE ") {
					t.Errorf("rank %d: %v, want invalid usage and %q", r.me, err, c.want)
				}
				if again := r.Do(r.buffer(c.usual)); !is(again, ccl.ErrInvalidUsage) {
					t.Errorf("rank %d goes on: %v", r.me, again)
				}
			})
		})
	}
}

// TestDisagreeOnPairs receives something else than what is sent.
func TestDisagreeOnPairs(t *testing.T) {
	for _, count := range []int{10, 5000} {
		d := newDriver(t, 2)
		each(t, newLibrary(t, patience), d, 2, func(r *rank) {
			call := ccl.Call{Kind: ccl.Send, Type: ccl.Int32, Count: count, Peer: 1}
			if r.me == 1 {
				call.Kind, call.Count, call.Peer = ccl.Recv, count+1, 0
			}
			want := fmt.Sprintf("rank 0 sends %d int32 to rank 1, which receives %d int32", count, count+1)
			if err := r.outcome(r.buffer(call)); !is(err, ccl.ErrInvalidUsage) || !strings.Contains(err.Error(), want) {
				t.Errorf("rank %d: %v, want %q", r.me, err, want)
			}
		})
	}
}

// TestDisagreeOnCounts gives another number of elements than is expected.
func TestDisagreeOnCounts(t *testing.T) {
	d := newDriver(t, 2)
	each(t, newLibrary(t, patience), d, 2, func(r *rank) {
		c := &ccl.Counts{Send: []int{1, 1}, SendAt: []int{0, 1}, Recv: []int{1, 1 + r.me}, RecvAt: []int{0, 2}}
		err := r.outcome(r.buffer(ccl.Call{Kind: ccl.AllToAllV, Type: ccl.Int32, Counts: c}))
		if want := "rank 1 sends 1 elements to rank 1, which expects 2"; !is(err, ccl.ErrInvalidUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("rank %d: %v, want %q", r.me, err, want)
		}
	})
}

// TestAbort ends a collective that waits for a rank which does not come.
func TestAbort(t *testing.T) {
	d := newDriver(t, 3)
	each(t, newLibrary(t, patience), d, 3, func(r *rank) {
		s, err := d.NewStream(r.me, 0)
		r.must(err)
		if r.me > 0 {
			call := r.buffer(ccl.Call{Kind: ccl.AllReduce, Type: ccl.Float32, Count: 5000})
			call.Stream = uintptr(s)
			r.must(r.Do(call))
		}
		if r.me < 2 {
			r.must(r.Abort())
		}
		if r.me == 1 {
			r.must(r.wait(s)) // it knows
		}
		if r.me == 2 {
			if err := r.wait(s); !is(err, ccl.ErrRemote) || !strings.Contains(err.Error(), "aborted the communicator") {
				t.Errorf("rank %d: %v", r.me, err)
			}
			r.must(r.wait(s)) // somebody has been told
		}
		if err := r.AsyncError(); err == nil {
			t.Errorf("rank %d has no error", r.me)
		}
		if err := r.Do(r.buffer(ccl.Call{})); err == nil {
			t.Errorf("rank %d goes on", r.me)
		}
		r.must(d.DestroyStream(r.me, s))
	})
}

// until looks until what is wanted is there.
func until(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !there(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Errorf("in vain: %s", what)
			return
		}
	}
}

// TestAlone waits for a rank that does not come, for longer than the communicator's own
// limit, since a stream is given up by whoever waits for it; it can be told who is absent.
func TestAlone(t *testing.T) {
	l, d := newLibrary(t, patience), newDriver(t, 2)
	waited := make(chan struct{})
	each(t, l, d, 2, func(r *rank) {
		if r.me == 1 {
			<-waited
			until(t, "an error of the absent rank", func() bool { return r.AsyncError() != nil })
			if err := r.AsyncError(); !is(err, ccl.ErrRemote) || !strings.Contains(err.Error(), "rank 0 aborted") {
				t.Errorf("the absent one: %v", err)
			}
			return
		}
		r.limit = 10 * time.Millisecond
		s, err := d.NewStream(0, 0)
		r.must(err)
		call := r.buffer(ccl.Call{Count: 1})
		call.Stream = uintptr(s)
		r.must(r.Do(call))
		until(t, "who is absent", func() bool { return strings.Contains(r.Where(), "rank 1 is absent: in no call since init") })
		if err := r.drain("close"); !is(err, ccl.ErrTimeout) || !strings.Contains(err.Error(), "rank 1 is absent") {
			t.Errorf("an end that waits for work: %v", err)
		}
		if err := r.AsyncError(); err != nil {
			t.Errorf("the limit has ended work: %v", err)
		}
		close(waited)
		r.must(r.Abort())
		r.must(d.DestroyStream(0, s))
	})
}

// TestOneStream has two communicators use one stream, in opposite orders, which can only end
// by an abort: of the one that is aborted, and not of the other.
func TestOneStream(t *testing.T) {
	l, d := newLibrary(t, patience), newDriver(t, 2)
	each(t, l, d, 2, func(first *rank) {
		both := func(second *rank) {
			s, err := d.NewStream(first.me, 0)
			first.must(err)
			order := []*rank{first, second}
			if first.me == 1 {
				order = []*rank{second, first}
			}
			for _, r := range order {
				call := r.buffer(ccl.Call{Count: 1, Stream: uintptr(s)})
				r.must(r.Do(call))
			}
			if first.me == 0 {
				first.must(first.Abort())
			}
			err = first.wait(s)
			if first.me == 1 && !is(err, ccl.ErrRemote) {
				t.Errorf("the stream of the other rank: %v", err)
			}
			second.must(second.Failed())
			second.must(second.do(second.buffer(ccl.Call{Count: 1, Stream: uintptr(s)})))
			second.must(second.Failed())
			if first.Failed() == nil {
				t.Errorf("rank %d of what was aborted has no error", first.me)
			}
			first.must(d.DestroyStream(first.me, s))
		}
		c, err := first.Split(0, 0, nil)
		first.must(err)
		if err == nil {
			both(&rank{Comm: c.(*Comm), t: t, d: d, me: first.me, size: 2})
			first.must(c.Destroy())
		}
	})
}

// TestStreamFault has work of a rank dropped behind a fault of its stream: the other learns
// of it.
func TestStreamFault(t *testing.T) {
	d := newDriver(t, 2)
	each(t, newLibrary(t, patience), d, 2, func(r *rank) {
		s, err := d.NewStream(r.me, 0)
		r.must(err)
		if r.me == 0 {
			gate, err := d.Alloc(0, 8)
			r.must(err)
			r.must(d.WriteValue(0, 0, gate, 0))
			r.must(d.WaitValue(0, s, gate, 1, device.CompareEQ))
			r.must(d.Copy(0, s0(64), s0(128), 8, s)) // nothing is there
			call := r.buffer(ccl.Call{Count: 1})
			call.Stream = uintptr(s)
			r.must(r.Do(call))
			r.must(d.WriteValue(0, 0, gate, 1))
			if err := r.wait(s); !is(err, device.ErrFault) {
				t.Errorf("a fault is %v", err)
			}
		}
		if err := r.outcome(r.buffer(ccl.Call{Count: 1})); err == nil {
			t.Errorf("rank %d goes on behind a fault", r.me)
		}
	})
}

// s0 is an address in the first page, where nothing is.
func s0(at int) device.Ptr { return device.Ptr(at) }

// TestRefusals are calls that cannot be right, after which the communicator goes on.
func TestRefusals(t *testing.T) {
	d := newDriver(t, 1)
	each(t, newLibrary(t, patience), d, 1, func(r *rank) {
		for _, c := range []ccl.Call{
			{Kind: ccl.Kinds}, {Type: ccl.NoType}, {Count: -1}, {Kind: ccl.Broadcast, Peer: 1}, {Kind: ccl.Send, Peer: -1},
			{Op: ccl.UserOps}, {Op: -1}, {Kind: ccl.AllToAllV}, {Kind: ccl.AllToAllV, Counts: &ccl.Counts{}},
		} {
			if err := r.Do(c); !is(err, ccl.ErrInvalidArgument) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if err := r.Do(ccl.Call{Stream: 12345}); !is(err, ccl.ErrInvalidUsage) {
			t.Errorf("a stream that is none: %v", err)
		}
		if _, err := r.PreMulSum(ccl.Int32, []byte{1}, 0); !is(err, ccl.ErrInvalidArgument) {
			t.Errorf("a short scalar: %v", err)
		}
		if err := r.FreeOp(ccl.UserOps); !is(err, ccl.ErrInvalidArgument) {
			t.Errorf("no operation: %v", err)
		}
		if _, err := r.Split(-2, 0, nil); !is(err, ccl.ErrInvalidArgument) {
			t.Errorf("color -2: %v", err)
		}
		if _, err := r.Shrink(nil, false, nil); !is(err, ccl.ErrInvalidArgument) {
			t.Errorf("shrink by nobody: %v", err)
		}
		if _, err := r.Grow(1, nil, nil); !is(err, ccl.ErrInvalidArgument) {
			t.Errorf("grow by nobody: %v", err)
		}
		r.must(r.do(r.buffer(ccl.Call{Count: 100})))
		r.must(r.Finalize())
		if err := r.Do(ccl.Call{}); !is(err, ccl.ErrInvalidUsage) {
			t.Errorf("after finalize: %v", err)
		}
	})
}
