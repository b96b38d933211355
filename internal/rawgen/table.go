package main

import (
	"fmt"
	"slices"
	"strings"
)

// table is table.txt as it is used.
type table struct {
	goTypes  map[string]string // Go's name of each of C's types
	cTypes   []string          // in the order of the table
	sets     map[string][]string
	sections []section
}

// section is a part of the page.
type section struct {
	title   string
	intro   []string
	file    string // where its functions go
	columns string
	rows    []*row
}

// row is a name of rocSHMEM, or a family of names, or a symptom.
type row struct {
	t       *table
	name    string
	symptom bool
	fields  map[string]string
}

// fieldNames are what a row may have.
func fieldNames() []string {
	return strings.Fields("go do doc types bound ops test is typed raw no note there here")
}

func parse(text string) (*table, error) {
	t := &table{goTypes: map[string]string{}, sets: map[string][]string{}}
	for i, line := range strings.Split(text, "\n") {
		if err := t.add(line); err != nil {
			return nil, fmt.Errorf("table.txt:%d: %w", i+1, err)
		}
	}
	for _, s := range t.sections {
		for _, r := range s.rows {
			if err := r.check(); err != nil {
				return nil, fmt.Errorf("table.txt: %s: %w", r.name, err)
			}
		}
	}
	return t, nil
}

// add takes one line of the table.
func (t *table) add(line string) error {
	first, rest, _ := strings.Cut(line, " ")
	var last *section
	if len(t.sections) > 0 {
		last = &t.sections[len(t.sections)-1]
	}
	switch {
	case line == "", line[0] == '#':
	case first == "type":
		c, g, _ := strings.Cut(rest, " ")
		t.goTypes[c], t.cTypes = g, append(t.cTypes, c)
	case first == "set":
		words := strings.Fields(rest)
		t.sets["@"+words[0]] = words[1:]
	case first == "=":
		t.sections = append(t.sections, section{title: rest})
	case last == nil:
		return fmt.Errorf("%q is before the first section", line)
	default:
		return last.add(t, first, rest, line)
	}
	return nil
}

// add takes one line of a section.
func (s *section) add(t *table, first, rest, line string) error {
	switch {
	case first == "file":
		s.file = rest
	case first == "columns":
		s.columns = rest
	case first == ":":
		s.intro = append(s.intro, rest)
	case first == "!":
		s.rows = append(s.rows, &row{t: t, name: rest, symptom: true, fields: map[string]string{}})
	case line[0] != '\t':
		s.rows = append(s.rows, &row{t: t, name: line, fields: map[string]string{}})
	case len(s.rows) == 0:
		return fmt.Errorf("a field before the first row")
	default:
		name, value, _ := strings.Cut(line[1:], "\t")
		r := s.rows[len(s.rows)-1]
		if !slices.Contains(fieldNames(), name) || value == "" || r.fields[name] != "" {
			return fmt.Errorf("field %q is unknown, empty or there twice", name)
		}
		r.fields[name] = value
	}
	return nil
}

// check says what is wrong with a row: it must say what there is, or why nothing.
func (r *row) check() error {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return r.fields[n] != "" })
	}
	switch {
	case r.symptom && !(has("there") && has("here")):
		return fmt.Errorf("there and here belong together")
	case r.symptom:
	case has("no") == has("go", "is", "typed", "raw"):
		return fmt.Errorf("must either be offered or say why not")
	case has("go") != has("do") || has("go") != has("doc"):
		return fmt.Errorf("go, do and doc belong together")
	case has("go") && !has("typed"):
		return fmt.Errorf("does not say what package shmem has")
	case (has("types") || has("ops")) && len(r.types("types")) == 0:
		return fmt.Errorf("has no types")
	}
	for _, c := range slices.Concat(r.types("types"), r.types("bound")) {
		if r.t.goTypes[c] == "" {
			return fmt.Errorf("%q is no type", c)
		}
	}
	return nil
}

// types are the C types of a family.
func (r *row) types(field string) []string {
	if set, ok := r.t.sets[r.fields[field]]; ok {
		return set
	}
	return strings.Fields(r.fields[field])
}
