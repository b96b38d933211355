package testjob

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/launch/launcher"
)

// transcriptOf is what a rank reports with the given output; ^ stands for the mark.
func transcriptOf(t *testing.T, output string) *transcript {
	t.Helper()
	tr := newTranscript()
	// In pieces, as it comes from a pipe.
	for piece := range slices.Chunk([]byte(strings.ReplaceAll(output, "^", mark)), 7) {
		if n, err := tr.Write(piece); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	tr.finish()
	return tr
}

func TestTranscript(t *testing.T) {
	tr := transcriptOf(t, `before all
^=== RUN   TestA
text without end^=== RUN   TestA/sub
in the sub
^    --- FAIL: TestA/sub (0.00s)
^--- FAIL: TestA (0.01s)
^=== NAME  
between
^=== RUN   TestB
--- PASS: TestB (0.00s)
^=== PAUSE TestB
^=== CONT  TestB
^=== ATTR  TestB key value
^--- SKIP: TestB (0.00s)
^=== RUN   TestC
panic: boom`)
	if want := []string{"TestA", "TestB", "TestC"}; !slices.Equal(tr.order, want) {
		t.Errorf("order %q, want %q", tr.order, want)
	}
	if got, want := fmt.Sprint(tr.status), "map[TestA:FAIL TestB:SKIP TestC:]"; got != want {
		t.Errorf("status %s, want %s", got, want)
	}
	for test, want := range map[string][]string{
		"":      {"before all", "between"},
		"TestA": {"text without end", "in the sub", "    --- FAIL: TestA/sub (0.00s)", "--- FAIL: TestA (0.01s)"},
		"TestB": {"--- PASS: TestB (0.00s)", "--- SKIP: TestB (0.00s)"},
		"TestC": {"panic: boom"},
	} {
		if !slices.Equal(tr.lines[test], want) {
			t.Errorf("lines of %q: %q, want %q", test, tr.lines[test], want)
		}
	}
}

// However much a rank writes, a bounded part is kept, and the results still count.
func TestTranscriptIsBounded(t *testing.T) {
	tr := newTranscript()
	long := strings.Repeat("x", 1<<20)
	for i := range 20 {
		fmt.Fprintf(tr, "%s=== RUN   Test%d\n%s\n%s--- PASS: Test%d (0.00s)\n", mark, i, long, mark, i)
	}
	fmt.Fprint(tr, strings.Repeat(long, 10))
	kept := len(tr.rest)
	for _, lines := range tr.lines {
		kept += len(strings.Join(lines, "\n"))
	}
	if kept > 2*maxOutput || tr.status["Test19"] != passed {
		t.Errorf("%d bytes kept, Test19 %q", kept, tr.status["Test19"])
	}
}

// ended makes the results of ranks from their exit codes; 137 is a SIGKILL.
func ended(codes ...int) launcher.Result {
	var res launcher.Result
	for r, code := range codes {
		x := launcher.RankResult{Rank: r, Code: code}
		if code == 137 {
			x.Signal = "SIGKILL"
		}
		res.Ranks = append(res.Ranks, x)
	}
	return res
}

func TestMerge(t *testing.T) {
	const (
		pass = "^=== RUN   TestX\n^--- PASS: TestX (0.00s)\n"
		fail = "^=== RUN   TestX\n^--- FAIL: TestX (0.00s)\n"
		skip = "^=== RUN   TestX\n^--- SKIP: TestX (0.00s)\n"
		dies = "^=== RUN   TestX\n"
		none = "^PASS\n"
	)
	for _, c := range []struct {
		name  string
		ranks []string
		codes []int
		want  string
	}{
		{"all pass", []string{pass, pass}, []int{0, 0}, "TestX PASS []"},
		{"all skip", []string{skip, skip}, []int{0, 0}, "TestX SKIP []"},
		{"some skip", []string{skip, pass}, []int{0, 0}, "TestX PASS []"},
		{"one fails", []string{pass, fail, skip}, []int{0, 1, 0}, "TestX FAIL [1] failed on rank 1"},
		{"three fail", []string{fail, fail, pass, fail}, []int{1, 1, 0, 1}, "TestX FAIL [0 1 3] failed on ranks 0-1, 3"},
		{"one dies", []string{pass, pass, dies}, []int{0, 0, 137}, "TestX FAIL [2] not reported by rank 2 (killed by SIGKILL)"},
		{"one has no such test", []string{pass, none}, []int{0, 0}, "TestX FAIL [1] not reported by rank 1 (exit status 0)"},
		{"fails and dies", []string{fail, dies}, []int{1, 137}, "TestX FAIL [0 1] failed on rank 0; not reported by rank 1 (killed by SIGKILL)"},
		{"bad end", []string{pass, pass}, []int{0, 2}, "TestX PASS [],  FAIL [1] rank 1: exit status 2 outside of tests"},
		{"no tests", []string{none, none}, []int{0, 0}, ""},
		{"dead before tests", []string{"", ""}, []int{1, 0}, " FAIL [0] rank 0: exit status 1 outside of tests"},
	} {
		var ranks []*transcript
		for _, output := range c.ranks {
			ranks = append(ranks, transcriptOf(t, output))
		}
		var got []string
		for _, v := range merge(ranks, ended(c.codes...)) {
			got = append(got, strings.TrimSuffix(fmt.Sprintf("%s %s %v %s", v.test, v.status, v.ranks, v.why), " "))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, strings.Join(got, ", "), c.want)
		}
	}
}

// The order of tests is that of the first rank that has them.
func TestNames(t *testing.T) {
	a := transcriptOf(t, "^=== RUN   TestB\n^=== RUN   TestA\n")
	b := transcriptOf(t, "^=== RUN   TestA\n^=== RUN   TestC\n")
	if got := names([]*transcript{a, b}); !slices.Equal(got, []string{"TestB", "TestA", "TestC"}) {
		t.Errorf("%q", got)
	}
}

func TestSummary(t *testing.T) {
	for want, counts := range map[string]tally{
		"":                               {passed: 1},
		"2 failed":                       {passed: 1, failed: 2},
		ErrNoTests.Error():               {},
		"the tests of 1 packages do not": {passed: 1, unbuilt: 1},
	} {
		r := run{Options: Options{Out: io.Discard}, tally: counts}
		err := r.summary()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", counts, err, want)
		}
	}
	var b strings.Builder
	r := run{Options: Options{Out: &b}, tally: tally{1, 2, 3, 0}}
	if r.summary() == nil || b.String() != "1 passed, 2 failed, 3 skipped, 6 in total\n" {
		t.Errorf("summary %q", b.String())
	}
}
