package weaktest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// mutant is an idiom with a form, and a step left out.
type mutant struct {
	idiom
	form
	without string
}

func (m mutant) String() string {
	return fmt.Sprintf("%s, %s: no %s", m.idiom.name, m.form.name, m.without)
}

// run returns what comes of a mutant with a seed.
func (m mutant) try(t *testing.T, seed uint64) error {
	t.Helper()
	o := shmem.Options{HeapSize: 64 << 10, Timeout: 20 * time.Second, Weak: seed}
	return shmem.RunLocal(t.Context(), 3, o, func(ctx context.Context, w *shmem.World) error {
		l := newLittle(ctx, w, m.without)
		l.do(func() error { return w.Barrier(ctx) })
		m.idiom.run(l, m.form)
		return l.err
	})
}

// mutants are all of them; with whole programs in place of mutants if sound.
func mutants(sound bool) []mutant {
	var all []mutant
	add := func(i idiom, f form) {
		if sound {
			all = append(all, mutant{i, f, "nothing"})
			return
		}
		for _, step := range i.steps {
			all = append(all, mutant{i, f, step})
		}
	}
	for _, i := range idioms() {
		for _, f := range forms() {
			add(i, f)
		}
	}
	for _, i := range special() {
		add(i, form{name: "as it is"})
	}
	return all
}

// TestProgramsPass: with nothing left out no seed makes a little program fail.
func TestProgramsPass(t *testing.T) {
	for _, m := range mutants(true) {
		t.Run(m.String(), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(many(t, "WEAK_SEEDS", 8)) {
				if err := m.try(t, seed+1); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestProgramMutantsFail: with one step left out nearly all fail within 50 seeds.
func TestProgramMutantsFail(t *testing.T) {
	caught, all := make(chan bool, 1000), mutants(false)
	t.Run("all", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.String(), func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(many(t, "WEAK_MUTANT_SEEDS", 50)) {
					if err := m.try(t, seed+1); err != nil {
						caught <- true
						return
					}
				}
				t.Log("no seed makes it fail")
			})
		}
	})
	t.Logf("%d of %d mutants fail", len(caught), len(all))
	if 100*len(caught) < 95*len(all) {
		t.Error("fewer than 95 of 100")
	}
}
