package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func TestGoroutines(t *testing.T) {
	for _, pes := range []int{1, 2, 3, 4} {
		for _, p := range []problem{
			{columns: 5, rows: 2, iterations: 3},
			{columns: 50, rows: 30, iterations: 4},
			{columns: 6, rows: 100, iterations: 2},
		} {
			if err := shmem.RunLocal(t.Context(), pes, shmem.Options{}, p.run); err != nil {
				t.Errorf("%+v on %d PEs: %v", p, pes, err)
			}
		}
	}
}

// TestChecked runs with every promise checked, and with the others on other nodes.
func TestChecked(t *testing.T) {
	p := problem{columns: 20, rows: 10, iterations: 3}
	if err := shmem.RunLocal(t.Context(), 4, shmem.Options{Check: shmem.CheckOn, NodeSize: 1}, p.run); err != nil {
		t.Error(err)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 4, jobtest.Build(t, "."), "-m", "80", "-n", "60", "-iterations", "5")
	if want := "80 x 60 on 4 PEs: corner 828, as it must be; "; len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("the job wrote %q, want one line that begins with %q", got, want)
	}
}

// TestWrongResultIsNoticed lets no PE send anything, or no corner.
func TestWrongResultIsNoticed(t *testing.T) {
	p := problem{columns: 20, rows: 10, iterations: 3}
	sweeps := func(g *grid, _ context.Context, _ uint64) error {
		for row := 1; row < g.rows; row++ {
			g.sweep(row)
		}
		return nil
	}
	noCorner := func(g *grid, ctx context.Context, k uint64) error {
		err := g.pass(ctx, k)
		g.left[0] = float64(max(0, g.left[0])) // that of PE 0 alone is ever below
		return err
	}
	for name, pass := range map[string]func(*grid, context.Context, uint64) error{"nothing is sent": sweeps, "no corner": noCorner} {
		t.Run(name, func(t *testing.T) {
			err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
				g, err := newGrid(ctx, w, p.columns, p.rows)
				if err != nil {
					return err
				}
				for k := range p.iterations + 1 {
					if err := pass(g, ctx, uint64(k+1)); err != nil {
						return err
					}
				}
				return p.verify(g)
			})
			if want := fmt.Sprintf("but must be %v", p.corner()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an error with %q", err, want)
			}
		})
	}
}

func TestBadArguments(t *testing.T) {
	good := problem{columns: 16, rows: 4, iterations: 1}
	for want, spoil := range map[string]func(*problem){
		"-m 4: use 5 to 65536, so that each of the 4 PEs": func(p *problem) { p.columns = 4 },
		"-m 65537: use 5 to 65536":                        func(p *problem) { p.columns = 65537 },
		"-n 1: use 2 to 65536":                            func(p *problem) { p.rows = 1 },
		"-iterations 0: use at least 1":                   func(p *problem) { p.iterations = 0 },
		`unexpected argument "16"`:                        func(p *problem) { p.rest = []string{"16"} },
	} {
		p := good
		spoil(&p)
		err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, p.run)
		if err == nil || strings.Count(err.Error(), want) != 4 {
			t.Errorf("got %v, want from each PE: %s", err, want)
		}
	}
}
