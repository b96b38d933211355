package lint

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// checkSkips sends every skip through the one helper that has codes.
func checkSkips(files []*file) []string {
	var bad []string
	for _, f := range goFiles(files) {
		if _, tests := importsOf(f)["testing"]; !tests || f.dir() == "internal/skip" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name) {
				bad = append(bad, f.at(s, "%s: a test is skipped through internal/skip only", s.Sel.Name))
			}
			return true
		})
	}
	return bad
}

// The words are put together here, or this file would contain them.
var (
	openMarks = regexp.MustCompile(`\b(` + "TO" + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b`)
	machine   = regexp.MustCompile(`(^|[\s"'=(:` + "`" + `])/(wo` + `rk|ro` + `ot)/`)
	registry  = regexp.MustCompile(`\b(proxy\.gol` + `ang\.org|sum\.gol` + `ang\.org|pypi\.o` + `rg|files\.python` + `hosted\.org|deb\.deb` + `ian\.org|registry\.npm` + `js\.org|crates\.i` + `o)\b`)
)

// checkOpenMarks: work that is not done is not committed as a comment.
func checkOpenMarks(files []*file) []string {
	return grep(files, openMarks, "an open mark")
}

// checkMachinePaths: the tree works wherever it lies.
func checkMachinePaths(files []*file) []string {
	return grep(files, machine, "a path of one machine")
}

// checkRegistries: where modules and packages come from is configured outside.
func checkRegistries(files []*file) []string {
	return grep(files, registry, "the host of a package registry")
}

// grep finds a pattern in all files.
func grep(files []*file, pattern *regexp.Regexp, what string) []string {
	var bad []string
	for _, f := range files {
		line := 0
		for text := range strings.Lines(f.text) {
			line++
			if found := pattern.FindString(text); found != "" {
				bad = append(bad, fmt.Sprintf("%s:%d: %s: %s", f.path, line, what, strings.TrimSpace(found)))
			}
		}
	}
	return bad
}

// checkGenerated ties the name of a generated file to the standard marker in its
// first line, so that people and tools agree on what not to edit.
func checkGenerated(files []*file) []string {
	var bad []string
	for _, f := range goFiles(files) {
		named := strings.HasSuffix(f.path, "_gen.go") || strings.HasSuffix(f.path, "_gen_test.go")
		if named != f.isGenerated() {
			bad = append(bad, fmt.Sprintf("%s: named *_gen.go: %v, marked as generated in line one: %v", f.path, named, f.isGenerated()))
		}
	}
	return bad
}

// checkExamples wants a test beside every example: one that does not run is a lie.
func checkExamples(files []*file) []string {
	tested, examples := map[string]bool{}, map[string]bool{}
	for _, f := range goFiles(files) {
		if under(f.dir(), "examples") {
			examples[f.dir()] = true
			tested[f.dir()] = tested[f.dir()] || f.isTest()
		}
	}
	var bad []string
	for dir := range examples {
		if !tested[dir] {
			bad = append(bad, fmt.Sprintf("%s: no test runs this example", path.Clean(dir)))
		}
	}
	return bad
}
