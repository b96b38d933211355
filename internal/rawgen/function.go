package main

import (
	"go/ast"
	"go/parser"
	"regexp"
	"strings"
)

// function is one function of package raw.
type function struct {
	c         string // its name in rocSHMEM
	name      string
	signature string
	do, doc   string
	family    bool
}

// placeholder is the T of a family.
var placeholder = regexp.MustCompile(`\bT\b`)

// functions returns what a row makes: none, one, or one for each type.
func (r *row) functions() []function {
	if r.fields["go"] == "" {
		return nil
	}
	if r.fields["types"] == "" {
		return []function{r.function(r.name, "")}
	}
	var all []function
	for _, m := range r.members() {
		f := r.function(m.name(r.name), r.t.goTypes[m.c])
		if m.op != "" {
			f.do = strings.Replace(f.do, "OP", goWord(m.op), 1)
		}
		all = append(all, f)
	}
	return all
}

// member says which function of a family one is: its C type, and its operation if there
// are several.
type member struct{ c, op string }

// members are those of a family.
func (r *row) members() (all []member) {
	ops := strings.Fields(r.fields["ops"])
	if len(ops) == 0 {
		ops = []string{""}
	}
	for _, op := range ops {
		for _, c := range r.types("types") {
			all = append(all, member{c, op})
		}
	}
	return all
}

// name is the member's, from that of the family.
func (m member) name(family string) string {
	return strings.NewReplacer("TYPE", m.c, "OP", m.op).Replace(family)
}

// function makes the function of a name; T is the type of a family's member.
func (r *row) function(name, T string) function {
	in := func(field string) string {
		if T == "" {
			return r.fields[field]
		}
		return placeholder.ReplaceAllString(r.fields[field], T)
	}
	return function{c: name, name: goName(name), signature: in("go"), do: in("do"), doc: r.fields["doc"], family: T != ""}
}

// origin says whose name the function has.
func (f function) origin() string {
	if strings.HasPrefix(f.c, "shmem_") {
		return "OpenSHMEM: " + f.c
	}
	return "rocSHMEM: " + f.c
}

// goName is the name of a function or constant in package raw.
func goName(name string) string {
	_, name, _ = strings.Cut(strings.ToLower(name), "shmem_")
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		b.WriteString(goWord(word))
	}
	return b.String()
}

func goWord(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// call is how a user calls the function: its results are named as in its signature.
func (f function) call() string {
	params, results := f.names()
	call := "raw." + f.name + "(" + strings.Join(params, ", ") + ")"
	if len(results) == 0 {
		return call
	}
	return strings.Join(results, ", ") + " := " + call
}

// names are those of the parameters and of the results.
func (f function) names() (params, results []string) {
	e, err := parser.ParseExpr("func" + f.signature)
	if err != nil {
		return nil, nil // gofmt finds it, with the place
	}
	t := e.(*ast.FuncType)
	return fieldList(t.Params), fieldList(t.Results)
}

func fieldList(list *ast.FieldList) (names []string) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for _, n := range field.Names {
			names = append(names, n.Name)
		}
	}
	return names
}
