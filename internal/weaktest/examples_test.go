package weaktest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// TestExamples: every example passes over weak mode, whatever the seed. With one place
// less that orders or completes something it fails within 50 seeds, except at those of
// needless.
func TestExamples(t *testing.T) {
	tally := &tally{needless: needless(), seen: map[string]bool{}}
	t.Run("all", func(t *testing.T) {
		for i, e := range examples() {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				program, places := e.build(t)
				if got := run(t, program, "-pes", fmt.Sprint(3+i%2), "-seeds", fmt.Sprint(many(t, "WEAK_SEEDS", 24))); !strings.HasPrefix(got, "passed ") {
					t.Errorf("%s: %s\n%s", e.name, e.entry, got)
				}
				for k, place := range places {
					got := run(t, program, "-mutation", fmt.Sprint(k), "-seeds", fmt.Sprint(many(t, "WEAK_MUTANT_SEEDS", 50)))
					t.Logf("%v (line %d): %s", place, place.line, got)
					tally.add(t, place, strings.HasPrefix(got, "failed "))
				}
			})
		}
	})
	tally.conclude(t)
}

// TestAllExamples: every example over package shmem is in the list, and every call in them
// that orders or completes something can be left out.
func TestAllExamples(t *testing.T) {
	listed := map[string]bool{}
	for _, e := range examples() {
		listed[e.name] = true
	}
	orders := regexp.MustCompile(`\.(\w*(?:Barrier|Sync|Quiet|Fence|WaitUntil)\w*|Put\w*Signal\w*)\(`)
	main, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "main.go"))
	if err != nil || len(main) < len(listed) {
		t.Fatalf("%d programs: %v", len(main), err)
	}
	for _, path := range main {
		name := filepath.Base(filepath.Dir(path))
		if slices.Contains(ofKernels(), name) {
			continue
		}
		for _, source := range sources(t, name) {
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), `"github.com/goshmem/goshmem/shmem"`) {
				continue
			}
			if !listed[name] {
				t.Errorf("example %s is not in the list", name)
			}
			for _, call := range orders.FindAllStringSubmatch(string(text), -1) {
				if substitutes(call[1]) == nil {
					t.Errorf("%s calls %s, which has no mutant", source, call[1])
				}
			}
		}
	}
}

// tally counts mutants.
type tally struct {
	needless map[string]string

	mu            sync.Mutex // guards what follows
	seen          map[string]bool
	tried, caught int
}

func (y *tally) add(t *testing.T, place mutation, failed bool) {
	t.Helper()
	y.mu.Lock()
	defer y.mu.Unlock()
	y.seen[place.String()] = true
	if reason, listed := y.needless[place.String()]; listed {
		if failed {
			t.Errorf("%v fails, but is listed as needless: %s", place, reason)
		}
		return
	}
	y.tried++
	if failed {
		y.caught++
	} else {
		t.Logf("%v: no seed makes it fail", place)
	}
}

func (y *tally) conclude(t *testing.T) {
	t.Helper()
	for place := range y.needless {
		if !y.seen[place] {
			t.Errorf("%s is listed as needless and is no place of any example", place)
		}
	}
	t.Logf("%d of %d mutants fail", y.caught, y.tried)
	if y.tried == 0 || 100*y.caught < 95*y.tried {
		t.Errorf("%d of %d mutants fail: fewer than 95 of 100", y.caught, y.tried)
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
