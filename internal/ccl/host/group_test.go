package host

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/mem"
)

// send and recv are calls about Go memory.
func send[T any](of ccl.Type, s []T, peer int) ccl.Call {
	return on(ccl.Call{Kind: ccl.Send, Type: of, Count: len(s), Peer: peer}, s, nil)
}

func recv[T any](of ccl.Type, s []T, peer int) ccl.Call {
	return on(ccl.Call{Kind: ccl.Recv, Type: of, Count: len(s), Peer: peer}, nil, s)
}

// numbers are n different ones for every seed.
func numbers(n, seed int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(seed*100000 + i)
	}
	return s
}

func (r *rank) arrived(got []int32, seed int) {
	r.t.Helper()
	if !slices.Equal(got, numbers(len(got), seed)) {
		r.t.Errorf("rank %d: what came are not the %d numbers of %d", r.me, len(got), seed)
	}
}

// TestExchange has all ranks send to all, themselves included, several messages each.
func TestExchange(t *testing.T) {
	both(t, func(t *testing.T, l *Library, staged bool) {
		d := newDriver(t, 4)
		for _, n := range []int{1, 2, 4} {
			each(t, l, d, n, func(r *rank) {
				runtime.LockOSThread()
				for _, count := range []int{0, 1, 1024, 1025, 8192, 40000} {
					r.toAll(count)
				}
			})
		}
	})
}

func (r *rank) toAll(count int) {
	const messages = 2
	var in [][]int32
	r.must(r.group(func() {
		for m := range messages {
			for i := range r.size {
				to := make([]int32, count)
				in = append(in, to)
				r.must(r.Do(recv(ccl.Int32, to, i)))
				r.must(r.Do(send(ccl.Int32, numbers(count, 100*r.me+10*i+m), i)))
			}
		}
	}))
	r.must(r.wait(0))
	for m := range messages {
		for i := range r.size {
			r.arrived(in[m*r.size+i], 100*i+10*r.me+m)
		}
	}
}

// TestPairAlone sends without a group, once before and once after the other side receives.
func TestPairAlone(t *testing.T) {
	both(t, func(t *testing.T, l *Library, staged bool) {
		d := newDriver(t, 2)
		each(t, l, d, 2, func(r *rank) {
			for _, count := range []int{10, 50000} {
				for round := range 5 {
					if (round+r.me)%2 == 0 {
						r.must(r.do(send(ccl.Int32, numbers(count, round), 1-r.me)))
						continue
					}
					got := make([]int32, count)
					r.must(r.do(recv(ccl.Int32, got, 1-r.me)))
					r.arrived(got, round)
				}
			}
		})
	})
}

// TestGroupMixed has sends, receives and collectives in groups that are not alike on both
// ranks.
func TestGroupMixed(t *testing.T) {
	d := newDriver(t, 2)
	each(t, newLibrary(t, patience), d, 2, func(r *rank) {
		runtime.LockOSThread()
		sum, got := make([]int32, 10), make([]int32, 3000)
		reduce := on(ccl.Call{Kind: ccl.AllReduce, Type: ccl.Int32, Count: 10}, numbers(10, 1), sum)
		r.must(r.group(func() {
			if r.me == 0 {
				r.must(r.group(func() { r.must(r.Do(send(ccl.Int32, numbers(3000, 7), 1))) }))
				return
			}
			r.must(r.Do(reduce))
			r.must(r.Do(recv(ccl.Int32, got, 0)))
			r.must(r.Do(reduce))
		}))
		if r.me == 0 {
			r.must(r.Do(reduce))
			r.must(r.Do(reduce))
		}
		r.must(r.wait(0))
		if sum[3] != 2*numbers(10, 1)[3] {
			t.Errorf("rank %d: the sum is %v", r.me, sum)
		}
		if r.me == 1 {
			r.arrived(got, 7)
		}
	})
}

// TestOneGoroutine has one goroutine drive all ranks of its process, as with many devices.
func TestOneGoroutine(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const n = 3
	l, d := newLibrary(t, patience), newDriver(t, n)
	id, err := l.UniqueID()
	if err != nil {
		t.Fatal(err)
	}
	ranks := make([]*rank, n)
	first := &rank{t: t, Comm: &Comm{l: l}}
	first.must(first.group(func() {
		for i := range ranks {
			c, err := l.Init(ccl.Init{Device: ccl.Device{Driver: d, Index: i}, Rank: i, Size: n, IDs: []ccl.ID{id}})
			first.must(err)
			ranks[i] = &rank{Comm: c.(*Comm), t: t, d: d, me: i, size: n}
			if !is(c.AsyncError(), ccl.ErrInProgress) {
				t.Error("a communicator is ready before the end of its group")
			}
		}
	}))
	results := make([][]float32, n)
	first.must(first.group(func() {
		for i, r := range ranks {
			results[i] = make([]float32, 5000)
			src := make([]float32, 5000)
			src[4999] = float32(i + 1)
			r.must(r.Do(on(ccl.Call{Kind: ccl.AllReduce, Type: ccl.Float32, Count: 5000}, src, results[i])))
		}
	}))
	for i, r := range ranks {
		r.must(r.wait(0))
		if results[i][4999] != 6 {
			t.Errorf("rank %d has %v", i, results[i][4999])
		}
		r.must(r.Destroy())
	}
}

// TestStreams has a group on two streams, of which the second has work before and behind.
func TestStreams(t *testing.T) {
	d := newDriver(t, 2)
	defer closeDriver(t, d)
	each(t, newLibrary(t, patience), d, 2, func(r *rank) {
		runtime.LockOSThread()
		second, err := d.NewStream(r.me, 0)
		r.must(err)
		n := uintptr(8000)
		src, dst, out := r.memory(make([]byte, n)), r.memory(make([]byte, n)), r.memory(make([]byte, n))
		r.must(d.Fill(r.me, ptr(src), 3, 1, n, second))
		r.must(r.group(func() {
			r.must(r.Do(ccl.Call{Kind: ccl.AllReduce, Type: ccl.Uint8, Count: 1, Send: mem.Address(dst), Recv: mem.Address(dst)}))
			r.must(r.Do(ccl.Call{Kind: ccl.AllReduce, Type: ccl.Uint8, Count: int(n), Send: mem.Address(src), Recv: mem.Address(dst), Stream: uintptr(second)}))
		}))
		r.must(d.Copy(r.me, ptr(out), ptr(dst), n, second))
		r.must(r.wait(second))
		if out[0] != 6 || out[n-1] != 6 {
			t.Errorf("rank %d has %d and %d", r.me, out[0], out[n-1])
		}
		r.must(d.DestroyStream(r.me, second))
		r.free(src, dst, out)
	})
}

func ptr(b []byte) device.Ptr { return device.Ptr(mem.Address(b)) }

// TestGraph records collectives and does them twice.
func TestGraph(t *testing.T) {
	d := newDriver(t, 2)
	each(t, newLibrary(t, patience), d, 2, func(r *rank) {
		s, err := d.NewStream(r.me, 0)
		r.must(err)
		sum, got := []int64{1}, make([]int32, 3)
		r.must(d.BeginCapture(r.me, s))
		r.must(r.Do(on(ccl.Call{Kind: ccl.AllReduce, Type: ccl.Int64, Count: 1, Stream: uintptr(s)}, sum, sum)))
		pair := send(ccl.Int32, numbers(3, 5), 1)
		if r.me == 1 {
			pair = recv(ccl.Int32, got, 0)
		}
		pair.Stream = uintptr(s)
		r.must(r.Do(pair))
		g, err := d.EndCapture(r.me, s)
		r.must(err)
		for range 2 {
			r.must(d.LaunchGraph(r.me, g, s))
		}
		r.must(r.wait(s))
		if sum[0] != 4 {
			t.Errorf("rank %d: twice doubled 1 is %d", r.me, sum[0])
		}
		if r.me == 1 {
			r.arrived(got, 5)
		}
		r.must(d.DestroyGraph(r.me, g))
		r.must(d.DestroyStream(r.me, s))
	})
}

// TestSameStream refuses what would wait for itself.
func TestSameStream(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	l, d := newLibrary(t, patience), newDriver(t, 1)
	id, err := l.UniqueID()
	if err != nil {
		t.Fatal(err)
	}
	var comms [2]ccl.Comm
	first := &rank{t: t, Comm: &Comm{l: l}}
	first.must(first.group(func() {
		for i := range comms {
			comms[i], err = l.Init(ccl.Init{Device: ccl.Device{Driver: d}, Rank: i, Size: 2, IDs: []ccl.ID{id}})
			first.must(err)
		}
	}))
	x := []int32{1}
	call := on(ccl.Call{Kind: ccl.Broadcast, Type: ccl.Int32, Count: 1}, x, x)
	first.must(comms[0].Do(&call))
	if err := comms[1].Do(&call); !is(err, ccl.ErrInvalidUsage) || !strings.Contains(err.Error(), "ranks 0 and 1 use the same stream") {
		t.Errorf("two ranks on one stream: %v", err)
	}
	for _, c := range comms {
		first.must(c.Destroy())
	}
}

// TestGroupRefusals are groups that are none.
func TestGroupRefusals(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	l := newLibrary(t, patience)
	if err := l.GroupEnd(); !is(err, ccl.ErrInvalidArgument) {
		t.Errorf("the end of no group: %v", err)
	}
	d := newDriver(t, 1)
	each(t, l, d, 1, func(r *rank) {
		runtime.LockOSThread()
		x, y := []int32{1}, []int32{0}
		r.must(r.l.GroupStart())
		r.must(r.Do(on(ccl.Call{Kind: ccl.AllReduce, Type: ccl.Int32, Count: 1}, x, y)))
		made, err := r.Split(0, 0, nil)
		r.must(err)
		if us, err := l.GroupSimulate(); us >= 0 || err != nil {
			t.Errorf("a simulated group takes %v (%v)", us, err)
		}
		if !is(made.AsyncError(), ccl.ErrInvalidUsage) || r.AsyncError() != nil {
			t.Errorf("after simulation: %v, %v", made.AsyncError(), r.AsyncError())
		}
		r.must(made.Destroy())
		r.must(r.wait(0))
		if y[0] != 0 {
			t.Error("a simulated group has worked")
		}
	})
}
