// Ring: every PE puts an array to the next PE and checks what arrived from the
// previous one.
//
//	goshmem run -n 4 ./examples/ring
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/shmem"
)

func main() {
	flag.Parse() // refuses flags: there are none
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "ring: unexpected argument %q: it takes none\n", flag.Arg(0))
		os.Exit(2)
	}
	shmem.Main(ring)
}

func ring(ctx context.Context, w *shmem.World) error {
	src, err := shmem.Alloc[float32](ctx, w, 64)
	if err != nil {
		return err
	}
	dst, err := shmem.Alloc[float32](ctx, w, 64)
	if err != nil {
		return err
	}
	if err := src.Fill(float32(w.MyPE())); err != nil {
		return err
	}
	next, previous := (w.MyPE()+1)%w.NPEs(), (w.MyPE()+w.NPEs()-1)%w.NPEs()
	if err := dst.Put(src, next); err != nil {
		return err
	}
	if err := w.Barrier(ctx); err != nil {
		return err
	}
	return check(dst, previous)
}

// check says what arrived, and is an error if it is not what previous put.
func check(dst shmem.Array[float32], previous int) error {
	all := make([]float32, dst.Len())
	if err := dst.CopyTo(all); err != nil { // from where the memory is: host or device
		return err
	}
	for i, got := range all {
		if got != float32(previous) {
			return fmt.Errorf("element %d is %v, PE %d put %d", i, got, previous, previous)
		}
	}
	fmt.Printf("got %v from PE %d\n", all[0], previous)
	return nil
}
