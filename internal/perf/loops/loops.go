// Package loops is the program of two goroutine PEs that do one thing again and again:
// package perf runs it in each mode of a world.
package loops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// What a PE does. A transfer is one of Bytes bytes; every Slots of them are followed by a
// quiet.
const (
	Put     = "put"
	Get     = "get"
	Atomic  = "fetch-add"
	Signal  = "put with signal, and back"
	Barrier = "put and barrier"

	Bytes = 64
	Slots = 64
)

// Ops are all of them.
func Ops() []string { return []string{Put, Get, Atomic, Signal, Barrier} }

// pe is a PE and what it uses.
type pe struct {
	ctx   context.Context
	w     *shmem.World
	slots []shmem.Array[uint64] // parts of one array
	count shmem.Array[uint64]
	sig   shmem.Signal
	data  []uint64
	base  uint64 // of the signals that were sent before
}

// Run does an operation args[1] times, after a tenth of that as warm-up, and writes the
// nanoseconds that one took. Modes come from the environment. Blocking.
func Run(args []string, out io.Writer) error {
	if len(args) != 2 || !slices.Contains(Ops(), args[0]) {
		return errors.New("loops: want an operation and how often")
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 1 {
		return fmt.Errorf("loops: %q is not a number from 1 on", args[1])
	}
	var took time.Duration
	err = shmem.RunLocal(context.Background(), 2, shmem.Options{HeapSize: 1 << 20}, func(ctx context.Context, w *shmem.World) error {
		p, err := newPE(ctx, w)
		if err != nil {
			return err
		}
		for _, k := range []int{n/10 + 1, n} {
			if err := w.Barrier(ctx); err != nil {
				return err
			}
			start := time.Now()
			if err := p.do(args[0], k); err != nil {
				return err
			}
			if w.MyPE() == 0 {
				took = time.Since(start)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, float64(took)/float64(n))
	return err
}

func newPE(ctx context.Context, w *shmem.World) (p *pe, err error) {
	const words = Bytes / 8
	p = &pe{ctx: ctx, w: w, data: make([]uint64, words)}
	all, err := shmem.Alloc[uint64](ctx, w, Slots*words)
	if err != nil {
		return nil, err
	}
	for i := range Slots {
		slot, err := all.Slice(i*words, (i+1)*words)
		if err != nil {
			return nil, err
		}
		p.slots = append(p.slots, slot)
	}
	if p.count, err = shmem.Alloc[uint64](ctx, w, 1); err != nil {
		return nil, err
	}
	p.sig, err = shmem.AllocSignal(ctx, w)
	return p, err
}

// do does an operation n times. What is not done by both is done by PE 0.
func (p *pe) do(op string, n int) error {
	switch {
	case op == Signal:
		return p.signals(n)
	case op == Barrier:
		return p.barriers(n)
	case p.w.MyPE() != 0:
		return nil
	}
	for i := range n {
		if err := p.one(op, i); err != nil {
			return err
		}
		if i%Slots == Slots-1 {
			if err := p.w.Quiet(p.ctx); err != nil {
				return err
			}
		}
	}
	return p.w.Quiet(p.ctx)
}

func (p *pe) one(op string, i int) error {
	switch op {
	case Put:
		return p.slots[i%Slots].PutSlice(p.data, 1)
	case Get:
		return p.slots[i%Slots].GetSlice(p.data, 1)
	}
	_, err := shmem.AtomicFetchAdd(p.count, 0, 1, 1)
	return err
}

// signals sends to the other PE, which sends back.
func (p *pe) signals(n int) error {
	for i := range uint64(n) {
		for turn := range 2 {
			var err error
			if p.w.MyPE() == turn {
				err = p.slots[0].PutSliceSignal(p.data, 1-turn, p.sig, shmem.SignalSet, p.base+i+1)
			} else {
				_, err = p.sig.WaitUntil(p.ctx, shmem.GE, p.base+i+1)
			}
			if err != nil {
				return err
			}
		}
	}
	p.base += uint64(n)
	return nil
}

// barriers puts and meets the other PE.
func (p *pe) barriers(n int) error {
	for range n {
		if err := p.slots[0].PutSlice(p.data, 1-p.w.MyPE()); err != nil {
			return err
		}
		if err := p.w.Barrier(p.ctx); err != nil {
			return err
		}
	}
	return nil
}
