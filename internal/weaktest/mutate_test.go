package weaktest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mutation is a call in an example and what can stand in its place.
type mutation struct {
	file, function, call string // call is the text of the callee
	line                 int
	by                   string // a function of the driver
}

// String names the place by what stays when lines move.
func (m mutation) String() string {
	return fmt.Sprintf("%s %s: %s -> %s", m.file, m.function, m.call, m.by)
}

// substitutes are the functions of the driver that can stand for a method, by its name.
func substitutes(method string) []string {
	switch method {
	case "Barrier", "Sync", "Quiet", "Synchronize":
		return []string{"noMeeting"}
	case "BarrierOnStream":
		return []string{"noStreamMeeting"}
	case "WaitUntilOnStream":
		return []string{"noStreamWait"}
	case "PutSignalOnStream":
		return []string{"streamSignalFirst"}
	case "Fence":
		return []string{"noFence"}
	case "WaitUntil":
		return []string{"noWait"}
	case "PutSliceSignal":
		return []string{"signalFirst", "unfenced"}
	}
	return nil
}

// edit puts text in the place of a part of a file.
type edit struct {
	from, to int
	text     string
}

// mutated returns the text of an example's file, in which every place that can be
// mutated asks pick what stands there, and those places. The usual main function has
// another name.
func mutated(t *testing.T, example, path string, places []mutation) (string, []mutation) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p token.Pos) int { return files.Position(p).Offset }
	var edits []edit
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if f.Name.Name == "main" {
			edits = append(edits, edit{at(f.Name.Pos()), at(f.Name.End()), "usualMain"})
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := callee(n)
			if !ok {
				return true
			}
			usual, on := string(text[at(s.Pos()):at(s.End())]), string(text[at(s.X.Pos()):at(s.X.End())])
			all := usual
			for _, by := range substitutes(s.Sel.Name) {
				m := mutation{filepath.Join(example, filepath.Base(path)), f.Name.Name, usual, files.Position(s.Pos()).Line, by}
				if strings.HasPrefix(s.Sel.Name, "Put") {
					by += "(" + on + ")"
				}
				all = fmt.Sprintf("pick(%d, %s, %s)", len(places), all, by)
				places = append(places, m)
			}
			if all != usual {
				edits = append(edits, edit{at(s.Pos()), at(s.End()), all})
			}
			return true
		})
	}
	return apply(string(text), edits), places
}

// callee is the method that a call calls.
func callee(n ast.Node) (*ast.SelectorExpr, bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	return s, ok
}

func apply(text string, edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range edits { // from the end, so that what is before stays where it is
		text = text[:e.from] + e.text + text[e.to:]
	}
	return text
}

// sources are the files of an example, without its tests.
func sources(t *testing.T, example string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("..", "..", "examples", example, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(path string) bool {
		return strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_other.go")
	})
	if len(all) == 0 {
		t.Fatalf("there is no example %s", example)
	}
	return all
}
