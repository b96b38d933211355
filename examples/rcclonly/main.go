// Rcclonly calls the two collectives that RCCL has and NCCL has not: an all-reduce with a
// bias that is added to the result, and an all-to-all with another count for every pair of
// ranks. The host library has both; with NCCL the second is made of sends and receives, and
// the first says that the library cannot do it.
//
//	goshmem run -n 4 ./examples/rcclonly
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

func main() {
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "rcclonly: unexpected argument %q: it takes none\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	comm, err := nccl.Init(ctx, nccl.Options{})
	if err != nil {
		return err
	}
	if err := both(ctx, comm); err != nil {
		return errors.Join(err, comm.Abort()) // so that the others do not wait
	}
	return comm.Close()
}

func both(ctx context.Context, comm *nccl.Comm) error {
	err := biased(ctx, comm)
	switch {
	case errors.Is(err, nccl.ErrUnsupported):
		fmt.Printf("rank %d: %s has no all-reduce with bias\n", comm.Rank(), comm.Library().Name)
	case err != nil:
		return err
	}
	return spread(ctx, comm)
}

// biased adds up the ranks, and adds 100.
func biased(ctx context.Context, comm *nccl.Comm) error {
	d := comm.Device()
	x, err := gpu.Alloc[float32](d, 1)
	if err != nil {
		return err
	}
	defer x.Close()
	bias, err := gpu.Alloc[float32](d, 1)
	if err != nil {
		return err
	}
	defer bias.Close()
	if err := errors.Join(x.Fill(float32(comm.Rank())), bias.Fill(100)); err != nil {
		return err
	}
	if err := nccl.AllReduceBias(comm, x, x, bias, nccl.Sum, nil); err != nil {
		return err
	}
	if err := comm.Synchronize(ctx, nil); err != nil {
		return err
	}
	got, err := x.At(0)
	if err != nil {
		return err
	}
	n := comm.Size()
	if want := float32(100 + n*(n-1)/2); got != want {
		return fmt.Errorf("with the bias it is %v, want %v", got, want)
	}
	fmt.Printf("rank %d: with a bias of 100 the ranks add up to %v\n", comm.Rank(), got)
	return nil
}

// spread has rank r give r+i+1 numbers to rank i.
func spread(ctx context.Context, comm *nccl.Comm) error {
	me, n := comm.Rank(), comm.Size()
	var counts nccl.Counts
	total := 0
	for i := range n {
		k := me + i + 1 // the same both ways
		counts.Send, counts.SendAt = append(counts.Send, k), append(counts.SendAt, total)
		counts.Recv, counts.RecvAt = append(counts.Recv, k), append(counts.RecvAt, total)
		total += k
	}
	send, err := gpu.Alloc[int64](comm.Device(), total)
	if err != nil {
		return err
	}
	defer send.Close()
	recv, err := gpu.Alloc[int64](comm.Device(), total)
	if err != nil {
		return err
	}
	defer recv.Close()
	if err := send.Fill(int64(me)); err != nil {
		return err
	}
	if err := nccl.AllToAllV(comm, send, recv, &counts, nil); err != nil {
		return err
	}
	if err := comm.Synchronize(ctx, nil); err != nil {
		return err
	}
	got := make([]int64, total)
	if err := recv.CopyTo(got, nil); err != nil {
		return err
	}
	for i := range n {
		for _, v := range got[counts.RecvAt[i] : counts.RecvAt[i]+counts.Recv[i]] {
			if v != int64(i) {
				return fmt.Errorf("of rank %d came %d", i, v)
			}
		}
	}
	fmt.Printf("rank %d: %d numbers came from %d ranks\n", me, total, n)
	return nil
}
