// Triton drives kernels that were written in Triton, and compiled where there may be no GPU, from
// Go: each of them does one operation on a peer's memory, which it reaches through the table of
// an address map. All operations are checked, with pointers into one allocation and tables of
// another.
//
//	pip install triton
//	python examples/triton/compile.py --target cuda:90 --out bin/kernels/triton
//	goshmem run -n 2 ./examples/triton -kernels bin/kernels/triton
//
// With -iris PATH the kernels are compiled at the start, with the device functions of a
// checkout of Iris in place of those in ops.py, without a change to either. On platform host,
// which has no use for machine code, kernels in Go stand in, so that the checks are checked.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
	"github.com/goshmem/goshmem/shmem"
)

// orders is what the command line says.
type orders struct {
	kernels string // a folder with one for each architecture
	iris    string // a checkout; "": our device functions
	python  string
	without []string // operations that this Iris or this Triton does not have
}

func main() {
	var o orders
	var without string
	flag.StringVar(&o.kernels, "kernels", "bin/kernels/triton", "`folder` of what compile.py has made; with -iris what is compiled goes there")
	flag.StringVar(&o.iris, "iris", "", "`checkout` of Iris, whose device functions are compiled first")
	flag.StringVar(&o.python, "python", "python3", "`program` that has Triton, for -iris")
	flag.StringVar(&without, "without", "", "operations to leave out, as in atomic_sub,atomic_cas")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "triton: there are no arguments but flags")
		os.Exit(2)
	}
	if without != "" {
		o.without = strings.Split(without, ",")
	}
	shmem.Main(func(ctx context.Context, w *shmem.World) error { return drive(ctx, w, o) })
}

// bench is what a PE has to check operations with.
type bench struct {
	ctx              context.Context
	p                *provider.World
	d                *gpu.Device
	me, next, before int
	stream           *gpu.Stream // of this PE alone: PEs may share a device, and wait for each other
	kernels          kernels
	without          []string
	done             int // launches that were checked
}

// drive checks all operations.
func drive(ctx context.Context, w *shmem.World, o orders) error {
	p, err := provider.New(w)
	if err != nil {
		return err
	}
	defer p.Close()
	if o.iris != "" {
		if err := compiled(ctx, w, p.Device(), o); err != nil {
			return err
		}
	}
	list, err := open(p.Device(), o.kernels)
	if err != nil {
		return err
	}
	s, err := p.Device().NewStream()
	if err != nil {
		return err
	}
	n := w.NPEs()
	b := &bench{ctx, p, p.Device(), w.MyPE(), (w.MyPE() + 1) % n, (w.MyPE() + n - 1) % n, s, list, o.without, 0}
	start := time.Now()
	if err := errors.Join(b.everything(), s.Close(), list.Close()); err != nil {
		return err
	}
	fmt.Printf("%d launches of %d kernels on %v are right, in %v\n", b.done, list.used(), b.d, time.Since(start).Round(time.Millisecond))
	return nil
}

// everything checks all operations on all types.
func (b *bench) everything() error {
	for _, check := range []func(*bench) error{
		moves[int8], moves[int16], moves[int32], moves[int64], movesOfFloat16, movesOfBFloat16, moves[float32], moves[float64],
		atomics[int32], atomics[int64], atomicsOfFloats, bits[int32], bits[int64], swaps[int32], swaps[int64],
		counts[int32], counts[int64], messages, refusals,
	} {
		if err := check(b); err != nil {
			return err
		}
	}
	return nil
}

// left says whether an operation is left out.
func (b *bench) left(op string) bool {
	for _, name := range b.without {
		if name == op {
			return true
		}
	}
	return false
}

// launch runs a kernel on all PEs, and waits for all.
func (b *bench) launch(name string, programs int, args ...any) error {
	k, err := b.kernels.named(name)
	if err != nil {
		return err
	}
	if err := b.p.Barrier(b.ctx); err != nil { // everybody has filled their memory
		return err
	}
	if err := k.Launch(b.stream, [3]int{programs}, args...); err != nil {
		return err
	}
	b.done++
	return errors.Join(b.stream.Synchronize(b.ctx), b.p.Barrier(b.ctx))
}
