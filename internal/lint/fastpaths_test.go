package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestFastPaths: an operation takes one branch, to what is unusual, and on the way calls
// nothing but what finds the place and moves the data. Modes have none of it: they leave a
// world without the addresses that are looked for here.
func TestFastPaths(t *testing.T) {
	want := map[string]string{
		"Put": "target alive here bytes Put", "PutNBI": "target alive here bytes Put", "PutSlice": "target Hide Pointer SliceData bytes Put",
		"PutSliceNBI": "target Pointer SliceData bytes Put", "Get": "target alive here bytes Get", "GetSlice": "target Hide Pointer SliceData bytes Get",
		"P": "word Store", "G": "word Load", "target": "Load uint Add", "word": "Load uint Add uintptr sizeOf",
	}
	branches := map[string]int{"target": 2, "word": 2}
	for _, file := range []string{"../../shmem/rma.go", "../../shmem/array.go"} {
		parsed := parsedFile(t, file)
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || want[f.Name.Name] == "" {
				continue
			}
			ifs, calls := onTheWay(f.Body)
			for _, call := range calls {
				if !slices.Contains(strings.Fields(want[f.Name.Name]+" len"), call) {
					t.Errorf("%s calls %s on its way", f.Name.Name, call)
				}
			}
			if ifs != max(1, branches[f.Name.Name]) {
				t.Errorf("%s has %d branches", f.Name.Name, ifs)
			}
			delete(want, f.Name.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

// onTheWay is how many branches a function has, and what it calls if it takes none.
func onTheWay(body *ast.BlockStmt) (ifs int, calls []string) {
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			ifs++
			ast.Inspect(n.Cond, look)
			return false
		case *ast.CallExpr:
			name := n.Fun
			if g, ok := name.(*ast.IndexExpr); ok { // of a type
				name = g.X
			}
			switch f := name.(type) {
			case *ast.SelectorExpr:
				calls = append(calls, f.Sel.Name)
			case *ast.Ident:
				calls = append(calls, f.Name)
			}
		}
		return true
	}
	ast.Inspect(body, look)
	return ifs, calls
}

func parsedFile(t *testing.T, name string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
