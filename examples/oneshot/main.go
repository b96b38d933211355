// Oneshot adds up vectors over all PEs with kernels that read the other PEs' memory: in
// one shot, where everybody reads everything, and in two, where everybody adds up a share
// and stores it everywhere.
//
//	goshmem run -n 4 ./examples/oneshot
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/examples/shots"
	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

func main() {
	n := flag.Int("n", 4096, "numbers in a vector, a multiple of 4")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "oneshot: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	shmem.Main(func(ctx context.Context, w *shmem.World) error { return add(ctx, w, *n) })
}

func add(ctx context.Context, w *shmem.World, n int) error {
	p, err := provider.New(w)
	if err != nil {
		return err
	}
	defer p.Close()
	r, err := shots.New(ctx, p, p.Device(), n)
	if err != nil {
		return err
	}
	s, err := p.Device().NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	if err := try(ctx, r, s, "one", r.OneShot, w); err != nil {
		return err
	}
	if err := try(ctx, r, s, "two", r.TwoShot, w); err != nil {
		return err
	}
	return r.Close(ctx)
}

// try does it once and checks every number.
func try(ctx context.Context, r *shots.Reducer, s *gpu.Stream, name string, shot func(*gpu.Stream) error, w *shmem.World) error {
	values := make([]float32, r.In().Len())
	for i := range values {
		values[i] = float32(w.MyPE() + i%7)
	}
	if err := errors.Join(r.In().CopyFrom(values, s), r.Out().FillAsync(0, s), shot(s), s.Synchronize(ctx)); err != nil {
		return err
	}
	if err := r.Out().CopyTo(values, s); err != nil {
		return err
	}
	n := w.NPEs()
	for i, got := range values {
		if want := float32(n*(n-1)/2 + n*(i%7)); got != want {
			return fmt.Errorf("%s shot: number %d is %v, want %v", name, i, got, want)
		}
	}
	fmt.Printf("%s shot: %d numbers of %d PEs are right\n", name, len(values), n)
	return nil
}
