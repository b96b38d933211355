// Package shots all-reduces small vectors by kernels that read and store the memory of
// peers, without any library of collectives: a library for examples, which their readers
// can copy.
package shots

import (
	"context"
	_ "embed" // the kernels are a file
	"errors"
	"fmt"
	"math"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
)

//go:embed shots.cu
var source string

// How many blocks a launch has at most: all of them are on the device at the same time,
// since they wait for those of other ranks.
const (
	blocks  = 32
	threads = 512
	vector  = 4 // numbers that a thread takes at once
)

// Reducer adds up vectors of float32 over all ranks of a provider.
type Reducer struct {
	p         provider.Provider
	in, out   gpu.Slice[float32]
	flags     gpu.Slice[uint64]
	peers     *provider.AddressMap // of in; it translates the others
	module    *gpu.Module
	one, two  *gpu.Function
	round     uint64
	symmetric []func(context.Context) error
}

// New makes a reducer for vectors of n numbers, a multiple of 4, on a device. Blocking,
// collective.
func New(ctx context.Context, p provider.Provider, d *gpu.Device, n int) (*Reducer, error) {
	if n < vector || n%vector != 0 {
		return nil, fmt.Errorf("%d numbers: a multiple of %d is needed", n, vector)
	}
	r := &Reducer{p: p}
	var err error
	if r.in, r.peers, err = provider.Zeros[float32](ctx, p, n); err != nil {
		return nil, err
	}
	r.symmetric = append(r.symmetric, func(ctx context.Context) error { return provider.Free(ctx, p, r.in) })
	if r.out, _, err = provider.Zeros[float32](ctx, p, n); err != nil {
		return nil, err
	}
	r.symmetric = append(r.symmetric, func(ctx context.Context) error { return provider.Free(ctx, p, r.out) })
	if r.flags, _, err = provider.Zeros[uint64](ctx, p, blocks*p.NumRanks()); err != nil {
		return nil, err
	}
	r.symmetric = append(r.symmetric, func(ctx context.Context) error { return provider.Free(ctx, p, r.flags) })
	r.module, err = d.Compile(gpu.Program{Name: "shots.cu", Device: source, Headers: provider.Headers(),
		Host: map[string]gpu.HostKernel{"one_shot": oneShot, "two_shot": twoShot}})
	if err != nil {
		return nil, err
	}
	if r.one, err = r.module.Function("one_shot"); err != nil {
		return nil, err
	}
	if r.two, err = r.module.Function("two_shot"); err != nil {
		return nil, err
	}
	return r, p.Barrier(ctx) // all have their memory, and it is zero
}

// In is this rank's vector, and Out where the sums come.
func (r *Reducer) In() gpu.Slice[float32] { return r.in }

// Out is where the sums come.
func (r *Reducer) Out() gpu.Slice[float32] { return r.out }

// OneShot has every rank read all vectors. It is queued on a stream; all ranks call it.
func (r *Reducer) OneShot(s *gpu.Stream) error { return r.launch(r.one, s) }

// TwoShot has every rank add up a share and store it at all. Otherwise as OneShot.
func (r *Reducer) TwoShot(s *gpu.Stream) error { return r.launch(r.two, s) }

func (r *Reducer) launch(f *gpu.Function, s *gpu.Stream) error {
	r.round++
	n := r.in.Len() / vector
	shape := gpu.Grid(n, min(n, threads))
	shape.Grid[0] = min(shape.Grid[0], blocks)
	return f.Launch(s, shape, r.in, r.out, r.flags, uint64(n), r.round, int32(r.p.Rank()), int32(r.p.NumRanks()), r.peers)
}

// Close gives the memory back; what was launched must be done. Blocking, collective.
func (r *Reducer) Close(ctx context.Context) error {
	err := r.module.Close()
	for _, free := range r.symmetric {
		err = errors.Join(err, free(ctx))
	}
	return err
}

// call is the arguments of a kernel in Go.
type call struct {
	block          gpu.Block
	in, out, flags uintptr
	n, round       int
	me, ranks      int
	peers          []int64
}

func argsOf(b gpu.Block) call {
	me, ranks := int(gpu.Arg[int32](b, 5)), int(gpu.Arg[int32](b, 6))
	return call{b, gpu.Arg[uintptr](b, 0), gpu.Arg[uintptr](b, 1), gpu.Arg[uintptr](b, 2), vector * int(gpu.Arg[uint64](b, 3)), int(gpu.Arg[uint64](b, 4)), me, ranks, provider.Peers(b, 7, ranks)}
}

// meet waits until this block of all ranks has come here.
func (c call) meet(round int) {
	mine := c.flags + 8*uintptr(c.block.Index[0]*c.ranks)
	for r := range c.ranks {
		provider.AtomicXchg(mine, c.me, uint64(round), c.me, r, c.peers)
	}
	for r := range c.ranks {
		provider.WaitUntil(mine+8*uintptr(r), uint64(round), math.MaxInt)
	}
}

// each calls f for this block's part of n numbers.
func (c call) each(n int, f func(i int)) {
	part := (n + c.block.Grid[0] - 1) / c.block.Grid[0]
	for i := part * c.block.Index[0]; i < min(n, part*(c.block.Index[0]+1)); i++ {
		f(i)
	}
}

func (c call) sum(i int) (s float32) {
	for r := range c.ranks {
		s += provider.Load[float32](c.in, i, c.me, r, c.peers)
	}
	return s
}

func oneShot(b gpu.Block) {
	c := argsOf(b)
	c.meet(2*c.round - 1)
	c.each(c.n, func(i int) { provider.Store(c.out, i, c.sum(i), c.me, c.me, c.peers) })
	c.meet(2 * c.round)
}

func twoShot(b gpu.Block) {
	c := argsOf(b)
	c.meet(2*c.round - 1)
	share := (c.n + c.ranks - 1) / c.ranks
	first := min(c.n, share*c.me)
	c.each(min(c.n, first+share)-first, func(i int) {
		s := c.sum(first + i)
		for r := range c.ranks {
			provider.Store(c.out, first+i, s, c.me, r, c.peers)
		}
	})
	c.meet(2 * c.round)
}
