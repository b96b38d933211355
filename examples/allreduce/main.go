// Allreduce adds up the ranks of a job: every rank has its number as one float32, and gets
// the sum in place. It runs on GPUs, with NCCL or RCCL, and without.
//
//	goshmem run -n 4 ./examples/allreduce
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
		fmt.Fprintf(os.Stderr, "allreduce: unexpected argument %q: it takes none\n", flag.Arg(0))
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
	if err := sum(ctx, comm); err != nil {
		return errors.Join(err, comm.Abort()) // so that the others do not wait
	}
	return comm.Close()
}

func sum(ctx context.Context, comm *nccl.Comm) error {
	x, err := gpu.Alloc[float32](comm.Device(), 1)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Fill(float32(comm.Rank())); err != nil {
		return err
	}
	if err := nccl.AllReduce(comm, x, x, nccl.Sum, nil); err != nil {
		return err
	}
	if err := comm.Synchronize(ctx, nil); err != nil { // it also notices that another rank has died
		return err
	}
	got, err := x.At(0)
	if err != nil {
		return err
	}
	n := comm.Size()
	if want := float32(n * (n - 1) / 2); got != want {
		return fmt.Errorf("the ranks add up to %v, want %v", got, want)
	}
	fmt.Printf("rank %d of %d: the ranks add up to %v\n", comm.Rank(), n, got)
	return nil
}
