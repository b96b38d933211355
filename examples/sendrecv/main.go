// Sendrecv exchanges numbers in pairs: ranks 0 and 1, 2 and 3, and so on. The send and the
// receive of a rank are one group, so that neither waits for the other.
//
//	goshmem run -n 2 ./examples/sendrecv
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
		fmt.Fprintf(os.Stderr, "sendrecv: unexpected argument %q: it takes none\n", flag.Arg(0))
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
	if err := swap(ctx, comm); err != nil {
		return errors.Join(err, comm.Abort()) // so that the others do not wait
	}
	return comm.Close()
}

// count is how many numbers go each way.
const count = 10

func swap(ctx context.Context, comm *nccl.Comm) error {
	if comm.Size()%2 != 0 {
		return fmt.Errorf("%d ranks do not make pairs: start an even number", comm.Size())
	}
	peer := comm.Rank() ^ 1
	send, err := gpu.Alloc[int32](comm.Device(), count)
	if err != nil {
		return err
	}
	defer send.Close()
	recv, err := gpu.Alloc[int32](comm.Device(), count)
	if err != nil {
		return err
	}
	defer recv.Close()
	if err := errors.Join(send.Fill(int32(comm.Rank())), recv.Fill(-1)); err != nil {
		return err
	}
	err = nccl.Group(func() error {
		if err := nccl.Send(comm, send, peer, nil); err != nil {
			return err
		}
		return nccl.Recv(comm, recv, peer, nil)
	})
	if err != nil {
		return err
	}
	if err := comm.Synchronize(ctx, nil); err != nil {
		return err
	}
	got := make([]int32, count)
	if err := recv.CopyTo(got, nil); err != nil {
		return err
	}
	for i, v := range got {
		if v != int32(peer) {
			return fmt.Errorf("number %d is %d, rank %d sent %d", i, v, peer, peer)
		}
	}
	fmt.Printf("rank %d received %v\n", comm.Rank(), got)
	return nil
}
