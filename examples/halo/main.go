// Halo: Jacobi steps on a square plate that is hot on its left edge. Each PE has some
// columns of it, and a column on each side for copies of its neighbours' edges. The
// result is compared with that of one PE alone.
//
//	goshmem run -n 4 ./examples/halo
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/goshmem/goshmem/shmem"
)

const (
	width = 8  // columns of each PE
	rows  = 18 // of the plate, the fixed edges included
	steps = 40
)

func main() {
	flag.Parse() // refuses flags: there are none
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "halo: unexpected argument %q: it takes none\n", flag.Arg(0))
		os.Exit(2)
	}
	shmem.MainWith(shmem.Options{Engine: "host"}, jacobi) // it computes on the CPU, also where there are GPUs
}

func jacobi(ctx context.Context, w *shmem.World) error {
	now, err := newStrip(ctx, w)
	if err != nil {
		return err
	}
	next, err := newStrip(ctx, w)
	if err != nil {
		return err
	}
	for range steps {
		if err := now.exchange(w); err != nil {
			return err
		}
		if err := w.Barrier(ctx); err != nil { // the neighbours' edges are here
			return err
		}
		step(next.own, now.own, width+2)
		now, next = next, now // what is put next goes where no neighbour reads before the next barrier
	}
	return now.check(w)
}

// strip is one PE's part of the plate.
type strip struct {
	own         []float64             // rows of width+2 numbers
	left, right shmem.Tensor[float64] // the first and the last column of its own
	from, to    shmem.Tensor[float64] // the copies of the left and the right neighbour's edge
}

func newStrip(ctx context.Context, w *shmem.World) (*strip, error) {
	t, err := shmem.NewTensor[float64](ctx, w, rows, width+2)
	if err != nil {
		return nil, err
	}
	s := &strip{}
	if s.own, err = t.Local(); err != nil {
		return nil, err
	}
	columns := map[int]*shmem.Tensor[float64]{0: &s.from, 1: &s.left, width: &s.right, width + 1: &s.to}
	for i, column := range columns {
		if *column, err = t.Index(1, i); err != nil {
			return nil, err
		}
	}
	if w.MyPE() == 0 {
		err = s.from.Fill(100) // the hot edge
	}
	return s, err
}

// exchange puts the edges where the neighbours look for them.
func (s *strip) exchange(w *shmem.World) error {
	if me := w.MyPE(); me > 0 {
		if err := s.to.Put(s.left, me-1); err != nil {
			return err
		}
	}
	if me := w.MyPE(); me < w.NPEs()-1 {
		return s.from.Put(s.right, me+1)
	}
	return nil
}

// step makes every number but those at the edges the mean of its four neighbours.
func step(next, now []float64, columns int) {
	for r := 1; r < rows-1; r++ {
		for i := r*columns + 1; i < (r+1)*columns-1; i++ {
			next[i] = (now[i-columns] + now[i+columns] + now[i-1] + now[i+1]) / 4
		}
	}
}

// check compares with the whole plate, computed here.
func (s *strip) check(w *shmem.World) error {
	columns := w.NPEs()*width + 2
	now, next := make([]float64, rows*columns), make([]float64, rows*columns)
	for r := range rows {
		now[r*columns], next[r*columns] = 100, 100
	}
	for range steps {
		step(next, now, columns)
		now, next = next, now
	}
	for r := range rows {
		got, want := s.own[r*(width+2)+1:][:width], now[r*columns+w.MyPE()*width+1:][:width]
		if !slices.Equal(got, want) {
			return fmt.Errorf("row %d is %v, one PE alone gets %v", r, got, want)
		}
	}
	fmt.Printf("PE %d: %d columns are as one PE alone gets them after %d steps\n", w.MyPE(), width, steps)
	return nil
}
