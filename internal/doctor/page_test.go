package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPage holds the table in the documentation against the checks.
func TestPage(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "doctor.md")
	text, err := os.ReadFile(page)
	must(t, err)
	const head, tail = "|---|---|---|---|---|\n", "<!-- end -->\n"
	before, rest, _ := strings.Cut(string(text), head)
	got, after, found := strings.Cut(rest, tail)
	if !found {
		t.Fatal("the page has no table of findings")
	}
	if line := fmt.Sprintf("nothing needs attention (%d checks)\n", (Report{}).made()); !strings.Contains(before, line) {
		t.Errorf("the page does not show %q", line)
	}
	want := ""
	for _, c := range Checks() {
		want += fmt.Sprintf("| %s | %s | %s | %s | %s |\n", c.ID, c.Severity, cell(c.Looks), cell(c.Why), cell(c.Fix))
	}
	if *update {
		must(t, os.WriteFile(page, []byte(before+head+want+tail+after), 0o666))
	} else if got != want {
		t.Errorf("docs/doctor.md is not what the checks say: go test ./internal/doctor -run Page -update")
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// TestChecksAreWhole: each has all of its texts, and its own name.
func TestChecksAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Checks() {
		if c.ID == "" || c.Looks == "" || c.Why == "" || c.Fix == "" || c.Severity.rank() < 0 || seen[c.ID] {
			t.Errorf("%+v is not whole, or not the only one of its name", c.ID)
		}
		if c.find != nil && c.compare != nil {
			t.Errorf("%s finds and compares", c.ID)
		}
		seen[c.ID] = true
	}
	if made := (Report{}).made(); made != len(slices.DeleteFunc(Checks(), func(c Check) bool { return c.compare != nil })) {
		t.Errorf("%d checks are counted for one process", made)
	}
}
