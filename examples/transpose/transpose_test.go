package main

import (
	"context"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func TestGoroutines(t *testing.T) {
	for _, pes := range []int{1, 2, 3, 4} {
		for _, p := range []problem{
			{n: 12, tile: 5, iterations: 3},
			{n: 60, tile: 32, iterations: 2},
			{n: 108, tile: 1000, iterations: 1},
			{n: 24, tile: 1, iterations: 1},
		} {
			if err := shmem.RunLocal(t.Context(), pes, shmem.Options{}, p.run); err != nil {
				t.Errorf("%+v on %d PEs: %v", p, pes, err)
			}
		}
	}
}

// TestChecked runs with every promise checked, and with the others on other nodes.
func TestChecked(t *testing.T) {
	p := problem{n: 20, tile: 4, iterations: 3}
	if err := shmem.RunLocal(t.Context(), 4, shmem.Options{Check: shmem.CheckOn, NodeSize: 1}, p.run); err != nil {
		t.Error(err)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 4, jobtest.Build(t, "."), "-n", "100", "-tile", "16", "-iterations", "4")
	if want := "100 x 100 on 4 PEs: no error; "; len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("the job wrote %q, want one line that begins with %q", got, want)
	}
}

// TestUsualSize: without -n the matrix suits any number of PEs.
func TestUsualSize(t *testing.T) {
	for pes, n := range map[int]int{1: 1024, 2: 1024, 3: 1023, 4: 1024, 5: 1020, 7: 1022, 2000: 2000} {
		p := problem{n: usual, tile: 32, iterations: 1, fit: true}.fitted(pes)
		if err := p.check(pes); err != nil || p.n != n {
			t.Errorf("%d PEs: -n %d, want %d, %v", pes, p.n, n, err)
		}
	}
	got := jobtest.Run(t, 3, jobtest.Build(t, "."), "-iterations", "1")
	if want := "1023 x 1023 on 3 PEs: no error; "; len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("the job wrote %q, want one line that begins with %q", got, want)
	}
}

// TestWrongResultIsNoticed leaves the last exchange out.
func TestWrongResultIsNoticed(t *testing.T) {
	p := problem{n: 16, tile: 4, iterations: 3}
	err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
		m, err := newMatrices(ctx, w, p.n, p.tile)
		if err != nil {
			return err
		}
		times := 0
		_, err = p.repeat(ctx, w, m, func(ctx context.Context) error {
			if times++; times > p.iterations {
				return nil
			}
			return m.exchange(ctx)
		})
		if err != nil {
			return err
		}
		return p.verify(ctx, w, m)
	})
	// Every element lacks the 1 by which a had grown.
	if err == nil || !strings.Contains(err.Error(), "add up to 256, but must to 0") {
		t.Errorf("got %v, want an error about the sum of errors", err)
	}
}

func TestBadArguments(t *testing.T) {
	good := problem{n: 16, tile: 4, iterations: 1}
	for want, spoil := range map[string]func(*problem){
		"-n 17: use a multiple of the 4 PEs from 4 to 65536":    func(p *problem) { p.n = 17 },
		"-n 0: use a multiple of the 4 PEs from 4 to 65536":     func(p *problem) { p.n = 0 },
		"-n 65540: use a multiple of the 4 PEs from 4 to 65536": func(p *problem) { p.n = 65540 },
		"-tile 0: use at least 1":                               func(p *problem) { p.tile = 0 },
		"-iterations -1: use at least 1":                        func(p *problem) { p.iterations = -1 },
		`unexpected argument "16"`:                              func(p *problem) { p.rest = []string{"16"} },
	} {
		p := good
		spoil(&p)
		err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, p.run)
		if err == nil || strings.Count(err.Error(), want) != 4 {
			t.Errorf("got %v, want from each PE: %s", err, want)
		}
	}
}
