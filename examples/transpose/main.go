// Transpose: a matrix is spread over the PEs by rows, and its transpose is added to
// another one, so that everybody has a block for everybody. It shows an exchange of all
// with all: if the blocks lie in the order of the PEs, it is one call.
//
//	goshmem run -n 4 ./examples/transpose -n 2000 -iterations 30
//
// Puts with signals and two buffers by turns, as in examples/stencil, are as fast here:
// the time goes into the transposition, not into waiting. So the one call is better.
//
// The pattern is that of Transpose in the Parallel Research Kernels.
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
	flag.IntVar(&p.n, "n", usual, "rows and columns of the matrix, a multiple of the PEs; without it the nearest to the default that is not larger")
	flag.IntVar(&p.tile, "tile", 32, "rows and columns that are transposed at a time")
	flag.IntVar(&p.iterations, "iterations", 20, "timed transpositions, after one that is not")
	flag.Parse()
	p.rest = flag.Args()
	p.fit = true
	flag.Visit(func(f *flag.Flag) { p.fit = p.fit && f.Name != "n" })
	shmem.MainWith(shmem.Options{Engine: "host"}, p.run) // it computes on the CPU, also where there are GPUs
}

// usual is the size of the matrix if nobody gives one.
const usual = 1024

// largest is the largest matrix: two of them have 64 GiB.
const largest = 1 << 16

// problem is what the command line asks for.
type problem struct {
	n, tile, iterations int
	fit                 bool // n may be made a multiple of the PEs
	rest                []string
}

// fitted has an n that suits the PEs, if nobody has asked for another.
func (p problem) fitted(pes int) problem {
	if p.fit {
		p.n = max(p.n/pes, 1) * pes
	}
	return p
}

// check says what is wrong, on every PE alike.
func (p problem) check(pes int) error {
	switch {
	case len(p.rest) > 0:
		return fmt.Errorf("unexpected argument %q: sizes are given as -n, -tile and -iterations", p.rest[0])
	case p.n < 1 || p.n > largest || p.n%pes != 0:
		return fmt.Errorf("-n %d: use a multiple of the %d PEs from %d to %d", p.n, pes, pes, largest/pes*pes)
	case p.tile < 1:
		return fmt.Errorf("-tile %d: use at least 1", p.tile)
	case p.iterations < 1:
		return fmt.Errorf("-iterations %d: use at least 1", p.iterations)
	}
	return nil
}

func (p problem) run(ctx context.Context, w *shmem.World) error {
	p = p.fitted(w.NPEs())
	if err := p.check(w.NPEs()); err != nil {
		return err
	}
	m, err := newMatrices(ctx, w, p.n, p.tile)
	if err != nil {
		return err
	}
	elapsed, err := p.repeat(ctx, w, m, m.exchange)
	if err != nil {
		return err
	}
	if err := p.verify(ctx, w, m); err != nil {
		return err
	}
	if w.MyPE() == 0 {
		bytes := 2 * 8 * float64(p.n) * float64(p.n) * float64(p.iterations)
		fmt.Printf("%d x %d on %d PEs: no error; %.0f MB/s\n", p.n, p.n, w.NPEs(), bytes/elapsed.Seconds()/1e6)
	}
	return nil
}

// repeat adds the transpose of a to b, and 1 to a, again and again; exchange brings the
// blocks of the others. The first time is a warm-up.
func (p problem) repeat(ctx context.Context, w *shmem.World, m *matrices, exchange func(context.Context) error) (time.Duration, error) {
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
		if err := exchange(ctx); err != nil {
			return 0, err
		}
		m.add()
		m.raise()
		line.Step()
	}
	err := w.Barrier(ctx)
	return time.Since(start), err
}

// verify is an error if the errors of all elements do not add up to 0. All numbers
// are whole, so they are exact.
func (p problem) verify(ctx context.Context, w *shmem.World, m *matrices) error {
	sum, err := shmem.Alloc[float64](ctx, w, 1)
	if err != nil {
		return err
	}
	if err := sum.Set(0, m.wrong(p.iterations+1)); err != nil {
		return err
	}
	if err := shmem.AllReduce(ctx, w.Team(), sum, sum, shmem.Sum); err != nil {
		return err
	}
	wrong, err := sum.At(0)
	if err == nil && wrong != 0 {
		err = fmt.Errorf("after %d transpositions the errors of all elements add up to %v, but must to 0", p.iterations+1, wrong)
	}
	return err
}
