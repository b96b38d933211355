package main

import (
	"context"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func TestGoroutines(t *testing.T) {
	for _, pes := range []int{1, 3, 4} {
		for _, p := range []problem{
			{words: 1000, updates: 4, seed: 1},
			{words: 1, updates: 5000, seed: 2}, // all at the same few words
		} {
			if err := shmem.RunLocal(t.Context(), pes, shmem.Options{}, p.run); err != nil {
				t.Errorf("%+v on %d PEs: %v", p, pes, err)
			}
		}
	}
}

// TestChecked runs with every promise checked, and with the others on other nodes.
func TestChecked(t *testing.T) {
	p := problem{words: 100, updates: 2, seed: 1}
	if err := shmem.RunLocal(t.Context(), 4, shmem.Options{Check: shmem.CheckOn, NodeSize: 1}, p.run); err != nil {
		t.Error(err)
	}
}

func TestProcesses(t *testing.T) {
	got := jobtest.Run(t, 4, jobtest.Build(t, "."), "-words", "500", "-updates", "8")
	if want := "16000 updates on 4 PEs: "; len(got) != 2 || !strings.HasPrefix(got[0], want) || !strings.HasSuffix(got[1], ": 0 errors") {
		t.Errorf("the job wrote %q, want a line that begins with %q and one that says 0 errors", got, want)
	}
}

// TestDigits: slow machines have a rate too.
func TestDigits(t *testing.T) {
	for rate, want := range map[float64]string{0.02917: "0.0292", 0.0000034567: "0.00000346", 1.5: "1.50", 123456: "123456"} {
		if got := digits(rate); got != want {
			t.Errorf("%v is written %s, want %s", rate, got, want)
		}
	}
}

// TestPlace looks at the first and the last word of each PE.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		v        uint64
		pe, word int
	}{{0, 0, 0}, {1<<64 - 1, 3, 9}, {1 << 62, 1, 0}, {1<<62 - 1, 0, 9}, {1 << 63, 2, 0}} {
		if pe, word := place(c.v, 4, 10); pe != c.pe || word != c.word {
			t.Errorf("%#x: word %d of PE %d, want word %d of PE %d", c.v, word, pe, c.word, c.pe)
		}
	}
}

// TestWrongResultIsNoticed writes to one word of PE 2 after the updates, or leaves out
// the last of the second ones.
func TestWrongResultIsNoticed(t *testing.T) {
	for want, spoil := range map[string]struct {
		write bool
		again int
	}{
		"differ by 2a: updates were lost": {true, 100},
		"1 of 200 words are wrong":        {false, 99},
	} {
		err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, func(ctx context.Context, w *shmem.World) error {
			return spoiled(ctx, w, spoil.write, spoil.again)
		})
		if err == nil || strings.Count(err.Error(), want) != 4 {
			t.Errorf("got %v, want from each PE: %s", err, want)
		}
	}
}

// spoiled does 100 updates twice, but does what its name says on PE 2.
func spoiled(ctx context.Context, w *shmem.World, write bool, again int) error {
	t, err := newTable(ctx, w, problem{words: 50, seed: 1})
	if err != nil {
		return err
	}
	if _, err := t.update(ctx, t.stream(), 100); err != nil {
		return err
	}
	if w.MyPE() == 2 && write {
		t.mine[7] ^= 42
	}
	if err := t.arrived(ctx); err != nil {
		return err
	}
	if w.MyPE() != 2 {
		again = 100
	}
	if _, err := t.update(ctx, t.stream(), again); err != nil {
		return err
	}
	return t.untouched(ctx)
}

func TestBadArguments(t *testing.T) {
	good := problem{words: 16, updates: 1}
	for want, spoil := range map[string]func(*problem){
		"-words 0: use at least 1":     func(p *problem) { p.words = 0 },
		"-updates 0: use 1 to 1000000": func(p *problem) { p.updates = 0 },
		`unexpected argument "16"`:     func(p *problem) { p.rest = []string{"16"} },
		"symmetric heap":               func(p *problem) { p.words = 1 << 40 },
	} {
		p := good
		spoil(&p)
		err := shmem.RunLocal(t.Context(), 4, shmem.Options{}, p.run)
		if err == nil || strings.Count(err.Error(), want) < 4 {
			t.Errorf("got %v, want from each PE: %s", err, want)
		}
	}
}
