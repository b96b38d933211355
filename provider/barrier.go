package provider

import (
	"context"
	_ "embed" // the kernel is a file
	"math"

	"github.com/goshmem/goshmem/gpu"
)

// barrierText is the kernel of a Barrier.
//
//go:embed barrier.cu
var barrierText string

// Barrier is a meeting of all ranks in the order of streams: what kernels and copies of a
// stream have stored before it, on any rank, can be loaded by every rank's stream after it.
// It can be captured into a graph, and be replayed. One goroutine of a rank uses it, and all
// ranks launch it equally often; a rank that does not come leaves the others' streams
// waiting.
type Barrier struct {
	p      Provider
	d      *gpu.Device
	flags  gpu.Slice[uint64] // one for each rank, and how often this rank has come
	peers  *AddressMap
	module *gpu.Module
	f      *gpu.Function
}

// NewBarrier makes a barrier on a device. Blocking, collective. Iris: device_barrier. Errors:
// ErrIndirect where kernels do not reach all ranks.
func NewBarrier(ctx context.Context, p Provider, d *gpu.Device) (*Barrier, error) {
	const op = "new barrier"
	flags, peers, err := Zeros[uint64](ctx, p, p.NumRanks()+1)
	if err != nil {
		return nil, fail(op, err)
	}
	b := &Barrier{p: p, d: d, flags: flags, peers: peers}
	if !peers.AllDirect() {
		err = peers.indirect()
	} else if b.module, err = d.Compile(gpu.Program{Name: "barrier.cu", Device: barrierText, Headers: Headers(), Host: map[string]gpu.HostKernel{"barrier": meet}}); err == nil {
		b.f, err = b.module.Function("barrier")
	}
	if met := p.Barrier(ctx); err == nil { // nobody comes to a barrier that is not there yet
		err = met
	}
	return b, fail(op, err)
}

// OnStream has later work of a stream wait until all ranks' streams have come here. It does
// not block.
func (b *Barrier) OnStream(s *gpu.Stream) error {
	return fail("barrier", b.f.Launch(s, gpu.Grid(b.p.NumRanks(), b.p.NumRanks()), b.flags, b.peers, int32(b.p.Rank()), int32(b.p.NumRanks())))
}

// Close gives the barrier back, whose launches must be done. Blocking, collective.
func (b *Barrier) Close(ctx context.Context) error {
	err := b.module.Close()
	if freed := Free(ctx, b.p, b.flags); err == nil {
		err = freed
	}
	return fail("close barrier", err)
}

// meet is the kernel in Go.
func meet(b gpu.Block) {
	flags, me, n := gpu.Arg[uintptr](b, 0), int(gpu.Arg[int32](b, 2)), int(gpu.Arg[int32](b, 3))
	peers := Peers(b, 1, n)
	round := AtomicAdd[uint64](flags, n, 1, me, me, peers) + 1
	for r := range n {
		AtomicAdd[uint64](flags, me, 1, me, r, peers)
	}
	for r := range n {
		WaitUntil(element[uint64](flags, r), round, math.MaxInt)
	}
}
