package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

// little is a training that takes no time and need not get far.
var little = problem{points: 240, batch: 48, hidden: 16, epochs: 5, rate: 0.1, bound: 1, seed: 1}

func TestGoroutines(t *testing.T) {
	for _, pes := range []int{1, 3, 4} {
		if err := shmem.RunLocal(t.Context(), pes, shmem.Options{}, little.run); err != nil {
			t.Errorf("%d PEs: %v", pes, err)
		}
	}
}

// TestChecked runs with every promise checked, and with the others on other nodes.
func TestChecked(t *testing.T) {
	if err := shmem.RunLocal(t.Context(), 4, shmem.Options{Check: shmem.CheckOn, NodeSize: 1}, little.run); err != nil {
		t.Error(err)
	}
}

// TestProcesses trains twice, which must give the same.
func TestProcesses(t *testing.T) {
	program := jobtest.Build(t, ".")
	train := func() string {
		got := jobtest.Run(t, 4, program, "-points", "480", "-batch", "48", "-hidden", "32", "-epochs", "200", "-bound", "0.3")
		got[0], _, _ = strings.Cut(got[0], ";") // in order of the alphabet the result is first; without the speed
		return strings.Join(got, "\n")
	}
	first := train()
	for _, want := range []string{"epoch 1: loss ", "epoch 200: loss 0.", "% of fresh points are right, the weights are ", " on all 4 PEs"} {
		if !strings.Contains(first, want) {
			t.Errorf("the job wrote\n%s\nwithout %q", first, want)
		}
	}
	if second := train(); second != first {
		t.Errorf("the job wrote\n%s\nat first, and now\n%s", first, second)
	}
}

// TestSlopes compares the gradients with how the loss changes if a weight does.
func TestSlopes(t *testing.T) {
	const step = 1e-2
	slopes := make([]float32, size(8))
	n := newNetwork(rand.New(rand.NewPCG(1, 0)), 8, slopes)
	for _, p := range []point{{0.3, -0.2, 1}, {-0.5, 0.9, 0}} {
		clear(slopes)
		n.learn(p)
		want := slices.Clone(slopes)
		for i, v := range n.weights {
			n.weights[i] = v + step
			more := n.learn(p)
			n.weights[i] = v - step
			less := n.learn(p)
			n.weights[i] = v
			if got := (more - less) / (2 * step); got < want[i]-0.01 || got > want[i]+0.01 {
				t.Errorf("weight %d: the loss changes by %v, the gradient is %v", i, got, want[i])
			}
		}
	}
}

// TestDifferentWeightsAreNoticed changes one weight of PE 2, or its gradients.
func TestDifferentWeightsAreNoticed(t *testing.T) {
	for want, spoil := range map[string]func(*trainer){
		"weight 3 is ": func(t *trainer) { t.net.weights[3] += 1e-5 },
		"on PE 2, but": func(t *trainer) { t.rate *= 1.01 },
	} {
		err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
			tr, err := newTrainer(ctx, w, little)
			if err != nil {
				return err
			}
			if w.MyPE() == 2 {
				spoil(tr)
			}
			loss, err := tr.train(ctx)
			if err != nil {
				return err
			}
			_, err = tr.verify(ctx, loss)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestBadTrainingIsNoticed(t *testing.T) {
	for name, rate := range map[string]float64{"slow": 1e-9, "wild": 1e30} {
		p := little
		p.rate, p.bound = rate, 0.5
		err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, p.run)
		if want := "but must be below 0.5"; err == nil || strings.Count(err.Error(), want) < 4 {
			t.Errorf("%s: got %v, want from each PE: %s", name, err, want)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for want, spoil := range map[string]func(*problem){
		"-batch 50 is not a multiple of the 4 PEs: use 52":    func(p *problem) { p.batch = 50 },
		"-batch -1 is not a multiple of the 4 PEs: use 4":     func(p *problem) { p.batch = -1 },
		"-points 0: use 1 to 16777216":                        func(p *problem) { p.points = 0 },
		"-points 250 is not a multiple of -batch 48: use 288": func(p *problem) { p.points = 250 },
		"-hidden 0: use 1 to 1048576":                         func(p *problem) { p.hidden = 0 },
		"-epochs 0: use at least 1":                           func(p *problem) { p.epochs = 0 },
		"-rate 0: use a number above 0":                       func(p *problem) { p.rate = 0 },
		`unexpected argument "5"`:                             func(p *problem) { p.rest = []string{"5"} },
	} {
		p := little
		spoil(&p)
		err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, p.run)
		if err == nil || strings.Count(err.Error(), want) != 4 {
			t.Errorf("got %v, want from each PE: %s", err, want)
		}
	}
}
