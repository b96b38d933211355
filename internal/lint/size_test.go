package lint

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

const (
	maxFileLines = 500
	maxFuncLines = 100
	mostLines    = 40 // nine of ten functions fit into this
	medianLines  = 10 // half of the functions are below this
	maxLongFuncs = 5  // exceptions to maxFuncLines
)

// checkFileLength keeps files readable in one go.
func checkFileLength(files []*file) []string {
	var bad []string
	for _, f := range goFiles(files) {
		if n := strings.Count(f.text, "\n"); n > maxFileLines && !f.isGenerated() {
			bad = append(bad, fmt.Sprintf("%s: %d lines, more than %d", f.path, n, maxFileLines))
		}
	}
	return bad
}

// function is a declared function and its length from the keyword to the brace.
type function struct {
	name  string // folder.Name or folder.Type.Name
	lines int
	where string
}

func functions(files []*file) []function {
	var list []function
	for _, f := range files {
		for _, d := range f.ast.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil { // no body: it is written in assembly
				continue
			}
			n := f.fset.Position(decl.End()).Line - f.fset.Position(decl.Type.Func).Line + 1
			list = append(list, function{f.dir() + "." + qualified(decl), n, f.at(decl, "%s has %d lines", decl.Name.Name, n)})
		}
	}
	return list
}

// qualified is Name, or Type.Name for a method.
func qualified(decl *ast.FuncDecl) string {
	if decl.Recv == nil {
		return decl.Name.Name
	}
	return receiver(decl) + "." + decl.Name.Name
}

// receiver is the name of a method's type.
func receiver(decl *ast.FuncDecl) string {
	kind := decl.Recv.List[0].Type
	for {
		switch t := kind.(type) {
		case *ast.StarExpr:
			kind = t.X
		case *ast.IndexExpr:
			kind = t.X
		case *ast.IndexListExpr:
			kind = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// checkFuncLength holds the limit for one function, tests included.
func checkFuncLength(files []*file, allowed exceptions) []string {
	var bad []string
	written := slices.DeleteFunc(goFiles(files), (*file).isGenerated)
	for _, f := range functions(written) {
		if f.lines > maxFuncLines && !allowed.use(f.name) {
			bad = append(bad, fmt.Sprintf("%s, more than %d", f.where, maxFuncLines))
		}
	}
	if n := len(allowed.reasons); n > maxLongFuncs {
		bad = append(bad, fmt.Sprintf("%d exceptions to the length of functions, more than %d", n, maxLongFuncs))
	}
	return append(bad, allowed.unused()...)
}

// checkFuncStatistics holds the limits for the functions together.
func checkFuncStatistics(files []*file) []string {
	all := functions(sourceFiles(files))
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b function) int { return a.lines - b.lines })
	var bad []string
	if median := all[len(all)/2].lines; median >= medianLines {
		bad = append(bad, fmt.Sprintf("the median function has %d lines, want fewer than %d", median, medianLines))
	}
	over := slices.IndexFunc(all, func(f function) bool { return f.lines > mostLines })
	if over >= 0 && (len(all)-over)*10 > len(all) {
		bad = append(bad, fmt.Sprintf("%d of %d functions have more than %d lines, want at most one in ten; the longest: %s",
			len(all)-over, len(all), mostLines, all[len(all)-1].where))
	}
	return bad
}
