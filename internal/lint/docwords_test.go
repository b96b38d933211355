package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocWords: whoever reads the comment of a call learns whether it waits, and for whom;
// if it is that of another call, this one is named and says it.
func TestDocWords(t *testing.T) {
	words := regexp.MustCompile(`(?i)\blocal\b|\blocally\b|\bblocking\b|\bcollective\b|\bnever\s+waits\b|\bnot\s+wait\b|\bwithout\s+waiting\b|^\w+ is [A-Z]\w+\b|\breturns\s+when\b|\bwhen\s+it\s+returns\b`)
	obvious := map[string]bool{"String": true, "Error": true, "Unwrap": true}
	fset, seen := token.NewFileSet(), 0
	names, err := filepath.Glob("../../shmem/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "checker.go" { // its calls are an engine's
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || obvious[f.Name.Name] {
				continue
			}
			if seen++; !words.MatchString(f.Doc.Text()) {
				t.Errorf("%v: the comment of %s does not say whether it is local, blocking or collective", fset.Position(f.Pos()), f.Name.Name)
			}
		}
	}
	if seen < 150 {
		t.Errorf("only %d calls were found", seen)
	}
}
