package failtest_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/failures.md anew")

const (
	root = "../.."
	page = root + "/docs/failures.md"
)

// TestPage: the page is what the table says. That the lines are really printed is
// for TestFailures to find out.
func TestPage(t *testing.T) {
	want := render()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/failures.md is not what the table says: go test ./internal/failtest -run TestPage -update")
	}
}

const preface = `# What happens when something goes wrong

Every row is a test of ` + "`internal/failtest`" + `: a job of two PEs (processes) in which
one thing goes wrong must end with this exit status, print these lines, and leave no
process, file, socket or shared memory behind; one that a time limit of the test has to
end has failed. Rows marked * also run on goroutine
PEs, whose error has the same lines without hosts and process numbers. A row names the
tests of other packages that hold it in more variants, or alone. This page is made
from that table.

In the lines, HOST, PID, PORT, NAME, TIME and FILE:LINE stand for what differs
between machines and runs, and … for anything. FILE:LINE is in the user's program.

"Elsewhere" is what was seen once, on one machine with two PEs, with Open MPI's
OpenSHMEM 4.1.4, Sandia OpenSHMEM (SOS, 2025-07) and OSSS-UCX (2023-05), each
with its exit status in brackets; or, where it says so, what users have reported.
`

// render is the whole page.
func render() string {
	var b strings.Builder
	b.WriteString(preface)
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n## %s\n", g.title)
		for _, r := range g.rows {
			r.render(&b)
		}
	}
	return b.String()
}

func (r row) render(b *strings.Builder) {
	mark := ""
	if r.local {
		mark = " *"
	}
	fmt.Fprintf(b, "\n### %s%s\n\n", upper(r.fault), mark)
	if r.others != "" {
		fmt.Fprintf(b, "Elsewhere: %s.\n\n", r.others)
	}
	var here []string
	if r.runs() {
		here = append(here, fmt.Sprintf("Exit status %d.", r.code))
	}
	if r.ours != "" {
		here = append(here, r.ours)
	}
	fmt.Fprintf(b, "Here: %s\n", strings.Join(here, " "))
	if len(r.says) > 0 {
		fmt.Fprintf(b, "\n    %s\n", strings.Join(r.says, "\n    "))
	}
	if len(r.tests) > 0 {
		fmt.Fprintf(b, "\nAlso held by %s.\n", strings.Join(r.tests, ", "))
	}
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// TestRowsAreHeld: every row does something or names a test, every test that a row
// names exists, and a row that fails says something.
func TestRowsAreHeld(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows() {
		if seen[r.fault] || r.fault == "" {
			t.Errorf("%q: is there twice, or has no name", r.fault)
		}
		seen[r.fault] = true
		if !r.runs() && len(r.tests) == 0 {
			t.Errorf("%s: no test holds it", r.fault)
		}
		if r.runs() && len(r.says) == 0 && r.ours == "" || !r.runs() && (r.ours == "" || len(r.says) > 0 || r.code != 0 || r.local) {
			t.Errorf("%s: what is said of it does not fit whether it runs", r.fault)
		}
		if r.local && r.code != 0 && len(r.localLines()) == 0 {
			t.Errorf("%s: goroutine PEs may say anything", r.fault)
		}
		for _, name := range r.tests {
			dot := strings.LastIndex(name, ".")
			if !hasTest(t, name[:dot], name[dot+1:]) {
				t.Errorf("%s: there is no test %s", r.fault, name)
			}
		}
	}
	if hasTest(t, "shmem", "TestThatIsNotThere") || hasTest(t, "no/such/folder", "TestStorm") || hasTest(t, "internal/killtest", "TestMain") {
		t.Error("every test exists")
	}
}

// hasTest looks for the declaration of a test in the sources of a folder.
func hasTest(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == test && test != "TestMain" {
				return strings.HasPrefix(test, "Test")
			}
		}
	}
	return false
}
