package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// judge runs the command over recorded output of the go command.
func judge(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(args, strings.NewReader(""), &out)
	return out.String(), err
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestRecordedRuns(t *testing.T) {
	list := filepath.Join(t.TempDir(), "skips.txt")
	full := "# a comment\nNoGPU example.org/sample/skips TestListed # why\n\nNoCC example.org/sample/other *\n"
	if err := os.WriteFile(list, []byte(full), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, files, closing string
		fails                string   // what the error must contain; "" for a good run
		shows                []string // what the report must contain
		hides                string
	}{
		{name: "good", files: "good", closing: "4 passed, 0 failed, 0 skipped", shows: []string{"ok   example.org/sample/good 4 tests"}},
		{name: "failing test", files: "bad", closing: "1 passed, 2 failed, 0 skipped", fails: "2 failed",
			shows: []string{"FAIL example.org/sample/bad", "failed: example.org/sample/bad TestBad/inner", "two and two is five"}, hides: "quiet"},
		{name: "build failure", files: "broken", closing: "0 passed, 1 failed, 0 skipped", fails: "1 failed",
			shows: []string{"undefined: undefined"}},
		{name: "build failure beside good tests", files: "good broken", closing: "4 passed, 1 failed, 0 skipped", fails: "1 failed"},
		{name: "no tests", files: "empty", closing: "0 passed, 0 failed, 0 skipped", fails: "no test ran", shows: []string{"none example.org/sample/empty"}},
		{name: "no tests in one package", files: "good empty", closing: "4 passed, 0 failed, 0 skipped"},
		{name: "exit in a test", files: "dies", closing: "1 passed, 1 failed, 0 skipped", fails: "1 failed", shows: []string{"last words"}},
		{name: "skips", files: "skips", closing: "1 passed, 0 failed, 2 skipped", fails: "not in the list of those that may happen: 1",
			shows: []string{"skip [NoGPU] example.org/sample/skips TestListed: no GPU here\n", "skip [] example.org/sample/skips TestBare: skipped without a code (not in the list)",
				"listed skip did not happen: NoCC example.org/sample/other *"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"-skips", list}
			for _, f := range strings.Fields(c.files) {
				args = append(args, filepath.Join("testdata", f+".json"))
			}
			out, err := judge(t, args...)
			if got := lastLine(out); got != c.closing {
				t.Errorf("closing line %q, want %q", got, c.closing)
			}
			if c.fails == "" && err != nil {
				t.Errorf("a good run failed: %v", err)
			}
			if c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
				t.Errorf("error %v, want %q in it", err, c.fails)
			}
			for _, s := range c.shows {
				if !strings.Contains(out, s) {
					t.Errorf("the report lacks %q:\n%s", s, out)
				}
			}
			if c.hides != "" && strings.Contains(out, c.hides) {
				t.Errorf("the report shows output of a passing test:\n%s", out)
			}
		})
	}
}

// A run that is cut off, for example because the whole process group was killed,
// leaves a stream without the closing events.
func TestCutOffStreamFails(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "good.json"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	for keep := 1; keep < len(lines)-1; keep++ {
		var out strings.Builder
		err := run(nil, strings.NewReader(strings.Join(lines[:keep], "")), &out)
		if err == nil {
			t.Errorf("the first %d of %d lines count as a good run:\n%s", keep, len(lines)-1, out.String())
		}
	}
}

func TestLongOutputIsShortened(t *testing.T) {
	var lines []string
	for i := range mostLines + 50 {
		lines = append(lines, fmt.Sprint("line ", i))
	}
	if got := shorten(lines[:mostLines]); len(got) != mostLines {
		t.Errorf("%d lines became %d", mostLines, len(got))
	}
	got := shorten(lines)
	if len(got) != mostLines+1 || got[0] != lines[0] || got[mostLines] != lines[len(lines)-1] || got[mostLines/2] != "... 50 lines left out ..." {
		t.Errorf("%d lines; in the middle %q", len(got), got[mostLines/2])
	}
}

func TestTallyGrowsByTheClosingLine(t *testing.T) {
	tally := filepath.Join(t.TempDir(), "tally")
	if _, err := judge(t, "-tally", tally, filepath.Join("testdata", "good.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := judge(t, "-tally", tally, filepath.Join("testdata", "bad.json")); err == nil {
		t.Error("a bad run is good when it is tallied")
	}
	got, err := os.ReadFile(tally)
	if want := "4 passed, 0 failed, 0 skipped\n1 passed, 2 failed, 0 skipped\n"; err != nil || string(got) != want {
		t.Errorf("tally %q (%v), want %q", got, err, want)
	}
}

func TestPlainTextIsShown(t *testing.T) {
	var out strings.Builder
	err := run(nil, strings.NewReader("go: cannot find main module\n{not json\n"), &out)
	if err == nil || !strings.Contains(out.String(), "go: cannot find main module\n{not json\n") {
		t.Errorf("error %v, output %q", err, out.String())
	}
}

func TestAllowance(t *testing.T) {
	s := skipped{id: id{"p", "TestA/b"}, code: "NoCC"}
	for a, want := range map[allowance]bool{
		{"NoCC", "p", "TestA/b"}: true,
		{"NoCC", "p", "TestA/*"}: true,
		{"NoCC", "p", "*"}:       true,
		{"NoCC", "p", "TestA"}:   false,
		{"NoCC", "p", "TestB/*"}: false,
		{"NoGPU", "p", "*"}:      false,
		{"NoCC", "q", "*"}:       false,
	} {
		if got := a.covers(s); got != want {
			t.Errorf("%v covers %v: %v, want %v", a, s, got, want)
		}
	}
}

func TestBadInput(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(bad, []byte("# fine\nNoCC onlytwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"bad.txt:2":              {"-skips", bad},
		"read the list of skips": {"-skips", filepath.Join(t.TempDir(), "absent.txt")},
		"open test output":       {filepath.Join(t.TempDir(), "absent.json")},
	} {
		if _, err := judge(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q in it", args, err, want)
		}
	}
}
