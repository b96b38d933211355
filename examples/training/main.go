// Training: a small network learns to tell two spirals apart, and each PE works on its share
// of every batch. It shows data-parallel training: all gradients lie in one symmetric
// array, and one AllReduce in place adds up those of all PEs, so that everybody takes the
// same step and the weights never have to be sent.
//
//	goshmem run -n 4 ./examples/training -epochs 400
//
// AllReduce gives all PEs the same bits, and so are the weights in the end, from run to
// run. With another number of PEs the gradients are added up in another order and rounded
// otherwise, so that the weights are not, bit by bit, those of one PE.
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
	flag.IntVar(&p.points, "points", 2400, "points of the spirals, a multiple of -batch")
	flag.IntVar(&p.batch, "batch", 240, "points for one step, a multiple of the PEs")
	flag.IntVar(&p.hidden, "hidden", 64, "units between the point and the answer")
	flag.IntVar(&p.epochs, "epochs", 400, "how many times to learn all points")
	flag.Float64Var(&p.rate, "rate", 0.1, "length of a step for a gradient of 1")
	flag.Float64Var(&p.bound, "bound", 0.1, "the loss that the last epoch must get below")
	flag.Uint64Var(&p.seed, "seed", 1, "seed of the points and the first weights")
	flag.Parse()
	p.rest = flag.Args()
	shmem.MainWith(shmem.Options{Engine: "host"}, p.run) // it computes on the CPU, also where there are GPUs
}

// problem is what the command line asks for.
type problem struct {
	points, batch, hidden, epochs int
	rate, bound                   float64
	seed                          uint64
	rest                          []string
}

// check says what is wrong, on every PE alike.
func (p problem) check(pes int) error {
	switch {
	case len(p.rest) > 0:
		return fmt.Errorf("unexpected argument %q: sizes are given as -points, -batch, -hidden and -epochs", p.rest[0])
	case p.batch < 1 || p.batch%pes != 0:
		return fmt.Errorf("-batch %d is not a multiple of the %d PEs: use %d", p.batch, pes, above(p.batch, pes))
	case p.points < 1 || p.points > 1<<24:
		return fmt.Errorf("-points %d: use 1 to %d", p.points, 1<<24)
	case p.points%p.batch != 0:
		return fmt.Errorf("-points %d is not a multiple of -batch %d: use %d", p.points, p.batch, above(p.points, p.batch))
	case p.hidden < 1 || p.hidden > 1<<20:
		return fmt.Errorf("-hidden %d: use 1 to %d", p.hidden, 1<<20)
	case p.epochs < 1:
		return fmt.Errorf("-epochs %d: use at least 1", p.epochs)
	case !(p.rate > 0):
		return fmt.Errorf("-rate %v: use a number above 0", p.rate)
	}
	return nil
}

// above is the first multiple of k, from k on, that is not below n.
func above(n, k int) int { return (max(n, 1) + k - 1) / k * k }

func (p problem) run(ctx context.Context, w *shmem.World) error {
	if err := p.check(w.NPEs()); err != nil {
		return err
	}
	t, err := newTrainer(ctx, w, p)
	if err != nil {
		return err
	}
	start := time.Now()
	loss, err := t.train(ctx)
	if err != nil {
		return err
	}
	elapsed := time.Since(start)
	right, err := t.verify(ctx, loss)
	if err != nil {
		return err
	}
	if w.MyPE() == 0 {
		fmt.Printf("%.1f%% of fresh points are right, the weights are %08x on all %d PEs; %.0f points/s\n",
			100*right, t.hash(), w.NPEs(), float64(p.points)*float64(p.epochs)/elapsed.Seconds())
	}
	return nil
}

// train learns all points again and again, and returns the loss of the last time. PE 0
// shows how it falls.
func (t *trainer) train(ctx context.Context) (loss float64, err error) {
	var line *progress.Line // nil is silent
	if t.w.MyPE() == 0 {
		line = progress.New(os.Stderr, t.epochs)
	}
	defer line.Done()
	for epoch := 1; epoch <= t.epochs; epoch++ {
		if loss, err = t.epoch(ctx); err != nil {
			return 0, err
		}
		line.Step()
		if t.w.MyPE() == 0 && (epoch == 1 || epoch%max(t.epochs/8, 1) == 0) {
			line.Done()
			fmt.Printf("epoch %d: loss %.4f\n", epoch, loss)
		}
	}
	return loss, nil
}

// verify is an error if the weights are not the same on all PEs, bit by bit, or have
// learned too little. It returns which part of fresh points they get right.
func (t *trainer) verify(ctx context.Context, loss float64) (right float64, err error) {
	if err := t.same(ctx); err != nil {
		return 0, err
	}
	if !(loss < t.bound) { // so that NaN is wrong, too
		return 0, fmt.Errorf("the loss is %.4g, but must be below %v: give it more -epochs or another -rate", loss, t.bound)
	}
	return t.right(ctx)
}

// same compares the weights with those of PE 0.
func (t *trainer) same(ctx context.Context) error {
	first, err := shmem.Alloc[float32](ctx, t.w, len(t.net.weights))
	if err != nil {
		return err
	}
	if err := first.CopyFrom(t.net.weights); err != nil {
		return err
	}
	if err := shmem.Broadcast(ctx, t.w.Team(), first, first, 0); err != nil {
		return err
	}
	theirs, err := first.Local()
	if err != nil {
		return err
	}
	for i, v := range t.net.weights {
		if math.Float32bits(v) != math.Float32bits(theirs[i]) {
			return fmt.Errorf("weight %d is %v on PE %d, but %v on PE 0", i, v, t.w.MyPE(), theirs[i])
		}
	}
	return nil
}
