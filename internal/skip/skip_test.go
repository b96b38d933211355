package skip

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

// recorder is a testing.TB that remembers its skip instead of ending the test.
type recorder struct {
	testing.TB
	text    string
	helpers int
}

func (r *recorder) Helper() { r.helpers++ }
func (r *recorder) Skipf(format string, args ...any) {
	r.text = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skip(args ...any) {
	r.text = fmt.Sprint(args...)
	runtime.Goexit()
}

// skips runs f, which is to skip r and not to return.
func skips(t *testing.T, f func(r *recorder)) *recorder {
	t.Helper()
	r, reached := &recorder{}, false
	var wg sync.WaitGroup
	wg.Go(func() {
		f(r)
		reached = true
	})
	wg.Wait()
	if reached {
		t.Error("the test went on after the skip")
	}
	if r.helpers == 0 {
		t.Error("the skip is not reported at the caller's line")
	}
	return r
}

func TestNowSkipsWithCodeAndReason(t *testing.T) {
	r := skips(t, func(r *recorder) { Now(r, NoCC, "no C compiler in PATH") })
	if r.text != "SKIP[NoCC] no C compiler in PATH" {
		t.Errorf("text %q", r.text)
	}
}

func TestAgainKeepsTheText(t *testing.T) {
	r := skips(t, func(r *recorder) { Again(r, "SKIP[NoGPU] on PE 3") })
	if r.text != "SKIP[NoGPU] on PE 3" {
		t.Errorf("text %q", r.text)
	}
}

// The verdict on a run finds codes by their shape, so each constant must have it,
// and two constants with one value could not be told apart.
func TestCodesAreDistinctWords(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "skip.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^[A-Z][A-Za-z]+$`).MatchString(value) || seen[value] || value != spec.Names[0].Name {
			t.Errorf("bad code %s = %q", spec.Names[0].Name, value)
		}
		seen[value] = true
		return true
	})
	if len(seen) < 7 {
		t.Errorf("found only %d codes", len(seen))
	}
}
