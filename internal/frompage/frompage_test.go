package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// TestPages: the pages in docs are those that the tables make.
func TestPages(t *testing.T) {
	pages, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) == 0 {
		t.Fatal("there are no tables")
	}
	for name, want := range pages {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || string(got) != want {
			t.Errorf("%s is not what its table makes (%v): run go generate ./internal/frompage", name, err)
		}
	}
}

// name is a Go name with a package or a variable in front, and what follows it.
var name = regexp.MustCompile(`(?:^|[^.\w"])([a-z]\w*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)

// TestNames: every Go name in a table exists.
func TestNames(t *testing.T) {
	entries, err := tables.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	known := packages{}
	for _, e := range entries {
		page, err := load(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, s := range page.sections {
			for _, r := range s.rows {
				for _, m := range name.FindAllStringSubmatch(r.code, -1) {
					found++
					if full := page.full(m); !known.have(t, full) {
						t.Errorf("%s:%d: there is no %s", e.Name(), r.line, full)
					}
				}
			}
		}
		if found == 0 {
			t.Errorf("%s has no Go names", e.Name())
		}
	}
}

// TestNamesAreSeen: a name that does not exist is noticed.
func TestNamesAreSeen(t *testing.T) {
	page := &table{vars: map[string]string{"w": "shmem.World"}}
	for code, want := range map[string]bool{
		"w.Barrier(ctx)": true, "w.Barriers(ctx)": false, "shmem.Alloc[float32](ctx, w, 4)": true,
		"err := shmem.Allocate(w)": false, "shmem.Options.Engine": true, "shmem.Options.Motor": false, "nothing.At(all)": false,
	} {
		m := name.FindStringSubmatch(code)
		if m == nil {
			t.Errorf("%s: no name was found", code)
			continue
		}
		if got := (packages{}).have(t, page.full(m)); got != want {
			t.Errorf("%s: exists: %v", code, got)
		}
	}
}

// full is a match with a variable replaced by its type.
func (t *table) full(m []string) string {
	parts := []string{m[1], m[2]}
	if typ, ok := t.vars[m[1]]; ok {
		parts = []string{typ, m[2]}
	} else if m[3] != "" {
		parts = append(parts, m[3])
	}
	return strings.Join(parts, ".")
}

// packages has the exported names of packages, as "shmem.World.Barrier".
type packages map[string]map[string]bool

// folders are where packages are that are not in the folder of their name.
var folders = map[string]string{"raw": "nccl/raw", "dlpack": "interchange/dlpack", "ccl": "internal/ccl", "device": "internal/device", "engine": "internal/engine", "rtc": "internal/rtc"}

// other is which types are another name of one of another package.
var other = map[string]string{}

func (p packages) have(t *testing.T, full string) bool {
	t.Helper()
	pkg, _, _ := strings.Cut(full, ".")
	if p[pkg] == nil {
		p[pkg] = map[string]bool{}
		dir := folders[pkg]
		if dir == "" {
			dir = pkg
		}
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			maps.Copy(p[pkg], exported(t, pkg, f))
		}
	}
	if of, field := cutType(full); field != "" && !p[pkg][full] && other[of] != "" {
		return p.have(t, other[of]+"."+field)
	}
	return p[pkg][full]
}

// cutType parts "nccl.Config.Blocking" into the type and what it has.
func cutType(full string) (typ, field string) {
	parts := strings.Split(full, ".")
	if len(parts) < 3 {
		return full, ""
	}
	return strings.Join(parts[:2], "."), parts[2]
}

func exported(t *testing.T, pkg, file string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	if strings.HasSuffix(file, "_test.go") {
		return names
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names[strings.Join(slices.Concat([]string{pkg}, receiver(d), []string{d.Name.Name}), ".")] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				declared(names, pkg, spec)
			}
		}
	}
	return names
}

// receiver is the type that a method belongs to.
func receiver(d *ast.FuncDecl) []string {
	if d.Recv == nil {
		return nil
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return []string{x.Name}
		default:
			return nil
		}
	}
}

func declared(names map[string]bool, pkg string, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names[pkg+"."+n.Name] = true
		}
	case *ast.TypeSpec:
		names[pkg+"."+s.Name.Name] = true
		if sel, ok := s.Type.(*ast.SelectorExpr); ok && s.Assign != 0 {
			other[pkg+"."+s.Name.Name] = fmt.Sprintf("%v.%s", sel.X, sel.Sel.Name)
		}
		if st, ok := s.Type.(*ast.StructType); ok {
			for _, field := range st.Fields.List {
				for _, n := range field.Names {
					names[pkg+"."+s.Name.Name+"."+n.Name] = true
				}
			}
		}
		if in, ok := s.Type.(*ast.InterfaceType); ok {
			for _, m := range in.Methods.List {
				for _, n := range m.Names {
					names[pkg+"."+s.Name.Name+"."+n.Name] = true
				}
			}
		}
	}
}
