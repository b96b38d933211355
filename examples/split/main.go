// Split divides the ranks into those with an even and those with an odd number, and adds up
// each half by itself.
//
//	goshmem run -n 4 ./examples/split
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
		fmt.Fprintf(os.Stderr, "split: unexpected argument %q: it takes none\n", flag.Arg(0))
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
	if err := halves(ctx, comm); err != nil {
		return errors.Join(err, comm.Abort()) // so that the others do not wait
	}
	return comm.Close()
}

func halves(ctx context.Context, comm *nccl.Comm) error {
	half, err := comm.Split(ctx, comm.Rank()%2, comm.Rank())
	if err != nil {
		return err
	}
	x, err := gpu.Alloc[int64](half.Device(), 1)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Fill(int64(comm.Rank())); err != nil {
		return err
	}
	if err := nccl.AllReduce(half, x, x, nccl.Sum, nil); err != nil {
		return err
	}
	if err := half.Synchronize(ctx, nil); err != nil {
		return err
	}
	got, err := x.At(0)
	if err != nil {
		return err
	}
	want := int64(0)
	for r := comm.Rank() % 2; r < comm.Size(); r += 2 {
		want += int64(r)
	}
	if got != want {
		return fmt.Errorf("the half adds up to %d, want %d", got, want)
	}
	fmt.Printf("rank %d is rank %d of %d in its half, which adds up to %d\n", comm.Rank(), half.Rank(), half.Size(), got)
	return half.Close()
}
