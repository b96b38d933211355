// Stream: every PE hands an array to the next PE, which hands on what has come. All of it
// is work of a stream: the program waits once, at the end.
//
//	goshmem run -n 4 ./examples/stream
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/shmem"
)

func main() {
	flag.Parse() // refuses flags: there are none
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "stream: unexpected argument %q: it takes none\n", flag.Arg(0))
		os.Exit(2)
	}
	shmem.Main(ring)
}

// arrays are symmetric: src is a PE's own, once what comes from one PE away, twice from two.
type arrays struct {
	src, once, twice shmem.Array[float32]
	arrived          shmem.Signal // once is there
}

func alloc(ctx context.Context, w *shmem.World) (a arrays, err error) {
	for _, each := range []*shmem.Array[float32]{&a.src, &a.once, &a.twice} {
		if *each, err = shmem.Alloc[float32](ctx, w, 64); err != nil {
			return a, err
		}
	}
	a.arrived, err = shmem.AllocSignal(ctx, w)
	return a, err
}

func ring(ctx context.Context, w *shmem.World) error {
	a, err := alloc(ctx, w)
	if err != nil {
		return err
	}
	if err := a.src.Fill(float32(w.MyPE())); err != nil {
		return err
	}
	s, err := w.Device().NewStream()
	if err != nil {
		return err
	}
	next := (w.MyPE() + 1) % w.NPEs()
	err = errors.Join(
		a.once.PutSignalOnStream(s, a.src, next, a.arrived, shmem.SignalSet, 1),
		a.arrived.WaitUntilOnStream(s, shmem.EQ, 1), // what follows sees what came with the signal
		a.twice.PutOnStream(s, a.once, next),
		w.BarrierOnStream(s), // what all have put is there
		s.Synchronize(ctx),
		s.Close())
	if err != nil {
		return err
	}
	return check(a.twice, (w.MyPE()+2*w.NPEs()-2)%w.NPEs())
}

// check says what arrived, and is an error if it is not what PE from has sent.
func check(a shmem.Array[float32], from int) error {
	all := make([]float32, a.Len())
	if err := a.CopyTo(all); err != nil {
		return err
	}
	for i, got := range all {
		if got != float32(from) {
			return fmt.Errorf("element %d is %v, PE %d sent %d", i, got, from, from)
		}
	}
	fmt.Printf("got %v from PE %d\n", all[0], from)
	return nil
}
