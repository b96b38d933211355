package shmem_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/shmem"
)

// local runs f on n goroutine PEs with small heaps and prints what goes wrong.
func local(n int, f func(ctx context.Context, w *shmem.World) error) {
	if err := shmem.RunLocal(context.Background(), n, shmem.Options{HeapSize: 1 << 20}, f); err != nil {
		fmt.Println(err)
	}
}

// Every PE puts its number to the next one.
func ExampleArray() {
	local(4, func(ctx context.Context, w *shmem.World) error {
		a, err := shmem.Alloc[int32](ctx, w, 1)
		if err != nil {
			return err
		}
		if err := a.P(0, int32(w.MyPE()), (w.MyPE()+1)%w.NPEs()); err != nil {
			return err
		}
		if err := w.Barrier(ctx); err != nil {
			return err
		}
		got, err := a.At(0)
		if w.MyPE() == 0 {
			fmt.Println("PE 0 got", got)
		}
		return err
	})
	// Output: PE 0 got 3
}

// A producer and a consumer, without a barrier.
func ExampleSignal() {
	local(2, func(ctx context.Context, w *shmem.World) error {
		data, err := shmem.Alloc[float64](ctx, w, 3)
		if err != nil {
			return err
		}
		full, err := shmem.AllocSignal(ctx, w)
		if err != nil {
			return err
		}
		if w.MyPE() == 0 {
			return data.PutSliceSignal([]float64{1, 2, 3}, 1, full, shmem.SignalSet, 1)
		}
		if _, err := full.WaitUntil(ctx, shmem.GE, 1); err != nil {
			return err
		}
		got, err := data.Local()
		fmt.Println("PE 1 got", got)
		return err
	})
	// Output: PE 1 got [1 2 3]
}

// The even PEs of a world as a team of their own.
func ExampleTeam() {
	local(5, func(ctx context.Context, w *shmem.World) error {
		even, err := w.Team().SplitStrided(ctx, 0, 2, (w.NPEs()+1)/2, shmem.TeamConfig{})
		if err != nil {
			return err
		}
		if even.MyPE() == 2 { // -1 on PEs that are not members
			fmt.Printf("PE %d is PE %d of %d even ones\n", w.MyPE(), even.MyPE(), even.NPEs())
		}
		if err := even.Barrier(ctx); err != nil { // does nothing on the others
			return err
		}
		return even.Destroy(ctx)
	})
	// Output: PE 4 is PE 2 of 3 even ones
}

// A counter on PE 0 that all PEs add to.
func ExampleAtomicFetchAdd() {
	local(4, func(ctx context.Context, w *shmem.World) error {
		counter, err := shmem.Alloc[int64](ctx, w, 1)
		if err != nil {
			return err
		}
		for range 1000 {
			if _, err := shmem.AtomicFetchAdd(counter, 0, 1, 0); err != nil {
				return err
			}
		}
		if err := w.Barrier(ctx); err != nil {
			return err
		}
		total, err := counter.G(0, 0)
		if w.MyPE() == 3 {
			fmt.Println(total)
		}
		return err
	})
	// Output: 4000
}

// A server answers whoever asks, in no particular order, until all have asked.
func ExampleWaitUntilAny() {
	local(4, func(ctx context.Context, w *shmem.World) error {
		asks, err := shmem.Alloc[int64](ctx, w, w.NPEs())
		if err != nil {
			return err
		}
		if w.MyPE() != 0 {
			return asks.P(w.MyPE(), int64(10*w.MyPE()), 0)
		}
		sum := int64(0)
		done := make([]bool, w.NPEs()) // who does not count any more
		done[0] = true
		for range w.NPEs() - 1 {
			from, err := shmem.WaitUntilAny(ctx, asks, done, shmem.NE, 0)
			if err != nil {
				return err
			}
			v, err := asks.At(from)
			if err != nil {
				return err
			}
			sum += v
			done[from] = true
		}
		fmt.Println("PE 0 was asked", sum)
		return nil
	})
	// Output: PE 0 was asked 60
}

// What has no atomic operation, here a largest and a smallest number together, is
// changed under a lock.
func ExampleLock() {
	local(4, func(ctx context.Context, w *shmem.World) error {
		lock, err := shmem.AllocLock(ctx, w)
		if err != nil {
			return err
		}
		bounds, err := shmem.Alloc[float64](ctx, w, 2) // on PE 0
		if err != nil {
			return err
		}
		if err := lock.Set(ctx); err != nil {
			return err
		}
		var b [2]float64
		if err := bounds.GetSlice(b[:], 0); err != nil {
			return err
		}
		mine := float64(w.MyPE()) - 1.5
		b = [2]float64{min(b[0], mine), max(b[1], mine)}
		if err := bounds.PutSlice(b[:], 0); err != nil {
			return err
		}
		if err := lock.Clear(ctx); err != nil { // completes the put
			return err
		}
		if err := w.Barrier(ctx); err != nil {
			return err
		}
		if w.MyPE() == 0 {
			own, err := bounds.Local()
			fmt.Println("from", own[0], "to", own[1])
			return err
		}
		return nil
	})
	// Output: from -1.5 to 1.5
}

// Errors say what to do, and errors.Is finds what they are.
func ExampleError() {
	local(1, func(ctx context.Context, w *shmem.World) error {
		a, err := shmem.Alloc[int64](ctx, w, 8)
		if err != nil {
			return err
		}
		err = a.P(8, 1, 0)
		fmt.Println(err, errors.Is(err, shmem.ErrBounds))
		err = a.P(0, 1, 7)
		fmt.Println(err, errors.Is(err, shmem.ErrPE))
		return nil
	})
	// Output:
	// shmem: p: element 8 of an array of 8 true
	// shmem: p: PE 7 out of range: this world has 1 PE true
}

// A World in a program of its own is made by Main or Init; tests and small programs
// run several PEs as goroutines.
func ExampleRunLocal() {
	err := shmem.RunLocal(context.Background(), 3, shmem.Options{HeapSize: 1 << 20}, func(ctx context.Context, w *shmem.World) error {
		if w.MyPE() == 1 {
			return fmt.Errorf("no more paper")
		}
		return w.Barrier(ctx) // fails on the other PEs too, naming PE 1
	})
	first, _, _ := strings.Cut(err.Error(), "\n")
	fmt.Println(first)
	// Output: PE 1: no more paper
}

// Two PEs hold the left and the right half of a matrix, each with a column for a copy of
// its neighbour's edge. A column is one strided transfer.
func ExampleTensor() {
	local(2, func(ctx context.Context, w *shmem.World) error {
		t, err := shmem.NewTensor[float32](ctx, w, 3, 4)
		if err != nil {
			return err
		}
		if err := t.Fill(float32(w.MyPE() + 1)); err != nil {
			return err
		}
		if err := w.Barrier(ctx); err != nil { // or a put may come before the fill
			return err
		}
		edge, halo := 2, 3 // PE 0: the column before the last, and the last
		if w.MyPE() == 1 {
			edge, halo = 1, 0
		}
		mine, err := t.Index(1, edge)
		if err != nil {
			return err
		}
		theirs, err := t.Index(1, 3-halo) // the halo of the other PE
		if err != nil {
			return err
		}
		if err := theirs.Put(mine, 1-w.MyPE()); err != nil {
			return err
		}
		if err := w.Barrier(ctx); err != nil {
			return err
		}
		row, err := t.Index(0, 1)
		if err != nil {
			return err
		}
		got, err := row.Local()
		if w.MyPE() == 0 {
			fmt.Println(mine)
			fmt.Println(got)
		}
		return err
	})
	// Output:
	// Tensor[float32] of shape [3], strides [4]
	// [1 1 1 2]
}

// Every PE adds up what all have.
func ExampleAllReduce() {
	local(4, func(ctx context.Context, w *shmem.World) error {
		a, err := shmem.Alloc[float32](ctx, w, 2)
		if err != nil {
			return err
		}
		if err := a.CopyFrom([]float32{float32(w.MyPE()), 0.5}); err != nil {
			return err
		}
		if err := shmem.AllReduce(ctx, w.Team(), a, a, shmem.Sum); err != nil { // in place
			return err
		}
		got, err := a.Local()
		if w.MyPE() == 2 {
			fmt.Println(got)
		}
		return err
	})
	// Output: [6 2]
}

// A broadcast that goes on while its PEs do something else.
func ExampleStartBroadcast() {
	local(3, func(ctx context.Context, w *shmem.World) error {
		a, err := shmem.Alloc[int64](ctx, w, 1)
		if err != nil {
			return err
		}
		if err := a.Set(0, int64(10*w.MyPE())); err != nil {
			return err
		}
		h, err := shmem.StartBroadcast(w.Team(), a, a, 1)
		if err != nil {
			return err
		}
		// Compute, but leave a alone.
		if err := h.Wait(ctx); err != nil {
			return err
		}
		got, err := a.At(0)
		if w.MyPE() == 2 {
			fmt.Println(got)
		}
		return err
	})
	// Output: 10
}
