package host

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/mem"
)

// regular are the kinds whose arguments are all alike.
func regular() []ccl.Kind {
	return []ccl.Kind{ccl.AllReduce, ccl.Broadcast, ccl.Reduce, ccl.AllGather, ccl.ReduceScatter, ccl.AllToAll, ccl.Gather, ccl.Scatter}
}

// check makes a call with random inputs and compares what comes with what should.
func (r *rank) check(call ccl.Call, scale float64) {
	r.t.Helper()
	sends, recvs := lengths(call.Kind, r.size)
	inputs := make([][]byte, r.size)
	for i := range inputs {
		inputs[i] = noise(call.Type, sends*call.Count, i+call.Count)
	}
	size := int(call.Type.Size())
	src, dst := r.memory(inputs[r.me]), r.memory(make([]byte, recvs*call.Count*size))
	call.Send, call.Recv = mem.Address(src), mem.Address(dst)
	if err := r.do(call); err != nil {
		r.t.Errorf("rank %d of %d: %v of %d %v: %v", r.me, r.size, call.Kind, call.Count, call.Type, err)
	}
	want := expected(call, r.me, inputs, scale)
	if want == nil {
		want = make([]byte, len(dst))
	}
	if !bytes.Equal(dst, want) {
		r.t.Errorf("rank %d of %d: %v of %d %v, %v: %s", r.me, r.size, call.Kind, call.Count, call.Type, call.Op, text(call.Type, dst, want))
	}
	if !bytes.Equal(src, inputs[r.me]) {
		r.t.Errorf("rank %d of %d: %v of %d %v has changed its source", r.me, r.size, call.Kind, call.Count, call.Type)
	}
	r.free(src, dst)
}

// sizes are counts of float32 around those at which data goes another way.
func sizes(staged bool) []int {
	list := []int{0, 1, 8, 9, 257, 1025}
	if staged {
		list = append(list, 4096, 4097, 9000)
	}
	return list
}

// both runs a test with memory that others read in place, and with memory that they do not.
func both(t *testing.T, f func(t *testing.T, l *Library, staged bool)) {
	for _, staged := range []bool{false, true} {
		t.Run(map[bool]string{false: "in place", true: "staged"}[staged], func(t *testing.T) {
			l := newLibrary(t, patience)
			l.staged = staged
			f(t, l, staged)
		})
	}
}

func TestCollectives(t *testing.T) {
	both(t, func(t *testing.T, l *Library, staged bool) {
		d := newDriver(t, 8)
		defer closeDriver(t, d)
		for _, n := range []int{1, 2, 3, 8} {
			each(t, l, d, n, func(r *rank) {
				for _, k := range regular() {
					for _, count := range sizes(staged && n < 8) {
						r.check(ccl.Call{Kind: k, Type: ccl.Float32, Count: count, Peer: count % n}, 0)
					}
				}
			})
		}
	})
}

// reductions combines a type with all operations.
func (r *rank) reductions(of ccl.Type, try func(op ccl.Op)) {
	double, err := r.PreMulSum(of, element(of, 2), 0)
	r.must(err)
	for _, op := range []ccl.Op{ccl.Sum, ccl.Prod, ccl.Max, ccl.Min, ccl.Avg, double} {
		if op == ccl.Avg && of == ccl.Int8 || op == ccl.Prod && of.Size() == 1 {
			continue // the reference has neither Go's rounding nor wraps around
		}
		try(op)
	}
	r.must(r.FreeOp(double))
}

// TestManyRanks has all types and operations with numbers of ranks that the other tests
// leave out.
func TestManyRanks(t *testing.T) {
	d := newDriver(t, 8)
	defer closeDriver(t, d)
	for _, n := range []int{1, 4, 5, 6, 7, 8} {
		each(t, newLibrary(t, patience), d, n, func(r *rank) {
			for of := ccl.Int8; of < ccl.Types; of++ {
				r.reductions(of, func(op ccl.Op) {
					r.check(ccl.Call{Kind: ccl.AllReduce, Type: of, Op: op, Count: 3}, 2)
				})
			}
			for _, k := range regular() {
				r.check(ccl.Call{Kind: k, Type: ccl.Int32, Count: 300, Peer: n - 1}, 0)
			}
		})
	}
}

// TestTypes combines all types with all operations.
func TestTypes(t *testing.T) {
	both(t, func(t *testing.T, l *Library, staged bool) {
		d := newDriver(t, 4)
		defer closeDriver(t, d)
		for _, n := range []int{2, 3} {
			each(t, l, d, n, func(r *rank) {
				for of := ccl.Int8; of < ccl.Types; of++ {
					r.reductions(of, func(op ccl.Op) {
						r.check(ccl.Call{Kind: ccl.AllReduce, Type: of, Op: op, Count: 3}, 2)
						r.check(ccl.Call{Kind: ccl.Reduce, Type: of, Op: op, Count: 100, Peer: 1}, 2)
						r.check(ccl.Call{Kind: ccl.ReduceScatter, Type: of, Op: op, Count: 1100}, 2)
					})
				}
			})
		}
	})
}

// TestInPlace has Send or Recv be its part of the other.
func TestInPlace(t *testing.T) {
	both(t, func(t *testing.T, l *Library, staged bool) {
		d := newDriver(t, 3)
		defer closeDriver(t, d)
		each(t, l, d, 3, func(r *rank) {
			for _, k := range regular() {
				for _, count := range []int{3, 500, 20000} {
					if k != ccl.AllToAll {
						r.inPlace(ccl.Call{Kind: k, Type: ccl.Int32, Count: count, Peer: 1})
					}
				}
			}
		})
	})
}

func (r *rank) inPlace(call ccl.Call) {
	sends, recvs := lengths(call.Kind, r.size)
	part := call.Count * int(call.Type.Size())
	inputs := make([][]byte, r.size)
	for i := range inputs {
		inputs[i] = noise(call.Type, sends*call.Count, i+call.Count)
	}
	whole := r.memory(make([]byte, max(sends, recvs)*part))
	call.Send, call.Recv = mem.Address(whole), mem.Address(whole)
	own := uintptr(r.me * part)
	if recvs > sends {
		call.Send += own
		copy(whole[own:], inputs[r.me])
	} else {
		copy(whole, inputs[r.me])
	}
	at := 0
	if sends > recvs {
		call.Recv += own
		at = int(own)
	}
	r.must(r.do(call))
	if want := expected(call, r.me, inputs, 0); want != nil && !bytes.Equal(whole[at:at+len(want)], want) {
		r.t.Errorf("rank %d: %v of %d in place: %s", r.me, call.Kind, call.Count, text(call.Type, whole[at:], want))
	}
	r.free(whole)
}

// TestSlices passes Go memory, some of the ranks that of the device.
func TestSlices(t *testing.T) {
	both(t, func(t *testing.T, l *Library, staged bool) {
		d := newDriver(t, 2)
		each(t, l, d, 2, func(r *rank) {
			src, dst := make([]int64, 3000), make([]int64, 3000)
			for i := range src {
				src[i] = int64(i * (r.me + 1))
			}
			r.must(r.do(on(ccl.Call{Kind: ccl.AllReduce, Type: ccl.Int64, Count: len(src)}, src, dst)))
			for i, x := range dst {
				if x != int64(3*i) {
					t.Fatalf("rank %d: element %d is %d", r.me, i, x)
				}
			}
		})
	})
}

func TestBias(t *testing.T) {
	both(t, func(t *testing.T, l *Library, staged bool) {
		d := newDriver(t, 2)
		each(t, l, d, 2, func(r *rank) {
			for _, count := range []int{2, 10000} {
				src, dst, bias := make([]float32, count), make([]float32, count), make([]float32, count)
				for i := range src {
					src[i], bias[i] = float32(i%100), 0.5
				}
				call := on(ccl.Call{Kind: ccl.AllReduceBias, Type: ccl.Float32, Count: count, Bias: mem.Address(bias)}, src, dst)
				call.Held[2] = unsafe.Pointer(unsafe.SliceData(bias))
				r.must(r.do(call))
				for i, x := range dst {
					if x != float32(2*(i%100))+0.5 {
						t.Fatalf("rank %d: element %d is %v", r.me, i, x)
					}
				}
			}
		})
	})
}

// TestUneven has every rank give every other one another number of elements.
func TestUneven(t *testing.T) {
	both(t, func(t *testing.T, l *Library, staged bool) {
		d := newDriver(t, 3)
		for _, unit := range []int{1, 3000} {
			each(t, l, d, 3, func(r *rank) { r.uneven(unit) })
		}
	})
}

func (r *rank) uneven(unit int) {
	amount := func(from, to int) int { return unit * ((from + 2*to) % 4) }
	value := func(from, to, i int) int32 { return int32(from*1000003 + to*1009 + i) }
	c := &ccl.Counts{}
	var src []int32
	total := 0
	for i := range r.size {
		c.Send, c.SendAt = append(c.Send, amount(r.me, i)), append(c.SendAt, len(src))
		for k := range amount(r.me, i) {
			src = append(src, value(r.me, i, k))
		}
		c.Recv, c.RecvAt = append(c.Recv, amount(i, r.me)), append(c.RecvAt, total)
		total += amount(i, r.me)
	}
	dst := make([]int32, total)
	r.must(r.do(on(ccl.Call{Kind: ccl.AllToAllV, Type: ccl.Int32, Counts: c}, src, dst)))
	for i := range r.size {
		for k := range amount(i, r.me) {
			if got := dst[c.RecvAt[i]+k]; got != value(i, r.me, k) {
				r.t.Fatalf("rank %d: element %d of rank %d is %d", r.me, k, i, got)
			}
		}
	}
}

func ExampleLibrary_Name() {
	l, err := New(meet, patience)
	fmt.Println(l.Name(), err)
	// Output: host <nil>
}
