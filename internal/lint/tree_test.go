package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/goshmem/goshmem"

// file is one file of the tree. Its path is relative to the module's root, with
// slashes.
type file struct {
	path string
	text string
	fset *token.FileSet
	ast  *ast.File // nil if it is not Go
}

func (f *file) dir() string  { return path.Dir(f.path) }
func (f *file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

var generatedMark = regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.\n`)

func (f *file) isGenerated() bool { return generatedMark.MatchString(f.text) }

// at is a violation at a node.
func (f *file) at(n ast.Node, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.path, f.fset.Position(n.Pos()).Line, fmt.Sprintf(format, args...))
}

// parse makes a file from its text.
func parse(name, text string) (*file, error) {
	f := &file{path: name, text: text, fset: token.NewFileSet()}
	if !strings.HasSuffix(name, ".go") {
		return f, nil
	}
	var err error
	f.ast, err = parser.ParseFile(f.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return f, err
}

// root is the folder with go.mod, above the one that tests run in.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the working folder")
		}
		dir = filepath.Dir(dir)
	}
}

// textual says which files people write as text.
func textual(name string) bool {
	return slices.Contains([]string{".go", ".md", ".sh", ".s", ".h", ".c", ".mod", ".txt", ".yml", ".yaml", ".json", ""}, path.Ext(name))
}

// readTree reads the module's files, without those of other modules inside it.
func readTree(t *testing.T) []*file {
	t.Helper()
	top := root(t)
	var list []*file
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && foreign(top, name) {
			return filepath.SkipDir
		}
		if d.IsDir() || !d.Type().IsRegular() || !textual(d.Name()) {
			return nil
		}
		f, err := readFile(top, name)
		if err != nil {
			t.Errorf("%v", err)
			return nil
		}
		list = append(list, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// foreign says which folders are not ours to judge.
func foreign(top, name string) bool {
	if name == top {
		return false
	}
	switch filepath.Base(name) {
	case ".git", ".device", "bin", "testdata":
		return true
	}
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	return err == nil
}

func readFile(top, name string) (*file, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(top, name)
	if err != nil {
		return nil, err
	}
	return parse(filepath.ToSlash(rel), string(text))
}

// goFiles leaves out what is not Go.
func goFiles(files []*file) []*file {
	return slices.DeleteFunc(slices.Clone(files), func(f *file) bool { return f.ast == nil })
}

// sourceFiles leaves out what is not Go, tests, and generated files.
func sourceFiles(files []*file) []*file {
	return slices.DeleteFunc(goFiles(files), func(f *file) bool { return f.isTest() || f.isGenerated() })
}
