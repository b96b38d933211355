package env

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// TestTable: every variable has our prefix, a help of one line, and stands once.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range Vars() {
		if !strings.HasPrefix(v.Name, Prefix) || v.Name == Prefix || strings.ToUpper(v.Name) != v.Name || strings.ContainsAny(v.Name, " =") {
			t.Errorf("%q is no name for a variable of ours", v.Name)
		}
		if seen[v.Name] {
			t.Errorf("%s stands in the table twice", v.Name)
		}
		seen[v.Name] = true
		if v.Help == "" || strings.Contains(v.Help, "\n") || strings.TrimSpace(v.Help) != v.Help {
			t.Errorf("%s: the help %q is not one line", v.Name, v.Help)
		}
	}
}

// TestTableIsComplete reads the constants of this package: a name that the code
// uses and the table lacks would be an unknown variable.
func TestTableIsComplete(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "env.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, v := range Vars() {
		listed[v.Name] = true
	}
	names := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		lit, ok := spec.Values[0].(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		name, err := strconv.Unquote(lit.Value)
		if err != nil || !strings.HasPrefix(name, Prefix) || name == Prefix {
			return true
		}
		names++
		if !listed[name] {
			t.Errorf("%s is not in the table", name)
		}
		delete(listed, name)
		return true
	})
	if names < 10 {
		t.Errorf("only %d names found in env.go", names)
	}
	for name := range listed {
		t.Errorf("%s is in the table and no constant", name)
	}
}

// TestUnknown: mistyped names of ours are named, all others are nobody's business.
func TestUnknown(t *testing.T) {
	const hint = " (`goshmem info` lists those that exist)"
	var all []string
	for _, v := range Vars() {
		all = append(all, v.Name+"=1")
	}
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{nil, ""},
		{all, ""},
		{[]string{"PATH=/bin", "GOSHMEM=1", "goshmem_engine=x", "XGOSHMEM_ENGINE=x", "GOSHMEMX_ENGINE=x", "ROCSHMEM_HEAP_SIZE=4", "", "=C:=C:\\"}, ""},
		{[]string{"GOSHMEM_HEAPSIZE=1GiB"}, "unknown variable GOSHMEM_HEAPSIZE" + hint},
		{append(all, "GOSHMEM_Z=1", "GOSHMEM_A=GOSHMEM_ENGINE=2"), "unknown variable GOSHMEM_A, GOSHMEM_Z" + hint},
		{[]string{"GOSHMEM_engine=host"}, "unknown variable GOSHMEM_engine" + hint},
		{[]string{"GOSHMEM_"}, "unknown variable GOSHMEM_" + hint},
	} {
		err := Unknown(c.environ)
		if got := text(err); got != c.want {
			t.Errorf("%q: %q, want %q", c.environ, got, c.want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestCheck looks at this process.
func TestCheck(t *testing.T) {
	if err := Check(); err != nil {
		t.Errorf("before: %v", err)
	}
	t.Setenv("GOSHMEM_TIMEOUTS", "3s")
	if err := Check(); err == nil || !strings.Contains(err.Error(), "GOSHMEM_TIMEOUTS") {
		t.Errorf("with a mistyped variable: %v", err)
	}
}
