package shmem_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/faulty"
	"github.com/goshmem/goshmem/internal/engine/weak"
	"github.com/goshmem/goshmem/shmem"
)

// TestNothingInTheWay: what a world without modes gets is the heap itself, so that its
// operations are those of a program that knows no modes; and so does a PE that no fault
// concerns.
func TestNothingInTheWay(t *testing.T) {
	t.Setenv("GOSHMEM_WEAK", "")
	t.Setenv("GOSHMEM_FAULT", "")
	heaps := make([]engine.Heap, 3)
	keep := shmem.WithHeap(weakly(0), func(h engine.Heap) engine.Heap { heaps[h.Rank()] = h; return h })
	must(t, shmem.RunLocal(t.Context(), len(heaps), keep, func(context.Context, *shmem.World) error { return nil }))
	for _, o := range []shmem.Options{{}, {Race: shmem.RaceOn}, {Fault: "slow link=1-2 by=1ms; kill pe=1 op=put n=1"}} {
		if got := must1(shmem.InModes(o, heaps[0]))(t); got != heaps[0] {
			t.Errorf("%+v: PE 0 gets a %T in place of a %T", o, got, heaps[0])
		}
	}
	if got, ok := must1(shmem.InModes(weakly(1), heaps[0]))(t).(*weak.Heap); !ok {
		t.Errorf("in weak mode PE 0 gets a %T", got)
	}
	if got, ok := must1(shmem.InModes(shmem.Options{Fault: "kill pe=0 op=put n=1"}, heaps[0]))(t).(*faulty.Heap); !ok {
		t.Errorf("with a fault PE 0 gets a %T", got)
	}
}

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
	for _, file := range []string{"rma.go", "array.go"} {
		parsed := must1(parser.ParseFile(token.NewFileSet(), file, nil, 0))(t)
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || want[f.Name.Name] == "" {
				continue
			}
			ifs, calls := path(f.Body)
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

// path is how many branches a function has, and what it calls if it takes none.
func path(body *ast.BlockStmt) (ifs int, calls []string) {
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
