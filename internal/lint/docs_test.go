package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"
)

// checkDocs wants a comment on every exported name, beginning with the name.
// Struct fields and interface methods are covered by the comment of their type;
// members of a group by that of the group.
func checkDocs(files []*file) []string {
	var bad []string
	for _, f := range sourceFiles(files) {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				bad = append(bad, funcDoc(f, d)...)
			case *ast.GenDecl:
				bad = append(bad, groupDoc(f, d)...)
			}
		}
	}
	return bad
}

func funcDoc(f *file, d *ast.FuncDecl) []string {
	if !d.Name.IsExported() || (d.Recv != nil && !ast.IsExported(receiver(d))) {
		return nil
	}
	return wantDoc(f, d, d.Name.Name, d.Doc)
}

// groupDoc looks at const, var and type declarations.
func groupDoc(f *file, d *ast.GenDecl) []string {
	var bad []string
	grouped := d.Lparen.IsValid()
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				bad = append(bad, wantDoc(f, s, s.Name.Name, firstDoc(s.Doc, d.Doc, grouped))...)
			}
		case *ast.ValueSpec:
			bad = append(bad, valueDoc(f, d, s, grouped)...)
		}
	}
	return bad
}

func valueDoc(f *file, d *ast.GenDecl, s *ast.ValueSpec, grouped bool) []string {
	i := slices.IndexFunc(s.Names, func(n *ast.Ident) bool { return n.IsExported() })
	switch {
	case i < 0:
		return nil
	case grouped && (d.Doc != nil || s.Comment != nil):
		return nil // the group's comment or the one on its line
	case grouped && s.Doc == nil:
		return []string{f.at(s, "%s has no comment, and neither has its group", s.Names[i].Name)}
	}
	return wantDoc(f, s, s.Names[i].Name, firstDoc(s.Doc, d.Doc, grouped))
}

// firstDoc is the comment that belongs to one name: that of a group does not.
func firstDoc(own, group *ast.CommentGroup, grouped bool) *ast.CommentGroup {
	if own == nil && !grouped {
		return group
	}
	return own
}

func wantDoc(f *file, n ast.Node, name string, doc *ast.CommentGroup) []string {
	text := ""
	if doc != nil {
		text = doc.Text() // without directives
	}
	switch rest, ok := strings.CutPrefix(text, name); {
	case text == "":
		return []string{f.at(n, "%s has no comment", name)}
	case !ok, rest != "" && partOfName(rest):
		return []string{f.at(n, "the comment of %s does not begin with its name", name)}
	}
	return nil
}

func partOfName(rest string) bool {
	r := rune(rest[0])
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// checkPackageComments wants one comment per package that says what it is.
func checkPackageComments(files []*file) []string {
	said, names := map[string]string{}, map[string]string{}
	for _, f := range goFiles(files) {
		if strings.HasSuffix(f.ast.Name.Name, "_test") {
			continue
		}
		if !f.isTest() {
			names[f.dir()] = f.ast.Name.Name
		}
		if f.ast.Doc != nil {
			said[f.dir()] = f.ast.Doc.Text()
		}
	}
	var bad []string
	for dir, name := range names {
		if first, _, _ := strings.Cut(said[dir], "\n"); !introduces(first+" ", name, path.Base(dir)) {
			bad = append(bad, fmt.Sprintf("%s: no package comment that begins with the name of the package or command", dir))
		}
	}
	return bad
}

// introduces says whether a comment begins as Go's tools expect: "Package x ...",
// and for a program "Command x ..." or its name as the first word.
func introduces(text, pkg, folder string) bool {
	if pkg != "main" {
		return strings.HasPrefix(text, "Package "+pkg+" ")
	}
	word := strings.TrimRight(strings.Fields(text + ".")[0], ".,:")
	return strings.HasPrefix(text, "Command "+folder+" ") || strings.EqualFold(word, folder)
}

// checkVariables keeps state out of packages: several worlds live in one process.
// What cannot be state is allowed: assertions, error sentinels, patterns.
func checkVariables(files []*file, allowed exceptions) []string {
	var bad []string
	for _, f := range sourceFiles(files) {
		if layerOf(f.dir()) == top {
			continue
		}
		for _, d := range f.ast.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR && !embeds(g) {
				bad = append(bad, stateIn(f, g, allowed)...)
			}
		}
	}
	return append(bad, allowed.unused()...)
}

// embeds says whether a variable is a file of the tree that was compiled in.
func embeds(g *ast.GenDecl) bool {
	return g.Doc != nil && slices.ContainsFunc(g.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}

func stateIn(f *file, g *ast.GenDecl, allowed exceptions) []string {
	var bad []string
	for _, s := range g.Specs {
		spec := s.(*ast.ValueSpec)
		for i, n := range spec.Names {
			if n.Name == "_" || (i < len(spec.Values) && constant(n.Name, spec.Values[i])) || allowed.use(f.dir()+"."+n.Name) {
				continue
			}
			bad = append(bad, f.at(n, "package variable %s is not in the list of those that may be", n.Name))
		}
	}
	return bad
}

// constant says whether a value is one that nobody can change: a sentinel, made
// here or named again, or a pattern.
func constant(name string, value ast.Expr) bool {
	if call, ok := value.(*ast.CallExpr); ok {
		return slices.Contains([]string{"errors.New", "fmt.Errorf", "regexp.MustCompile"}, selector(call.Fun))
	}
	_, again, _ := strings.Cut(selector(value), ".")
	return strings.HasPrefix(name, "Err") && strings.HasPrefix(again, "Err")
}

// selector is package.Name, or "" if the expression is something else.
func selector(e ast.Expr) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	from, ok := s.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return from.Name + "." + s.Sel.Name
}
