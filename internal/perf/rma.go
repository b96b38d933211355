package perf

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/goshmem/goshmem/shmem"
)

// target is where the one-sided operations go: memory of another process, which
// sleeps outside the library meanwhile.
const target = 1

// Limits against an atomic add.
const (
	movesWanted   = 1.0
	atomicsWanted = 2.0
)

// rma is what the one-sided operations work on. Each loop is a function of its
// own over local variables, as in a program, and checks afterwards that the
// operations have happened.
type rma struct {
	dst, src, word shmem.Array[int64]
	sig            shmem.Signal
	slice          []int64
	sum            int64 // of the atomic adds
}

// newRMA allocates the arrays. Collective.
func newRMA(ctx context.Context, w *shmem.World) (*rma, error) {
	r := &rma{slice: make([]int64, 1)}
	for _, a := range []*shmem.Array[int64]{&r.dst, &r.src, &r.word} {
		var err error
		if *a, err = shmem.Alloc[int64](ctx, w, 1); err != nil {
			return nil, err
		}
	}
	var err error
	r.sig, err = shmem.AllocSignal(ctx, w)
	return r, err
}

func (r *rma) benches() []bench {
	add := loop(func(n int) error { return addLoop(&r.sum, n) })
	row := func(name string, wanted float64, f func(n int) error) bench {
		return bench{name: name, ours: loop(f), rivals: against("Go atomic add", add), wanted: wanted, allocs: true}
	}
	return []bench{
		row("put 8 B", movesWanted, func(n int) error { return putLoop(r.dst, r.src, n) }),
		row("put slice 8 B", 0, func(n int) error { return putSliceLoop(r.dst, r.slice, n) }),
		row("P", movesWanted, func(n int) error { return pLoop(r.dst, n) }),
		row("get 8 B", movesWanted, func(n int) error { return getLoop(r.dst, r.src, n) }),
		row("get slice 8 B", 0, func(n int) error { return getSliceLoop(r.dst, r.slice, n) }),
		row("G", movesWanted, func(n int) error { return gLoop(r.dst, n) }),
		row("atomic fetch add", atomicsWanted, func(n int) error { return fetchAddLoop(r.word, n) }),
		row("atomic compare swap", atomicsWanted, func(n int) error { return compareSwapLoop(r.word, n) }),
		row("atomic swap", 0, func(n int) error { return swapLoop(r.word, n) }),
		row("signal set", 0, func(n int) error { return setLoop(r.sig, n) }),
		row("put signal 8 B", 0, func(n int) error { return putSignalLoop(r.dst, r.src, r.sig, n) }),
	}
}

// expect is the check after a loop: a loop that did nothing would be fast.
func expect(what string, got, want int64, err error) error {
	if err == nil && got != want {
		err = fmt.Errorf("%s is %d, must be %d: the measured operation did not happen", what, got, want)
	}
	return err
}

func addLoop(x *int64, n int) error {
	before := atomic.LoadInt64(x)
	for range n {
		atomic.AddInt64(x, 1)
	}
	return expect("the sum", atomic.LoadInt64(x), before+int64(n), nil)
}

func putLoop(dst, src shmem.Array[int64], n int) error {
	if err := src.Set(0, int64(n)); err != nil {
		return err
	}
	for range n {
		if err := dst.Put(src, target); err != nil {
			return err
		}
	}
	got, err := dst.G(0, target)
	return expect("what was put", got, int64(n), err)
}

func putSliceLoop(dst shmem.Array[int64], src []int64, n int) error {
	src[0] = int64(-n)
	for range n {
		if err := dst.PutSlice(src, target); err != nil {
			return err
		}
	}
	got, err := dst.G(0, target)
	return expect("what was put", got, int64(-n), err)
}

func pLoop(dst shmem.Array[int64], n int) error {
	for i := range n {
		if err := dst.P(0, int64(i), target); err != nil {
			return err
		}
	}
	got, err := dst.G(0, target)
	return expect("what was put", got, int64(n-1), err)
}

func getLoop(src, dst shmem.Array[int64], n int) error {
	if err := src.P(0, int64(n), target); err != nil {
		return err
	}
	for range n {
		if err := dst.Get(src, target); err != nil {
			return err
		}
	}
	got, err := dst.At(0)
	return expect("what was got", got, int64(n), err)
}

func getSliceLoop(src shmem.Array[int64], dst []int64, n int) error {
	if err := src.P(0, int64(-n), target); err != nil {
		return err
	}
	for range n {
		if err := src.GetSlice(dst, target); err != nil {
			return err
		}
	}
	return expect("what was got", dst[0], int64(-n), nil)
}

func gLoop(src shmem.Array[int64], n int) error {
	if err := src.P(0, 3, target); err != nil {
		return err
	}
	sum := int64(0)
	for range n {
		v, err := src.G(0, target)
		if err != nil {
			return err
		}
		sum += v
	}
	return expect("the sum of what was got", sum, 3*int64(n), nil)
}

func fetchAddLoop(word shmem.Array[int64], n int) error {
	before, err := word.G(0, target)
	last := before
	for range n {
		if last, err = shmem.AtomicFetchAdd(word, 0, 1, target); err != nil {
			return err
		}
	}
	return expect("the last value but one", last, before+int64(n)-1, err)
}

func compareSwapLoop(word shmem.Array[int64], n int) error {
	if err := word.P(0, 0, target); err != nil {
		return err
	}
	for i := range int64(n) {
		if _, err := shmem.AtomicCompareSwap(word, 0, i, i+1, target); err != nil {
			return err
		}
	}
	got, err := word.G(0, target)
	return expect("the number of swaps", got, int64(n), err)
}

func swapLoop(word shmem.Array[int64], n int) error {
	last := int64(0)
	for i := range int64(n) {
		var err error
		if last, err = shmem.AtomicSwap(word, 0, i, target); err != nil {
			return err
		}
	}
	got, err := word.G(0, target)
	if n > 1 && err == nil {
		err = expect("the value before the last", last, int64(n-2), nil)
	}
	return expect("the last value", got, int64(n-1), err)
}

func setLoop(sig shmem.Signal, n int) error {
	for i := range n {
		if err := sig.Set(uint64(i), target); err != nil {
			return err
		}
	}
	return nil
}

func putSignalLoop(dst, src shmem.Array[int64], sig shmem.Signal, n int) error {
	if err := src.Set(0, int64(n)); err != nil {
		return err
	}
	for i := range n {
		if err := dst.PutSignal(src, target, sig, shmem.SignalSet, uint64(i)); err != nil {
			return err
		}
	}
	got, err := dst.G(0, target)
	return expect("what was put", got, int64(n), err)
}
