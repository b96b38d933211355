package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// intro begins the page.
const intro = `# From rocshmem4py

<!-- Made by internal/rawgen from its table.txt: edit that. -->

Every name of rocshmem4py, and those that rocSHMEM's C++ header has for the host beyond
it, with what takes its place here, or why there is nothing. Package ` + "`shmem`" + ` is the way
to write new code: it knows types and lengths, and mistakes do not compile or are errors.
Package ` + "`shmem/raw`" + ` is for code that moves over line by line: the same names and
arguments, addresses as uintptr.

In the code below ` + "`w`" + ` is a ` + "`*shmem.World`, `ctx`" + ` a context, ` + "`a`, `dst` and `src`" + ` are
shmem.Arrays, ` + "`dest` and `source`" + ` addresses, ` + "`sig`" + ` is a shmem.Signal, ` + "`pe`" + ` a PE's number in
the world. All of it is compiled with the tests of package raw.

In short, to move a program line by line:

- ` + "`rocshmem_x_y(...)` is `raw.XY(w, ...)`" + `, with a team in place of the world where there is
  one. Calls that can wait for another PE take a context before that. What can fail
  returns an error.
- Team 0 is ` + "`w.Team()`" + `, team -1 is nil, a status is an error, SIZE_MAX is -1.
- Streams come with the GPU engines; until then the caller waits.
- Start it with ` + "`goshmem run -n 2 ./program`" + `, torchrun or mpirun; test it with ` + "`go test`" + `, and
  with ` + "`goshmem test -n 2 ./...`" + ` where they run pytest under torchrun.
`

// page returns docs/from-rocshmem4py.md.
func (t *table) page() string {
	var b bytes.Buffer
	b.WriteString(intro)
	for _, s := range t.sections {
		fmt.Fprintf(&b, "\n## %s\n\n", s.title)
		for _, paragraph := range s.intro {
			b.WriteString(paragraph + "\n\n")
		}
		s.writeRows(&b)
	}
	b.WriteString("\n## Types\n\n| in C's names | Go |\n|---|---|\n")
	for _, c := range t.cTypes {
		fmt.Fprintf(&b, "| %s | %s |\n", c, t.goTypes[c])
	}
	return b.String()
}

func (s section) writeRows(b *bytes.Buffer) {
	fmt.Fprintf(b, "| %s |\n|---|---|---|\n", cmp.Or(s.columns, "rocSHMEM | package shmem | package raw"))
	for _, r := range s.rows {
		if r.symptom {
			fmt.Fprintf(b, "| %s | %s | %s |\n", r.name, r.fields["there"], r.fields["here"])
			continue
		}
		for _, name := range r.shown() {
			fmt.Fprintf(b, "| %s | %s | %s |\n", code(name), r.typedCell(), r.rawCell(name))
		}
		if rest := r.unbound(); len(rest) > 0 {
			fmt.Fprintf(b, "| %s%s | %s | %s |\n", code(r.name), rest, r.typedCell(), r.rawCell(r.name))
		}
	}
}

// shown are the names that have a line each: of a family those of rocshmem4py.
func (r *row) shown() (names []string) {
	if r.fields["types"] == "" {
		return []string{r.name}
	}
	for _, c := range r.types("bound") {
		names = append(names, strings.Replace(r.name, "TYPE", c, 1))
	}
	return names
}

// unbound says which members of a family rocshmem4py does not have.
func (r *row) unbound() string {
	all, bound := r.types("types"), r.types("bound")
	rest := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return slices.Contains(bound, c) })
	ops := ""
	if r.fields["ops"] != "" {
		ops = "OP is " + strings.Join(strings.Fields(r.fields["ops"]), ", ") + "; "
	}
	switch len(rest) {
	case 0:
		return ""
	case len(r.t.cTypes): // the section says so
		return " "
	}
	return ", C++ only: " + ops + "TYPE is " + strings.Join(rest, ", ")
}

func (r *row) typedCell() string {
	cell := ""
	switch f := r.fields; {
	case f["no"] != "":
		return "not offered, because " + f["no"]
	case f["is"] != "" && !strings.Contains(f["is"], "."): // a number of package raw's own
	case f["is"] != "":
		cell = code(f["is"])
	case f["typed"] != "":
		cell = code(f["typed"])
	}
	if note := r.fields["note"]; note != "" {
		cell = strings.TrimPrefix(cell+": "+note, ": ")
	}
	return cell
}

func (r *row) rawCell(name string) string {
	switch f := r.fields; {
	case f["is"] != "":
		return code("raw." + goName(name))
	case f["raw"] != "":
		return code(f["raw"])
	case f["go"] != "":
		return code(r.function(name, "").call())
	}
	return ""
}

// code marks code; a bar would end the cell.
func code(text string) string { return "`" + strings.ReplaceAll(text, "|", "\\|") + "`" }
