package main

import (
	"fmt"
	"strings"
)

// page is the table in Markdown.
func (t *table) page(file string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n<!-- Made by internal/frompage from its %s: edit that. -->\n", t.title, file)
	paragraphs(&b, t.intro)
	for _, s := range t.sections {
		fmt.Fprintf(&b, "\n## %s\n", s.title)
		paragraphs(&b, s.intro)
		s.write(&b)
	}
	return b.String()
}

func paragraphs(b *strings.Builder, list []string) {
	for _, text := range list {
		b.WriteString("\n" + text + "\n")
	}
}

func (s section) write(b *strings.Builder) {
	if len(s.rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s |\n|---|---|---|\n", s.columns)
	for _, r := range s.rows {
		fmt.Fprintf(b, "| %s | %s | %s |\n", quoted(r.theirs), r.place(), r.note)
	}
}

// place is what takes the place of the other library's name.
func (r row) place() string {
	if r.code == "-" {
		return "not offered"
	}
	return quoted(r.code)
}

// quoted is code as Markdown shows it. A cell that quotes parts of itself stays as it is.
func quoted(code string) string {
	if strings.Contains(code, "`") {
		return code
	}
	return "`" + code + "`"
}
