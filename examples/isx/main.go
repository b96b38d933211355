// Isx: every PE has random keys, and sends each to the PE whose bucket it belongs to,
// where they are sorted. It shows how many PEs fill one array without asking its owner:
// an atomic add to a counter there gives each a part of its own, and a put fills it.
//
//	goshmem run -n 4 ./examples/isx -keys 1048576
//
// The pattern is that of ISx, the integer sort for exascale. Nobody knows before how many
// keys will come from where: with AllToAllV the PEs would have to tell each other first.
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
	flag.IntVar(&p.keys, "keys", 1<<19, "keys of each PE")
	flag.IntVar(&p.bits, "bits", 20, "bits of a key")
	flag.IntVar(&p.iterations, "iterations", 5, "timed sorts, after one that is not")
	flag.Uint64Var(&p.seed, "seed", 1, "seed of the keys")
	flag.Parse()
	p.rest = flag.Args()
	shmem.MainWith(shmem.Options{Engine: "host"}, p.run) // it computes on the CPU, also where there are GPUs
}

// problem is what the command line asks for.
type problem struct {
	keys, bits, iterations int
	seed                   uint64
	rest                   []string
}

// check says what is wrong, on every PE alike.
func (p problem) check(pes int) error {
	switch {
	case len(p.rest) > 0:
		return fmt.Errorf("unexpected argument %q: sizes are given as -keys, -bits and -iterations", p.rest[0])
	case p.keys < 1 || p.keys > 1<<30:
		return fmt.Errorf("-keys %d: use 1 to %d", p.keys, 1<<30)
	case p.bits < 1 || p.bits > 28:
		return fmt.Errorf("-bits %d: use 1 to 28", p.bits)
	case 1<<p.bits < pes:
		return fmt.Errorf("-bits %d gives fewer keys than there are PEs, which are %d", p.bits, pes)
	case p.iterations < 1:
		return fmt.Errorf("-iterations %d: use at least 1", p.iterations)
	}
	return nil
}

func (p problem) run(ctx context.Context, w *shmem.World) error {
	if err := p.check(w.NPEs()); err != nil {
		return err
	}
	s, err := newSorter(ctx, w, p)
	if err != nil {
		return err
	}
	mean, best, err := p.sorts(ctx, s)
	if err != nil {
		return err
	}
	if w.MyPE() == 0 {
		total := p.keys * w.NPEs()
		rate := func(d time.Duration) float64 { return float64(total) / d.Seconds() / 1e6 }
		fmt.Printf("%d keys on %d PEs: sorted, none lost; %.1f Mkeys/s, at best %.1f\n", total, w.NPEs(), rate(mean), rate(best))
	}
	return nil
}

// sorts sorts again and again and says how long that took. The first time is a warm-up.
func (p problem) sorts(ctx context.Context, s *sorter) (mean, best time.Duration, err error) {
	var line *progress.Line // nil is silent
	if s.w.MyPE() == 0 {
		line = progress.New(os.Stderr, p.iterations+1)
	}
	defer line.Done()
	total := time.Duration(0)
	for i := range p.iterations + 1 {
		elapsed, err := s.once(ctx)
		if err != nil {
			return 0, 0, err
		}
		if i == 1 || elapsed < best {
			best = elapsed
		}
		if i > 0 {
			total += elapsed
		}
		line.Step()
	}
	return total / time.Duration(p.iterations), best, nil
}

// once sorts the keys, checks the result and says how long the sorting took. The clock
// runs until all are done, which the barrier at the end knows.
func (s *sorter) once(ctx context.Context) (time.Duration, error) {
	if err := s.empty(ctx); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := s.exchange(ctx); err != nil {
		return 0, err
	}
	if err := s.sort(); err != nil {
		return 0, err
	}
	if err := s.w.Barrier(ctx); err != nil {
		return 0, err
	}
	return time.Since(start), s.verify(ctx)
}
