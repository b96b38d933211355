package main

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// table is table.txt as it is used.
type table struct {
	hash     uint32
	roles    map[string]role
	results  map[string]role
	sections []section
}

// role is a kind of argument, or of result: letter then is Go's conversion.
type role struct {
	shim, give, library, golang, letter, doc string
}

// section is a part of the page.
type section struct {
	title string
	intro []string
	rows  []*row
}

// row is a function of rocSHMEM or of the shim, or a family of them.
type row struct {
	name   string
	params []param
	fields map[string]string
	own    []string
}

// param is an argument: its role and its name.
type param struct{ role, name string }

// oldest is the release that the shim needs. What came later is looked for.
const oldest = "3.5"

// fieldNames are what a row may have.
func fieldNames() []string {
	return strings.Fields("returns types ops since probe inside own for mock no")
}

func parse(text string) (*table, error) {
	h := fnv.New32a()
	h.Write([]byte(text)) // a hash takes everything
	t := &table{hash: h.Sum32() & 0x7fffffff, roles: map[string]role{}, results: map[string]role{}}
	for i, line := range strings.Split(text, "\n") {
		if err := t.add(line); err != nil {
			return nil, fmt.Errorf("table.txt:%d: %w", i+1, err)
		}
	}
	for _, r := range t.rows() {
		if err := t.check(r); err != nil {
			return nil, fmt.Errorf("table.txt: %s: %w", r.name, err)
		}
	}
	return t, nil
}

func (t *table) rows() (all []*row) {
	for _, s := range t.sections {
		all = append(all, s.rows...)
	}
	return all
}

// add takes one line of the table.
func (t *table) add(line string) error {
	first, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "", line[0] == '#':
	case first == "role":
		return t.addRole(t.roles, rest, 7)
	case first == "result":
		return t.addRole(t.results, rest, 6)
	case first == "=":
		t.sections = append(t.sections, section{title: rest})
	case len(t.sections) == 0:
		return fmt.Errorf("%q is before the first section", line)
	default:
		return t.sections[len(t.sections)-1].add(first, rest, line)
	}
	return nil
}

func (t *table) addRole(to map[string]role, line string, columns int) error {
	c := strings.Split(line, "|")
	for i := range c {
		c[i] = strings.TrimSpace(c[i])
	}
	if len(c) != columns || to[c[0]].shim != "" {
		return fmt.Errorf("%d columns, want %d, or %s is there twice", len(c), columns, c[0])
	}
	to[c[0]] = role{c[1], c[2], c[3], c[4], c[5], c[columns-1]}
	return nil
}

// add takes one line of a section.
func (s *section) add(first, rest, line string) error {
	switch {
	case first == ":":
		s.intro = append(s.intro, rest)
	case line[0] != '\t':
		return s.addRow(line)
	case len(s.rows) == 0:
		return fmt.Errorf("a field before the first row")
	default:
		name, value, _ := strings.Cut(line[1:], "\t")
		r := s.rows[len(s.rows)-1]
		if !slices.Contains(fieldNames(), name) || value == "" || (name != "own" && r.fields[name] != "") {
			return fmt.Errorf("field %q is unknown, empty or there twice", name)
		}
		if r.fields[name] = value; name == "own" {
			r.own = append(r.own, value)
		}
	}
	return nil
}

func (s *section) addRow(line string) error {
	name, list, _ := strings.Cut(line, "\t")
	r := &row{name: name, fields: map[string]string{}}
	for p := range strings.SplitSeq(list, ",") {
		if p = strings.TrimSpace(p); p == "" {
			continue
		}
		kind, name, ok := strings.Cut(p, " ")
		if !ok {
			return fmt.Errorf("%q is no role and name", p)
		}
		r.params = append(r.params, param{kind, name})
	}
	s.rows = append(s.rows, r)
	return nil
}

// check says what is wrong with a row.
func (t *table) check(r *row) error {
	f := r.fields
	switch {
	case f["no"] != "":
		if len(f) > 1 || len(r.params) > 0 {
			return fmt.Errorf("is not there, and yet described")
		}
		return nil
	case f["for"] == "":
		return fmt.Errorf("does not say what it is for")
	case (f["inside"] == "") == (f["mock"] == ""):
		return fmt.Errorf("inside and mock exclude each other, and one must be there")
	}
	for _, x := range t.functions(r) {
		for _, p := range x.params {
			if t.roles[p.role].shim == "" {
				return fmt.Errorf("%q is no role", p.role)
			}
		}
		if x.returns != "" && t.results[x.returns].shim == "" {
			return fmt.Errorf("%q is no result", x.returns)
		}
	}
	return nil
}
