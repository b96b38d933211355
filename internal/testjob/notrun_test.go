package testjob

import (
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/launch/launcher"
)

func TestComplete(t *testing.T) {
	for output, want := range map[string]bool{
		"^=== RUN   TestX\n^--- PASS: TestX (0.00s)\n^PASS\n": true,
		"^=== RUN   TestX\n^--- FAIL: TestX (0.00s)\n^FAIL\n": true,
		"^=== RUN   TestX\n^--- PASS: TestX (0.00s)\n":        false,
		"^=== RUN   TestX\nPASS\n":                            false, // a test's own word
		"":                                                    false,
	} {
		if got := transcriptOf(t, output).complete.Load(); got != want {
			t.Errorf("%q: complete %v", output, got)
		}
	}
}

func TestDead(t *testing.T) {
	const whole, torn = "^PASS\n", "^=== RUN   TestX\n"
	for _, c := range []struct {
		name  string
		ranks []string
		first int
		terms []int // ranks that got SIGTERM
		want  int
	}{
		{"all whole", []string{whole, whole}, -1, nil, -1},
		{"failed in order", []string{whole, whole}, 1, nil, -1},
		{"first died", []string{torn, torn, whole}, 1, []int{0}, 1},
		{"failed in order, then one died", []string{whole, torn}, 0, nil, 1},
		{"died with 0", []string{whole, torn}, -1, nil, 1},
		{"stopped", []string{torn, torn}, -1, []int{0, 1}, -1},
	} {
		res := ended(make([]int, len(c.ranks))...)
		res.First = c.first
		var ranks []*transcript
		for r, output := range c.ranks {
			ranks = append(ranks, transcriptOf(t, output))
			res.Ranks[r].Termed = slices.Contains(c.terms, r)
		}
		if got := dead(ranks, res); got != c.want {
			t.Errorf("%s: rank %d, want %d", c.name, got, c.want)
		}
	}
	if got := dead(nil, launcher.Result{First: -1}); got != -1 {
		t.Errorf("of no ranks: %d", got)
	}
}

func TestFilter(t *testing.T) {
	for args, want := range map[string]string{
		"":                                     "TestA TestB FuzzA",
		"-test.run=A":                          "TestA FuzzA",
		"-test.run=B -test.run TestA":          "TestA",
		"-test.run=^TestB$/part":               "TestB",
		"-test.skip=A -test.timeout=3s":        "TestB",
		"--test.skip=TestA/part -test.run=st":  "TestA TestB",
		"-test.short test.run=B -test.count=1": "TestA TestB FuzzA",
	} {
		keep, err := filter(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, test := range []string{"TestA", "TestB", "FuzzA"} {
			if keep(test) {
				got = append(got, test)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	for _, args := range []string{"-test.run=(", "-test.skip=["} {
		if _, err := filter([]string{args}); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
}
