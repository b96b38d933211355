// Synch_p2p: every point of a grid needs those left of it and above it, so PEs that
// each have some of the columns work behind each other, a row apart. It shows a
// pipeline: for each row a PE waits for one number of the PE on its left, and sends one
// to the PE on its right, with a signal of its own. Nobody waits for anybody else.
//
//	goshmem run -n 4 ./examples/synch_p2p -m 2000 -n 2000 -iterations 50
//
// The pattern is that of Synch_p2p in the Parallel Research Kernels.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/goshmem/goshmem/examples/progress"
	"github.com/goshmem/goshmem/shmem"
)

func main() {
	var p problem
	flag.IntVar(&p.columns, "m", 1000, "columns of the grid, spread over the PEs")
	flag.IntVar(&p.rows, "n", 1000, "rows of the grid")
	flag.IntVar(&p.iterations, "iterations", 50, "timed passes over the grid, after one that is not")
	flag.Parse()
	p.rest = flag.Args()
	shmem.MainWith(shmem.Options{Engine: "host"}, p.run) // it computes on the CPU, also where there are GPUs
}

// largest is the most columns and rows: such a grid has 32 GiB.
const largest = 1 << 16

// problem is what the command line asks for.
type problem struct {
	columns, rows, iterations int
	rest                      []string
}

// check says what is wrong, on every PE alike.
func (p problem) check(pes int) error {
	switch {
	case len(p.rest) > 0:
		return fmt.Errorf("unexpected argument %q: sizes are given as -m, -n and -iterations", p.rest[0])
	case p.columns <= pes || p.columns > largest:
		return fmt.Errorf("-m %d: use %d to %d, so that each of the %d PEs has a column beside the first", p.columns, pes+1, largest, pes)
	case p.rows < 2 || p.rows > largest:
		return fmt.Errorf("-n %d: use 2 to %d", p.rows, largest)
	case p.iterations < 1:
		return fmt.Errorf("-iterations %d: use at least 1", p.iterations)
	}
	return nil
}

func (p problem) run(ctx context.Context, w *shmem.World) error {
	if err := p.check(w.NPEs()); err != nil {
		return err
	}
	g, err := newGrid(ctx, w, p.columns, p.rows)
	if err != nil {
		return err
	}
	elapsed, err := p.passes(ctx, w, g)
	if err != nil {
		return err
	}
	if err := p.verify(g); err != nil {
		return err
	}
	if w.MyPE() == 0 {
		flops := 2 * float64(p.columns-1) * float64(p.rows-1) * float64(p.iterations)
		fmt.Printf("%d x %d on %d PEs: corner %.0f, as it must be; %.0f MFlop/s\n",
			p.columns, p.rows, w.NPEs(), p.corner(), flops/elapsed.Seconds()/1e6)
	}
	return nil
}

// passes does all passes. The first is a warm-up.
func (p problem) passes(ctx context.Context, w *shmem.World, g *grid) (time.Duration, error) {
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
		if err := g.pass(ctx, uint64(k+1)); err != nil {
			return 0, err
		}
		line.Step()
	}
	err := w.Barrier(ctx)
	return time.Since(start), err
}

// corner is what the last point must be: every pass adds the same.
func (p problem) corner() float64 {
	return float64(p.iterations+1) * float64(p.columns+p.rows-2)
}

// verify looks at the last point of the grid, which the last PE has.
func (p problem) verify(g *grid) error {
	if got, want := g.last(p.rows-1), p.corner(); g.me+1 == g.pes && got != want {
		return fmt.Errorf("the corner is %v after %d passes, but must be %v", got, p.iterations+1, want)
	}
	return nil
}
