package host

import (
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/mem"
)

// TestSignals puts into the next rank's window and waits for what comes from the previous.
func TestSignals(t *testing.T) {
	d := newDriver(t, 3)
	defer closeDriver(t, d)
	each(t, newLibrary(t, patience), d, 3, func(r *rank) {
		src, part := r.memory(noise(ccl.Float32, 100, r.me)), r.memory(make([]byte, 800))
		w, err := r.NewWindow(mem.Address(part), 800, ccl.WindowSymmetric)
		r.must(err)
		next, before := (r.me+1)%3, (r.me+2)%3
		for range 2 {
			r.must(r.PutSignal(mem.Address(src), 100, ccl.Float32, next, w, 400, 0))
			r.must(r.Signal(next, 0))
			r.must(r.WaitSignals([]int{before}, []int{2}, 0))
			r.must(r.wait(0))
			if want := noise(ccl.Float32, 100, before); string(part[400:]) != string(want) {
				t.Errorf("rank %d: %s", r.me, text(ccl.Float32, part[400:], want))
			}
			r.must(r.do(on(ccl.Call{Count: 1, Type: ccl.Int32}, []int32{1}, []int32{0}))) // nobody puts before all have looked
		}
		for _, bad := range []error{
			r.PutSignal(mem.Address(src), 100, ccl.Float32, next, w, 401, 0), r.PutSignal(mem.Address(src), 1, ccl.Float32, 3, w, 0, 0),
			r.PutSignal(mem.Address(src), 1, ccl.Float32, 0, nil, 0, 0), r.Signal(-1, 0), r.WaitSignals([]int{0}, []int{0}, 0), r.WaitSignals([]int{0}, nil, 0),
		} {
			if !is(bad, ccl.ErrInvalidArgument) {
				t.Errorf("rank %d: %v", r.me, bad)
			}
		}
		r.must(w.Close())
		p, err := r.Properties()
		if r.must(err); p.Rank != r.me || p.Size != 3 || !p.HostRMA {
			t.Errorf("properties %+v", p)
		}
		if h, err := r.Register(mem.Address(src), 400); h != 0 || err != nil || r.Deregister(h) != nil || r.Deregister(1) == nil {
			t.Errorf("registration %d (%v)", h, err)
		}
		r.free(src, part)
	})
}

// TestUnequalWindows has parts of several sizes.
func TestUnequalWindows(t *testing.T) {
	d := newDriver(t, 2)
	each(t, newLibrary(t, patience), d, 2, func(r *rank) {
		part := make([]byte, 16)
		_, err := r.NewWindow(mem.Address(part), uintptr(8+r.me), 0)
		if !is(err, ccl.ErrInvalidUsage) || !strings.Contains(err.Error(), "has a part of") {
			t.Errorf("rank %d: %v", r.me, err)
		}
	})
}
