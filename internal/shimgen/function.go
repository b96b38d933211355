package main

import "strings"

// function is one function: a row, or a member of a family.
type function struct {
	*row
	t       *table
	name    string
	params  []param
	returns string
	mock    string
}

// functions returns what a row stands for.
func (t *table) functions(r *row) []function {
	if r.fields["no"] != "" {
		return nil
	}
	types, ops := strings.Fields(r.fields["types"]), strings.Fields(r.fields["ops"])
	if len(types) == 0 {
		types = []string{""}
	}
	if len(ops) == 0 {
		ops = []string{""}
	}
	var all []function
	for _, kind := range types {
		for _, op := range ops {
			all = append(all, t.member(r, kind, op))
		}
	}
	return all
}

// member puts a type and an operation into a row.
func (t *table) member(r *row, kind, op string) function {
	in := strings.NewReplacer("TYPE", kind, "_OP", "_"+op)
	upper := strings.NewReplacer("K_TYPE", "K_"+strings.ToUpper(kind), "TYPE", kind, "_OP", "_"+strings.ToUpper(op))
	f := function{row: r, t: t, name: in.Replace(r.name), returns: in.Replace(r.fields["returns"]), mock: upper.Replace(r.fields["mock"])}
	for _, p := range r.params {
		f.params = append(f.params, param{in.Replace(p.role), p.name})
	}
	return f
}

// all are the functions of rocSHMEM and of the shim; exported those that the shim has.
func (t *table) all() (all []function) {
	for _, r := range t.rows() {
		all = append(all, t.functions(r)...)
	}
	return all
}

func (t *table) exported() (list []function) {
	for _, f := range t.all() {
		if f.fields["inside"] == "" {
			list = append(list, f)
		}
	}
	return list
}

// theirs says that rocSHMEM has a function of this name.
func (f function) theirs() bool { return len(f.own) == 0 }

// probed says that it is looked for when the shim is built.
func (f function) probed() bool { return f.fields["since"] > oldest || f.fields["probe"] != "" }

// byHand says that recorder.hpp has it: it must answer.
func (f function) byHand() bool { return f.name == "vendor_get_version_info" }

// library is its name in rocSHMEM.
func (f function) library() string {
	if f.name == "get_backend_type" { // has no prefix
		return f.name
	}
	return "rocshmem_" + f.name
}

// symbol is its name in the shim.
func (f function) symbol() string { return "goshmem_rocshmem_" + f.name }

// golang is its name in Go.
func (f function) golang() string {
	var b strings.Builder
	for word := range strings.SplitSeq(f.name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// visible are the arguments that the shim takes; it has some of its own.
func (f function) visible() (list []param) {
	for _, p := range f.params {
		if f.t.roles[p.role].shim != "-" {
			list = append(list, p)
		}
	}
	return list
}

// list writes something about each of the arguments, with commas between.
func list(params []param, write func(p param) string) string {
	parts := make([]string, len(params))
	for i, p := range params {
		parts[i] = write(p)
	}
	return strings.Join(parts, ", ")
}

// declare writes a C type and a name.
func declare(kind, name string) string {
	if strings.HasSuffix(kind, "*") {
		return kind + name
	}
	return kind + " " + name
}

// signature is that of the function in the shim.
func (f function) signature() string {
	params := list(f.visible(), func(p param) string { return declare(f.t.roles[p.role].shim, p.name) })
	if params == "" {
		params = "void"
	}
	return declare(f.result().shim, f.symbol()) + "(" + params + ")"
}

// result is what it returns: a role with type void if it is nothing.
func (f function) result() role {
	if f.returns == "" {
		return role{shim: "void", give: "$", library: "void"}
	}
	return f.t.results[f.returns]
}

// into puts an expression into the place that $ holds.
func into(pattern, expression string) string { return strings.ReplaceAll(pattern, "$", expression) }
