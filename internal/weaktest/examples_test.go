package weaktest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// many reads how much to try from the environment, for runs that take longer than a
// change has to wait.
func many(t *testing.T, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is not a number from 1 on", name, text)
	}
	return n
}

// TestExamplesPass runs every example over weak mode, as 3 or 4 PEs.
func TestExamplesPass(t *testing.T) {
	for i, e := range examples() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			program, _ := e.build(t)
			if got := run(t, program, "-pes", fmt.Sprint(3+i%2), "-seeds", fmt.Sprint(many(t, "WEAK_SEEDS", 24))); !strings.HasPrefix(got, "passed ") {
				t.Errorf("%s\nexample %s, entry %s", got, e.name, e.entry)
			}
		})
	}
}

// TestMutantsFail breaks every place of the examples that orders or completes
// something: within 50 seeds each mutant fails, except those of needless.
func TestMutantsFail(t *testing.T) {
	var mu sync.Mutex
	tried, caught := 0, 0
	listing, found := needless(), map[string]bool{}
	t.Run("all", func(t *testing.T) {
		for _, e := range examples() {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				program, places := e.build(t)
				for i, place := range places {
					got := run(t, program, "-mutation", fmt.Sprint(i), "-seeds", fmt.Sprint(many(t, "WEAK_MUTANT_SEEDS", 50)))
					failed := strings.HasPrefix(got, "failed ")
					t.Logf("%v (line %d): %s", place, place.line, got)
					mu.Lock()
					switch reason, listed := listing[place.String()]; {
					case !listed:
						tried++
						if failed {
							caught++
						} else {
							t.Logf("%v: no seed makes it fail", place)
						}
					case failed:
						t.Errorf("%v fails, but is listed as needless: %s", place, reason)
					}
					found[place.String()] = true
					mu.Unlock()
				}
			})
		}
	})
	for place := range listing {
		if found[place] {
			continue
		}
		t.Errorf("%s is listed as needless and is no place of any example", place)
	}
	t.Logf("%d of %d mutants fail", caught, tried)
	if tried == 0 || 100*caught < 95*tried {
		t.Errorf("%d of %d mutants fail: fewer than 95 of 100", caught, tried)
	}
}

// needless are the places where leaving a call out breaks nothing, and why.
func needless() map[string]string {
	const clock = "all start or stop the clock together; nothing that was put is used without a signal of its own or a collective"
	return map[string]string{
		"stencil/main.go sweeps: w.Barrier -> noMeeting":   clock,
		"transpose/main.go repeat: w.Barrier -> noMeeting": clock,
		"synch_p2p/main.go passes: w.Barrier -> noMeeting": clock,
		"isx/main.go once: s.w.Barrier -> noMeeting":       "it stops the clock: exchange has completed the puts, and empty meets before the next ones",
	}
}
