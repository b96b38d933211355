package shmem_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// exports reads what the compiler knows of a package that this module has or uses.
func exports(t *testing.T) types.Importer {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", ".")
	var problems bytes.Buffer
	list.Stderr = &problems
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &problems)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
}

// TestOperationsCompile: an operation that a type does not have does not compile, and
// those that it has do, without naming the type again.
func TestOperationsCompile(t *testing.T) {
	if jobSize(t) > 0 {
		return // every rank would do the same
	}
	imported := exports(t)
	for element, operations := range map[string]string{
		"int8": "Sum Prod Min Max And Or Xor", "uintptr": "Sum Prod Min Max And Or Xor", "int": "Sum Prod Min Max And Or Xor",
		"float32": "Sum Prod Min Max", "float64": "Sum Prod Min Max",
		"dtype.Float16": "Sum Prod Min Max", "dtype.BFloat16": "Sum Prod Min Max",
		"dtype.Float8E4M3": "Sum Prod Min Max", "dtype.Float8E5M2": "Sum Prod Min Max",
		"complex64": "Sum Prod", "complex128": "Sum Prod",
		"struct{ x int }": "", "string": "", "bool": "", "[2]int": "", "*int": "", "myInt": "",
	} {
		for _, op := range strings.Fields("Sum Prod Min Max And Or Xor") {
			err := compiles(imported, element, op)
			if want := strings.Contains(operations, op); (err == nil) != want {
				t.Errorf("%s over %s: compiles %v, want %v: %v", op, element, err == nil, want, err)
			}
			if err != nil && !strings.Contains(err.Error(), "satisfy") {
				t.Errorf("%s over %s does not compile for another reason: %v", op, element, err)
			}
		}
	}
}

// TestSmuggledOperation: one that reaches a type all the same is refused.
func TestSmuggledOperation(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 1, badOptions(), func(ctx context.Context, w *shmem.World) error {
		a := must1(shmem.Alloc[float32](ctx, w, 1))(t)
		team := must1(w.Team().SplitStrided(ctx, 0, 1, 1, shmem.TeamConfig{}))(t)
		err := shmem.AllReduce(ctx, team, a, a, func(float32) shmem.Operation { return shmem.Xor(0) })
		wrong{is: shmem.ErrArgument, op: "allreduce", peer: -1, text: "float32 has no xor"}.in(w).check(t, err)
		return nil
	}))
}

// compiles checks a call of AllReduce.
func compiles(imported types.Importer, element, op string) error {
	source := fmt.Sprintf(`package p
import ("context"; "github.com/goshmem/goshmem/dtype"; "github.com/goshmem/goshmem/shmem")
type myInt int
var _ dtype.Float16
var _ myInt
func _(ctx context.Context, t *shmem.Team, a shmem.Array[%s]) error { return shmem.AllReduce(ctx, t, a, a, shmem.%s) }
`, element, op)
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", source, 0)
	if err != nil {
		return err
	}
	_, err = (&types.Config{Importer: imported}).Check("p", set, []*ast.File{file}, nil)
	return err
}
