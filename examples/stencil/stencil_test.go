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
	for pes, want := range map[int]string{1: "1 x 1", 2: "2 x 1", 4: "2 x 2", 5: "5 x 1", 6: "3 x 2"} {
		t.Run(want, func(t *testing.T) {
			p := problem{n: 43, iterations: 5} // blocks of different sizes
			if err := shmem.RunLocal(t.Context(), pes, shmem.Options{}, p.run); err != nil {
				t.Error(err)
			}
			if across, down := shape(pes); want != fmt.Sprintf("%d x %d", across, down) {
				t.Errorf("%d PEs are %d x %d", pes, across, down)
			}
		})
	}
}

// TestSmallest has blocks of two rows and columns, some with no point that has all its
// neighbours.
func TestSmallest(t *testing.T) {
	for pes, n := range map[int]int{1: 5, 4: 5, 6: 6, 7: 14, 9: 6} {
		p := problem{n: n, iterations: 3}
		if err := shmem.RunLocal(t.Context(), pes, shmem.Options{}, p.run); err != nil {
			t.Errorf("%d x %d on %d PEs: %v", n, n, pes, err)
		}
	}
}

// TestChecked runs with every promise checked, and with neighbours on other
// nodes.
func TestChecked(t *testing.T) {
	p := problem{n: 20, iterations: 4}
	if err := shmem.RunLocal(t.Context(), 4, shmem.Options{Check: shmem.CheckOn, NodeSize: 1}, p.run); err != nil {
		t.Error(err)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 4, jobtest.Build(t, "."), "-n", "50", "-iterations", "6")
	if want := "50 x 50 on 2 x 2 PEs: norm 14, as it must be; "; len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("the job wrote %q, want one line that begins with %q", got, want)
	}
}

// TestWrongResultIsNoticed leaves the exchange out, or does it only once.
func TestWrongResultIsNoticed(t *testing.T) {
	p := problem{n: 20, iterations: 3}
	for name, last := range map[string]int{"no exchange": -1, "one exchange": 0} {
		t.Run(name, func(t *testing.T) {
			err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
				b := newBlock(w.MyPE(), 2, 2, p.n)
				h, err := newHalo(ctx, w, b, 10)
				if err != nil {
					return err
				}
				_, err = p.sweeps(ctx, w, b, func(ctx context.Context, k int) error {
					if k > last {
						return nil
					}
					return h.exchange(ctx, k)
				})
				if err != nil {
					return err
				}
				_, err = p.norm(ctx, w, b)
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "but must be 8") {
				t.Errorf("got %v, want an error about the norm", err)
			}
		})
	}
}

func TestBadArguments(t *testing.T) {
	for want, p := range map[string]problem{
		"-n 3: for 2 x 2 PEs and a star of radius 2 use 5 to 65536":     {n: 3, iterations: 1},
		"-n 70000: for 2 x 2 PEs and a star of radius 2 use 5 to 65536": {n: 70000, iterations: 1},
		"-iterations 0: use at least 1":                                 {n: 20},
		`unexpected argument "20"`:                                      {n: 20, iterations: 1, rest: []string{"20"}},
	} {
		err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, p.run)
		if err == nil || strings.Count(err.Error(), want) != 4 {
			t.Errorf("got %v, want from each PE: %s", err, want)
		}
	}
}
