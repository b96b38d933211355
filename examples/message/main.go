// Message passes messages around a ring of PEs from kernel to kernel: a kernel stores
// into the next PE's memory and raises a flag there, another one waits for the flag, adds the
// numbers up and lowers it. The host launches kernels, and waits once, at the end.
//
//	goshmem run -n 4 ./examples/message
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

func main() {
	rounds, n := flag.Int("rounds", 100, "messages of each PE"), flag.Int("n", 256, "numbers in a message")
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 1 || *n < 1 {
		fmt.Fprintln(os.Stderr, "message: -rounds and -n are at least 1, and there are no other arguments")
		os.Exit(2)
	}
	shmem.Main(func(ctx context.Context, w *shmem.World) error { return pass(ctx, w, *rounds, *n) })
}

// ring is what one PE has.
type ring struct {
	me, next, before int
	box, full, empty gpu.Slice[uint64]
	peers            *provider.AddressMap // of box: it translates all three
	total            gpu.Slice[uint64]
}

func pass(ctx context.Context, w *shmem.World, rounds, n int) error {
	p, err := provider.New(w)
	if err != nil {
		return err
	}
	defer p.Close()
	r := ring{me: w.MyPE(), next: (w.MyPE() + 1) % w.NPEs(), before: (w.MyPE() + w.NPEs() - 1) % w.NPEs()}
	all, peers, err := provider.Zeros[uint64](ctx, p, n+2)
	if err != nil {
		return err
	}
	r.peers = peers
	if r.box, err = all.Slice(0, n); err != nil {
		return err
	}
	if r.full, err = all.Slice(n, n+1); err != nil {
		return err
	}
	if r.empty, err = all.Slice(n+1, n+2); err != nil {
		return err
	}
	if r.total, err = gpu.Alloc[uint64](p.Device(), 1); err != nil {
		return err
	}
	defer r.total.Close()
	if err := errors.Join(r.total.Fill(0), p.Barrier(ctx)); err != nil { // all have memory, and it is empty
		return err
	}
	if err := r.run(ctx, p.Device(), rounds); err != nil {
		return err
	}
	return r.check(rounds)
}

// run launches all kernels. Producing and consuming are streams of their own, since a
// producer may have to wait for a consumer of the same PE, further round the ring.
func (r ring) run(ctx context.Context, d *gpu.Device, rounds int) error {
	m, err := d.Compile(program())
	if err != nil {
		return err
	}
	defer m.Close()
	produce, err := m.Function("produce")
	if err != nil {
		return err
	}
	consume, err := m.Function("consume")
	if err != nil {
		return err
	}
	out, err := d.NewStream()
	if err != nil {
		return err
	}
	defer out.Close()
	in, err := d.NewStream()
	if err != nil {
		return err
	}
	defer in.Close()
	n, block := uint64(r.box.Len()), gpu.Grid(1, min(256, r.box.Len()))
	for round := uint64(1); round <= uint64(rounds); round++ {
		if err := produce.Launch(out, block, r.box, r.full, r.empty, round, n, int32(r.me), int32(r.next), r.peers); err != nil {
			return err
		}
		if err := consume.Launch(in, block, r.box, r.full, r.empty, r.total, round, n, int32(r.me), int32(r.before), r.peers); err != nil {
			return err
		}
	}
	return errors.Join(out.Synchronize(ctx), in.Synchronize(ctx))
}

// check compares with what the PE before must have sent.
func (r ring) check(rounds int) error {
	got := []uint64{0}
	if err := r.total.CopyTo(got, nil); err != nil {
		return err
	}
	n, k := uint64(r.box.Len()), uint64(rounds)
	want := n*uint64(r.before+1)*k*(k+1)/2 + k*n*(n-1)/2
	if got[0] != want {
		return fmt.Errorf("the numbers of PE %d add up to %d, want %d", r.before, got[0], want)
	}
	fmt.Printf("%d messages from PE %d add up to %d\n", rounds, r.before, want)
	return nil
}
