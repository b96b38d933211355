// Stencil: a grid is cut into one block per PE, and every sweep needs the edges of
// the neighbours' blocks. It shows a halo exchange without a barrier: each PE puts
// its edges with a signal, and waits for the signals of its own neighbours only.
//
//	goshmem run -n 4 ./examples/stencil -n 2000 -iterations 100
//
// The pattern is that of Stencil in the Parallel Research Kernels: a star of radius
// 2, of which the norm after any number of sweeps is known.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/goshmem/goshmem/examples/progress"
	"github.com/goshmem/goshmem/shmem"
)

func main() {
	var p problem
	flag.IntVar(&p.n, "n", 1000, "rows and columns of the grid")
	flag.IntVar(&p.iterations, "iterations", 50, "timed sweeps, after one that is not")
	flag.Parse()
	p.rest = flag.Args()
	shmem.MainWith(shmem.Options{Engine: "host"}, p.run) // it computes on the CPU, also where there are GPUs
}

// largest is the largest grid: two of them have 64 GiB.
const largest = 1 << 16

// problem is what the command line asks for.
type problem struct {
	n, iterations int
	rest          []string
}

// check says what is wrong, on every PE alike.
func (p problem) check(across, down int) error {
	least := max(radius*max(across, down), 2*radius+1)
	switch {
	case len(p.rest) > 0:
		return fmt.Errorf("unexpected argument %q: sizes are given as -n and -iterations", p.rest[0])
	case p.n < least || p.n > largest:
		return fmt.Errorf("-n %d: for %d x %d PEs and a star of radius %d use %d to %d", p.n, across, down, radius, least, largest)
	case p.iterations < 1:
		return fmt.Errorf("-iterations %d: use at least 1", p.iterations)
	}
	return nil
}

func (p problem) run(ctx context.Context, w *shmem.World) error {
	across, down := shape(w.NPEs())
	if err := p.check(across, down); err != nil {
		return err
	}
	b := newBlock(w.MyPE(), across, down, p.n)
	h, err := newHalo(ctx, w, b, (p.n+down-1)/down)
	if err != nil {
		return err
	}
	elapsed, err := p.sweeps(ctx, w, b, h.exchange)
	if err != nil {
		return err
	}
	norm, err := p.norm(ctx, w, b)
	if err != nil {
		return err
	}
	if w.MyPE() == 0 {
		// As the Kernels count: with a product and a sum for the middle of the star, which weighs nothing.
		flops := float64(2*(4*radius+1)+1) * float64(p.inside()) * float64(p.iterations)
		fmt.Printf("%d x %d on %d x %d PEs: norm %g, as it must be; %.0f MFlop/s\n",
			p.n, p.n, across, down, norm, flops/elapsed.Seconds()/1e6)
	}
	return nil
}

// sweeps does all sweeps, with exchange in front of each. The first is a warm-up.
func (p problem) sweeps(ctx context.Context, w *shmem.World, b *block, exchange func(context.Context, int) error) (time.Duration, error) {
	var line *progress.Line // nil is silent
	if w.MyPE() == 0 {
		line = progress.New(os.Stderr, p.iterations+1)
	}
	defer line.Done()
	var start time.Time
	for k := range p.iterations + 1 {
		if k == 1 {
			if err := w.Barrier(ctx); err != nil { // all start the clock together
				return 0, err
			}
			start = time.Now()
		}
		if err := exchange(ctx, k); err != nil {
			return 0, err
		}
		b.sweep()
		line.Step()
	}
	err := w.Barrier(ctx)
	return time.Since(start), err
}

// inside is how many points have all their neighbours.
func (p problem) inside() int { return (p.n - 2*radius) * (p.n - 2*radius) }

// norm returns the mean of the result, or an error if it is not what it must be: a
// sweep over a plane that rises by 1 per row and column adds 2 to every point. The
// mean alone would not notice margins that are out of date: what is missing on one side
// of a cut is too much on the other. So the points are looked at, too.
func (p problem) norm(ctx context.Context, w *shmem.World, b *block) (float64, error) {
	sums, err := shmem.Alloc[float64](ctx, w, 2)
	if err != nil {
		return 0, err
	}
	all, err := sums.Local()
	if err != nil {
		return 0, err
	}
	want := 2 * float64(p.iterations+1)
	all[0], all[1] = b.sums(want)
	if err := shmem.AllReduce(ctx, w.Team(), sums, sums, shmem.Sum); err != nil {
		return 0, err
	}
	norm, wrong := all[0]/float64(p.inside()), all[1]/float64(p.inside())
	if !(max(math.Abs(norm-want), wrong) <= 1e-8*want) { // so that NaN is wrong, too
		return 0, fmt.Errorf("the norm is %v after %d sweeps, but must be %v; points are off by %v on average", norm, p.iterations+1, want, wrong)
	}
	return norm, nil
}
