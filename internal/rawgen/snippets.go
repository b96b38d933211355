package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// snippet is code of the page with what the text around it has declared.
type snippet struct{ params, code string }

// around is what all snippets of the page but those of package raw's own functions
// may use; T is the type of a family.
const around = `(ctx context.Context, w *shmem.World, c *shmem.CommContext, team, parent, other *shmem.Team,
	dst, src, a shmem.Array[T], slice []T, value, cond T, except []bool, indices []int, sig shmem.Signal, s *gpu.Stream, v, signal uint64,
	i, n, pe, root, rows, columns, alignment, size, start, stride, xrange, nbytes, status, rank, nranks int, dest, source, ptr, sigAddr uintptr,
	ex shmem.Exchange, f func(context.Context, *shmem.World) error, use func(...any), err error)`

// in puts code among the names of the page.
func (r *row) in(code string) snippet {
	goType := "float32"
	if types := r.types("types"); len(types) > 0 {
		goType = r.t.goTypes[types[0]]
	}
	return snippet{placeholder.ReplaceAllString(around, goType), code}
}

// typedLines are what a row shows of package shmem.
func (r *row) typedLines() []snippet {
	if v := r.fields["is"]; v != "" {
		return []snippet{r.in("_ = " + v)}
	}
	if r.fields["typed"] == "" {
		return nil
	}
	return []snippet{r.in(r.fields["typed"])}
}

// rawLines are what a row shows of package raw.
func (r *row) rawLines() []snippet {
	if r.fields["is"] != "" {
		return []snippet{r.in("_ = raw." + goName(r.name))}
	}
	if r.fields["raw"] != "" {
		return []snippet{r.in(r.fields["raw"])}
	}
	var all []snippet
	for _, f := range r.functions() {
		params, _, _ := strings.Cut(f.signature, ") (")
		all = append(all, snippet{strings.TrimSuffix(params, ")") + ")", f.call()})
	}
	return all[:min(1, len(all))] // the members of a family differ in their types only
}

// snippets returns a file that compiles if all code of a column of the page does.
func (t *table) snippets(column string, of func(*row) []snippet) []byte {
	var b bytes.Buffer
	seen := map[snippet]bool{}
	fmt.Fprintf(&b, "// The code of the page's column %q: that it compiles is the test.\n\n", column)
	for _, s := range t.sections {
		for _, r := range s.rows {
			for _, sn := range of(r) {
				if !seen[sn] {
					fmt.Fprintf(&b, "func _%s {\n{\n%s\n%s\n}\n}\n\n", sn.params, sn.code, uses(sn.code))
				}
				seen[sn] = true
			}
		}
	}
	return bytes.Replace(withImports(b.String()), []byte("package raw\n"), []byte("package raw_test\n"), 1)
}

// uses returns code that uses the names that code declares, since Go insists.
func uses(code string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+code+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return "" // gofmt finds it, with the place
	}
	var names []string
	for _, s := range file.Decls[0].(*ast.FuncDecl).Body.List {
		names = append(names, declared(s)...)
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Repeat("_, ", len(names)-1) + "_ = " + strings.Join(names, ", ")
}

func declared(s ast.Stmt) (names []string) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, e := range s.Lhs {
			if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE {
				names = append(names, id.Name)
			}
		}
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			for _, id := range spec.(*ast.ValueSpec).Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}
