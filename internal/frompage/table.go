package main

import (
	"fmt"
	"strings"
)

// table is a page in the making. Its file has one thing on each line:
//
//	# text            the title of the page
//	= text            the title of a section
//	: text            a paragraph of it, or of the page before the first section
//	columns a | b | c the titles of the section's columns
//	var x pkg.Type    what x stands for in the Go code of the table
//	theirs | Go | note
//
// and empty lines, and those that begin with //, which mean nothing.
type table struct {
	title    string
	intro    []string
	sections []section
	vars     map[string]string
}

type section struct {
	title   string
	intro   []string
	columns string
	rows    []row
}

// row is what another library has, and what takes its place.
type row struct {
	line               int
	theirs, code, note string
}

// load reads the table of a file.
func load(name string) (*table, error) {
	text, err := tables.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t := &table{vars: map[string]string{}}
	for i, line := range strings.Split(string(text), "\n") {
		if err := t.add(i+1, strings.TrimRight(line, " ")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	return t, nil
}

// add takes one line.
func (t *table) add(number int, line string) error {
	mark, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "" || mark == "//":
	case mark == "#":
		t.title = rest
	case mark == "=":
		t.sections = append(t.sections, section{title: rest, columns: "there | here | remarks"})
	case mark == "var":
		name, typ, _ := strings.Cut(rest, " ")
		t.vars[name] = typ
	case mark == ":" && len(t.sections) == 0:
		t.intro = append(t.intro, rest)
	case len(t.sections) == 0:
		return fmt.Errorf("a row before the first section")
	default:
		return t.sections[len(t.sections)-1].add(number, mark, rest, line)
	}
	return nil
}

func (s *section) add(number int, mark, rest, line string) error {
	switch mark {
	case ":":
		s.intro = append(s.intro, rest)
		return nil
	case "columns":
		s.columns = rest
		return nil
	}
	cells := strings.Split(strings.TrimSuffix(line, " |"), " | ")
	if len(cells) != 2 && len(cells) != 3 {
		return fmt.Errorf("%d cells: want two or three, with \" | \" between them", len(cells))
	}
	cells = append(cells, "")
	r := row{number, cells[0], cells[1], cells[2]}
	if r.code == "-" && r.note == "" {
		return fmt.Errorf("%s: neither what takes its place nor why nothing does", r.theirs)
	}
	s.rows = append(s.rows, r)
	return nil
}
